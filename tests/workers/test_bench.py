"""What the bench counts, it counts right: on histories made by hand, and on runs of both kinds. Nothing is timed."""

import os
from collections import Counter
from pathlib import Path

import pytest
from temporalio.api.history.v1 import HistoryEvent

from saga.errors import BadInput
from workers.bench import effects, report, tally, toys, usage
from workers.bench.effects import Effects
from workers.bench.ground import Ran
from workers.bench.memory import Memory
from workers.bench.pairs import Pairs
from workers.bench.plans import PREFIX, TEXT, plan
from workers.bench.turns import EARLY, LATE, Growth, measure
from workers.exits import CannotTell
from workers.settings import Settings

# Tallies of histories made by hand


def history(*names: str) -> list[HistoryEvent]:
    """Events by name; `activity_task_scheduled:TYPE` names the activity, and what follows belongs to the last one."""
    events: list[HistoryEvent] = []
    scheduled = 0
    for number, text in enumerate(names, 1):
        name, _, kind = text.partition(":")
        event = HistoryEvent(event_id=number)
        attributes = getattr(event, f"{name}_event_attributes")
        attributes.SetInParent()
        if name == "activity_task_scheduled":
            scheduled = number
            attributes.activity_type.name = kind
        elif name.startswith("activity_task_"):
            attributes.scheduled_event_id = scheduled
        events.append(event)
    return events


TASK = ("workflow_task_scheduled", "workflow_task_started", "workflow_task_completed")


def step(kind: str, end: str = "completed") -> tuple[str, ...]:
    return (f"activity_task_scheduled:{kind}", "activity_task_started", f"activity_task_{end}", *TASK)


def test_an_activity_step_is_six_events_and_a_search_attribute_one():
    events = history(
        "workflow_execution_started",
        *TASK,
        *step("perform"),
        "upsert_workflow_search_attributes",
        *step("perform", end="failed"),
        "workflow_execution_completed",
    )
    assert tally.by_cause(events) == {"begin and end": 5, "perform": 12, "search attributes": 1}
    assert tally.workflow_tasks(events) == 3
    assert tally.activities(events) == {"perform": 2}


def test_the_workflow_task_of_an_update_belongs_to_the_approval_although_nothing_before_it_says_so():
    update = ("workflow_execution_update_accepted", "workflow_execution_update_completed", "timer_canceled")
    events = history(
        *step("propose"), "timer_started", *TASK, *update, "activity_task_scheduled:find", "activity_task_started"
    )
    assert tally.by_cause(events) == {"propose": 6, "approval": 7, "find": 2}


def test_a_signal_brings_its_own_workflow_task():
    assert tally.by_cause(history("workflow_execution_signaled", *TASK)) == {"approval": 4}


def test_a_child_is_counted_to_the_reconciler_with_each_task_that_it_brings():
    events = history(
        *step("perform", end="failed"),
        "start_child_workflow_execution_initiated",
        "child_workflow_execution_started",
        *TASK,
        "child_workflow_execution_completed",
        *TASK,
    )
    assert tally.by_cause(events) == {"perform": 6, "reconciler": 9}


def test_an_event_that_nobody_expected_is_counted_all_the_same():
    assert tally.by_cause(history("workflow_properties_modified_externally")) == {"other": 1}


def test_a_turn_lasts_until_the_model_is_asked_again():
    events = history("workflow_execution_started", *TASK, *step("propose"), *step("perform"), *step("propose"))
    sizes = [event.ByteSize() for event in events]
    assert tally.bytes_by_turn(events) == [sum(sizes[4:16]), sum(sizes[16:])]
    assert tally.bytes_upto(events, 1) == sum(sizes[:16])
    assert tally.bytes_upto(events, 2) == sum(sizes)


# Plans, arithmetic, processes


def test_a_plan_says_a_kilobyte_a_turn_and_ends_without_a_call():
    short = plan(f"{PREFIX}effect:3")
    assert [len(short.reply(turn).calls) for turn in range(5)] == [1, 1, 1, 0, 0]
    assert len(TEXT) == len(short.reply(0).text) == 1000


@pytest.mark.parametrize("name", ["bench:nothing", "story", "bench:effect:many", "scripted:refund"])
def test_a_plan_that_does_not_exist_is_refused(name):
    with pytest.raises(BadInput):
        plan(name)


