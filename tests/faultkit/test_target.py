"""No half of any tool of ours is without a target, and no fault of the contract without a cell."""

from tests.matrix.house import KIT
from workers.faultkit import fault
from workers.faultkit.target import BACK, ENDINGS, offered
from workers.sandbox.faults import _FORMS

REGISTRY = KIT.registry


def endings(tool, verb, *, lookup=False, whole=False):
    wanted = (tool.name, verb, lookup, whole)
    return [each.ending for each in KIT.targets if (each.tool, each.verb, each.lookup, each.whole) == wanted]


def every_tool():
    return [tool for agent in REGISTRY.agents.values() for tool in offered(REGISTRY, agent)]


def test_every_call_meets_every_ending_that_it_can_meet():
    for tool in every_tool():
        waits = tool.tool_class == "irreversible" and not tool.at_once
        assert endings(tool, "call") == (["finish"] if waits else list(ENDINGS))


def test_every_counter_action_and_every_commit_half_is_struck_and_looked_for():
    for tool in every_tool():
        undone = tool.compensate is not None and tool.tool_class != "irreversible"
        assert endings(tool, "compensation") == (list(BACK) if undone else [])
        assert len(endings(tool, "compensation", lookup=True)) == 2 * undone
        assert endings(tool, "commit") == endings(tool, "commit", lookup=True) == ["finish"] * bool(tool.commits)
        assert bool(endings(tool, "call", lookup=True)) == (tool.find is not None)


def test_every_half_is_struck_in_a_plan_of_all_steps():
    for tool in every_tool():
        for verb in ("call", "commit", "compensation"):
            assert bool(endings(tool, verb, whole=True)) == bool(endings(tool, verb))


def test_every_fault_of_the_contract_strikes_somewhere():
    names = [blow.fault for each in (*fault.WIRE_SENDING, *fault.WIRE_LOOKING) for blow in each.blows]
    assert {name.partition(":")[0] for name in names} == set(_FORMS)
    assert {name for name in names if name.startswith("after:")} >= {
        *("after:504", "after:reset", "after:truncate", "after:blank200", "after:204", "after:html200"),
        "after:slow:1.5",
    }
    assert {"before:reset", "before:503"} <= set(names)


def test_ids_are_of_one_target_each():
    ids = [each.id for each in KIT.targets]
    assert len(ids) == len(set(ids))
