"""A plan of faults: what it may name, and what it strikes."""

import pytest
from pydantic import ValidationError

from saga.errors import BadInput
from saga.faults import Fault, aimed_at, check
from saga.tool import Tool
from tests.build import make_agent, make_pure, make_registry, make_row, make_tool
from tests.saga.test_registry import ShipArgs

SHIP = make_tool("ship_box", args=ShipArgs, example={"box_key": "k"}, identity=("box_key",), target=lambda _: "a box")
HOLD = make_tool("hold_box", commits="ship_box", commit_args=lambda _, key: {"box_key": key})
TELL = make_tool(
    "tell", tool_class="irreversible", compensate=None, gate="nobody can be untold", find=None, grade="key",
    person_answers="the storekeeper knows",
)  # fmt: skip
AGENT = make_agent("put_box", "hold_box", "tell", "count_boxes")
REGISTRY = make_registry(make_tool(), HOLD, SHIP, TELL, make_pure(example={"shelf": "A1"}), agents=[AGENT])


def refusal(**fault):
    """Why a plan of this one fault is refused."""
    with pytest.raises(BadInput) as refused:
        check([Fault(**fault)], REGISTRY, AGENT, 50)
    return str(refused.value)


@pytest.mark.parametrize("verb", ["call", "commit", "compensation", "lookup"])
def test_every_half_of_a_tool_that_has_them_all_may_be_struck(verb):
    fault = "down" if verb == "lookup" else "after"
    check([Fault(verb=verb, tool="hold_box", fault=fault)], REGISTRY, AGENT, 50)


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ({"tool": "hodl_box"}, "faults.0.tool: no tool with effects of shelves; there are put_box, hold_box, tell"),
        ({"tool": "count_boxes"}, "no tool with effects"),
        ({"tool": "take_box"}, "no tool with effects"),
        ({"tool": "ship_box"}, "no tool with effects"),
        (
            {"tool": "put_box", "verb": "commit"},
            "faults.0.verb: put_box has no commit; it has call, compensation, lookup",
        ),
        ({"tool": "tell", "verb": "compensation"}, "tell has no compensation; it has call"),
        ({"tool": "tell", "verb": "lookup", "fault": "down"}, "tell has no lookup; it has call"),
        ({"step": 50}, "faults.0.step: a run of this request has steps 0 to 49"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_no_run_of_this_agent_can_have_is_refused_with_what_it_can(fault, says):
    assert says in refusal(**{"verb": "call", "fault": "after", **fault})


@pytest.mark.parametrize(
    "fault",
    [
        {"verb": "call", "fault": "after"},
        {"verb": "undo", "tool": "put_box", "fault": "after"},
        {"verb": "call", "tool": "put_box", "fault": "down"},
        {"verb": "lookup", "tool": "put_box", "fault": "after"},
        {"verb": "call", "tool": "put_box", "fault": "explode"},
        {"verb": "call", "tool": "put_box", "fault": "after", "times": 0},
        {"verb": "call", "step": -1, "fault": "after"},
        {"verb": "call", "tool": "put_box", "fault": "after", "run": "r"},
    ],
    ids=str,
)
def test_what_is_no_plan_is_refused(fault):
    with pytest.raises(ValidationError):
        Fault(**fault)


def test_it_strikes_so_many_requests_after_those_that_are_let_through():
    fault = Fault(verb="call", tool="put_box", fault="after", times=2, skip=1)
    assert [fault.strikes(request) for request in range(1, 6)] == [False, True, True, False, False]


def test_a_commit_half_is_struck_by_the_name_of_what_the_model_called():
    staged, commit = make_row(0, "CONFIRMED", tool="hold_box"), make_row(1, tool="ship_box", staged_by=0)
    on_commit = Fault(verb="commit", tool="hold_box", fault="after")
    on_call = Fault(verb="call", tool="hold_box", fault="after")
    on_look = Fault(verb="lookup", tool="hold_box", fault="down")
    on_undo = Fault(verb="compensation", tool="hold_box", fault="after")
    plan = (on_commit, on_call, on_look, on_undo)
    assert aimed_at(plan, commit, "call", origin=staged) == (on_commit,)
    assert aimed_at(plan, staged, "call", origin=staged) == (on_call,)
    assert aimed_at(plan, commit, "call", origin=staged, look=True) == (on_look,)
    assert aimed_at(plan, staged, "compensation", origin=staged) == (on_undo,)


def test_it_strikes_the_step_that_it_names_and_no_other():
    at_one = Fault(verb="call", step=1, fault="after")
    both = Fault(verb="call", step=1, tool="hold_box", fault="after")
    rows = [make_row(0), make_row(1)]
    assert [aimed_at([at_one, both], row, "call", origin=row) for row in rows] == [(), (at_one,)]


def test_every_tool_here_is_as_the_tests_take_it():
    assert isinstance(REGISTRY.tools["tell"], Tool)