def ran(**changes: float) -> Ran:
    numbers = {"wall_s": 1.0, "workers_cpu_s": 1.0, "server_cpu_s": 1.0, **changes}
    return Ran(run_id="r", events=[], calls=Counter(), **numbers)


def test_the_ratio_is_the_median_of_the_pairs_and_not_of_the_kinds():
    pairs = Pairs(ours=[ran(wall_s=each) for each in (2, 40, 6)], bare=[ran(wall_s=each) for each in (1, 10, 6)])
    assert pairs.ratio("wall_s") == 2
    assert pairs.spread("wall_s") == (1, 4)
    assert (pairs.typical("ours", "wall_s"), pairs.typical("bare", "wall_s")) == (6, 6)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="memory and processor time are read from /proc")
def test_a_process_is_measured_by_what_the_kernel_says():
    before = usage.cpu_s(os.getpid())
    assert usage.resident_bytes(os.getpid()) > 1_000_000
    sum(range(2_000_000))
    assert usage.cpu_s(os.getpid()) >= before


def test_a_process_that_is_gone_cannot_be_measured():
    with pytest.raises(CannotTell, match="cannot be measured"):
        usage.cpu_s(2**22 + 1)  # above the largest process id that Linux gives


def test_the_agent_of_the_bench_is_offered_no_commit_half():
    registry = toys.registry(Settings())
    assert not set(registry.agents[toys.AGENT].tools) & registry.commit_halves


# Runs of both kinds, on the real server


@pytest.mark.timeout(120)  # a dozen runs one after another, a second each and more on a busy machine
async def test_an_effect_costs_what_it_costs_bare(ground):
    found = await effects.measure(ground)
    assert found.further("ours") == found.further("bare")
    assert found.further("ours") == {
        "events of history": 6,
        "workflow tasks": 1,
        "requests for a charge": 1,
        "requests for a ticket": 2,
    }
    _check_story(found)
    _check_lost(found)
    for table in (report.per_effect, report.of_story, report.of_calls, report.of_lost):
        assert table(found).row_count > 0


def _check_story(found: Effects) -> None:
    ours, bare = found.story.ours, found.story.bare
    mine, theirs = tally.by_cause(ours.events), tally.by_cause(bare.events)
    assert mine["perform"] == theirs["bare_send"] == 8 * 6
    assert mine["propose"] == theirs["bare_ask"] == 3 * 6
    # The exceptions: four looks side by side, and what there is once a run.
    looks = tally.activities(ours.events)["find"]
    assert looks == 4
    assert looks * 3 < mine["find"] <= looks * 6
    assert (mine["admit"], mine["search attributes"], mine["approval"], theirs["approval"]) == (6, 4, 7, 4)
    assert set(mine) == {
        *("begin and end", "admit", "propose", "read", "quick read", "perform", "find"),
        *("approval", "search attributes"),
    }
    assert ours.calls - bare.calls == {
        "mail list": 1,
        "payments list": 1,
        "tickets search": 1,
        "warehouse list": 1,
    }
    assert not bare.calls - ours.calls


def _check_lost(found: Effects) -> None:
    lost = found.lost
    assert (lost.tasks, lost.child_tasks) == (2, 2)
    # The child asked for, begun and ended, two more tasks, and unsettled said and taken back.
    assert lost.events == 3 + 2 * 3 + 2
    assert lost.calls == {"tickets search": 1}


@pytest.mark.timeout(120)  # twelve turns, on the same terms
async def test_history_grows_by_the_same_bytes_in_every_turn(ground, monkeypatch):
    monkeypatch.setattr("workers.bench.turns.EARLY", 3)
    monkeypatch.setattr("workers.bench.turns.LATE", 12)
    monkeypatch.setattr("workers.bench.turns.PLANS", (("ours", "effect"),))
    (growth,) = await measure(ground)
    assert 0.98 < growth.turn_late / growth.turn_early < 1.02
    assert growth.upto_early < growth.upto_late <= growth.upto_early + 9.2 * growth.turn_late


def test_every_number_of_the_report_has_a_row():
    grown = Growth(kind="ours", what="read", upto_early=1, upto_late=2, turn_early=1, turn_late=1, events=9)
    assert report.of_turns([grown]).row_count == 1
    assert report.of_pairs("a run", Pairs(ours=[ran()], bare=[ran()])).row_count == 3
    assert report.of_memory(Memory(idle=1, waiting={50: 2, 500: 2}, all_cached=9)).row_count == 4
    assert (EARLY, LATE) == (10, 200)
