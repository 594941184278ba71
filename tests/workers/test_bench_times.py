"""What the bench says of times, on histories made by hand; on real runs only that there is what it measures."""

from collections.abc import Sequence
from typing import Any

import pytest
from temporalio.api.history.v1 import HistoryEvent

from saga.tool import clock_s
from workers.bench import moments, report, settlements, toys, unwinds
from workers.bench.plans import PREFIX, plan
from workers.bench.settlements import Settlement, Settlements
from workers.bench.unwinds import Unwind, Unwinds
from workers.exits import BAD_INPUT, CANNOT_TELL, CannotTell
from workers.worker import PARTS, main

Line = tuple[float, str, dict[str, Any]]


def history(*lines: Line) -> list[HistoryEvent]:
    """Events numbered from 1, each at so many seconds, by name and attributes."""
    events: list[HistoryEvent] = []
    for number, (at_s, name, attributes) in enumerate(lines, 1):
        event = HistoryEvent(event_id=number)
        event.event_time.FromNanoseconds(round(at_s * 1e9))
        told = getattr(event, f"{name}_event_attributes")
        told.SetInParent()
        for field, value in attributes.items():
            if field == "activity":
                told.activity_type.name = value
            else:
                setattr(told, field, value)
        events.append(event)
    return events


def task(first: int, scheduled_s: float, started_s: float, completed_s: float) -> list[Line]:
    """A workflow task whose events begin at that number."""
    return [
        (scheduled_s, "workflow_task_scheduled", {}),
        (started_s, "workflow_task_started", {"scheduled_event_id": first}),
        (completed_s, "workflow_task_completed", {"scheduled_event_id": first, "started_event_id": first + 1}),
    ]


def asked(at_s: float, activity: str, task_id: int) -> Line:
    return at_s, "activity_task_scheduled", {"activity": activity, "workflow_task_completed_event_id": task_id}


def answered(first: int, started_s: float, completed_s: float) -> list[Line]:
    """An activity asked for in event `first`; the two events that follow it begin at `first + 1`."""
    told = {"scheduled_event_id": first, "started_event_id": first + 1}
    return [
        (started_s, "activity_task_started", {"scheduled_event_id": first}),
        (completed_s, "activity_task_completed", told),
    ]


def test_a_workflow_task_takes_from_what_brought_it_about_to_its_end():
    (only,) = moments.tasks(history(*task(1, 10.0, 10.2, 10.5)))
    assert (only.scheduled, only.started, only.completed, only.completed_id) == (10.0, 10.2, 10.5, 3)
    assert only.took_s == pytest.approx(0.5)


def test_a_workflow_task_that_failed_is_none():
    assert moments.tasks(history((1.0, "workflow_task_scheduled", {}), (2.0, "workflow_task_failed", {}))) == []


def test_an_activity_runs_from_its_start_and_not_from_its_scheduling():
    events = history(asked(1.0, "find", 0), *answered(1, 3.0, 3.5))
    assert moments.ran_s(events, moments.scheduled(events, "find")[0]) == pytest.approx(0.5)
    assert moments.scheduled(events, "perform") == []


def test_what_never_came_back_has_no_time():
    events = history(asked(1.0, "find", 0), (1.0, "start_child_workflow_execution_initiated", {}))
    with pytest.raises(ValueError, match="no such activity"):
        moments.ran_s(events, events[0])
    with pytest.raises(ValueError, match="no such child"):
        moments.child_ended(events, events[1])


# Unwinds


def undone(number: int, begun_in: Sequence[int] = (6,)) -> list[HistoryEvent]:
    """A run whose unwind begins at 2 s, in its second workflow task (event 6), and that closes at 5 s."""
    lines = [*task(1, 0.0, 0.5, 1.0), *task(4, 1.5, 2.0, 2.5)]
    lines += [asked(2.5, "compensate", begun_in[each % len(begun_in)]) for each in range(number)]
    return history(*lines, *task(len(lines) + 1, 3.0, 4.0, 5.0), (5.0, "workflow_execution_failed", {}))


@pytest.mark.parametrize("number", [1, 20])
def test_an_unwind_is_measured_from_the_task_that_asked_for_it_to_the_close(number):
    assert unwinds.read(undone(number), "compensate", number) == Unwind(took_s=3.0, tasks=2)


@pytest.mark.parametrize(
    ("events", "activity", "number"),
    [
        (undone(19), "compensate", 20),  # one was not undone
        (undone(2), "compensate", 1),  # or twice
        (undone(2, begun_in=(3, 6)), "compensate", 2),  # one after another
        (undone(2), "bare_send", 2),
    ],
)
def test_an_unwind_that_is_not_of_so_many_at_once_is_not_measured(events, activity, number):
    with pytest.raises(CannotTell, match=f"{number} effects were undone by"):
        unwinds.read(events, activity, number)


def of_times(one: Sequence[float], many: Sequence[float]) -> Unwinds:
    kinds = ([Unwind(took_s=each, tasks=2) for each in times] for times in (one, many))
    return Unwinds(kind="ours", slow=True, one=next(kinds), many=next(kinds))


def test_the_ratio_of_unwinds_is_taken_in_each_pair():
    found = of_times([1, 10, 2], [2, 10, 6])
    assert found.ratios == [2, 1, 3]
    assert found.ratio == 2
    assert (found.typical("one", "took_s"), found.typical("many", "took_s")) == (2, 6)


def test_the_plans_of_unwinds_make_so_many_effects_and_then_hear_a_no():
    for name, tool in (("unwind", "note"), ("slow-unwind", "slow_note")):
        made, balked, none = (plan(f"{PREFIX}{name}:{unwinds.MANY}").reply(turn).calls for turn in range(3))
        assert [call.tool for call in made] == [tool] * unwinds.MANY
        assert len({str(call.args) for call in made}) == unwinds.MANY
        assert ([call.tool for call in balked], none) == (["balk"], ())


# Settlements


LOST = history(
    *task(1, 10.0, 10.1, 10.3),
    (10.3, "start_child_workflow_execution_initiated", {"workflow_id": "r/1", "workflow_task_completed_event_id": 3}),
    (10.4, "child_workflow_execution_started", {"initiated_event_id": 4}),
    *task(6, 10.4, 10.5, 10.6),
    (11.6, "child_workflow_execution_completed", {"initiated_event_id": 4}),
    *task(10, 11.6, 11.7, 12.0),
    *task(13, 12.0, 13.0, 14.0),
)
FOUND = history(
    *task(1, 10.4, 10.5, 10.6), asked(10.6, "find", 3), *answered(4, 10.7, 11.2), *task(7, 11.2, 11.3, 11.5)
)
ABSENT = history(
    *task(1, 10.4, 10.5, 10.6),
    asked(10.6, "find", 3),
    *answered(4, 10.6, 10.7),
    *task(7, 10.7, 10.8, 10.9),
    (10.9, "timer_started", {"timer_id": "1"}),
    (11.15, "timer_fired", {"timer_id": "1"}),
    *task(12, 11.15, 11.2, 11.25),
    asked(11.25, "find", 14),
    *answered(15, 11.3, 11.4),
    *task(18, 11.4, 11.45, 11.5),
)


def asking(child: Sequence[HistoryEvent]) -> settlements.History:
    async def history_of(workflow_id: str) -> Sequence[HistoryEvent]:
        assert workflow_id == "r/1"
        return child

    return history_of


async def test_a_row_that_was_found_is_unknown_from_silence_to_the_end_of_the_task_that_settled_it():
    (found,) = await settlements.read(LOST, asking(FOUND))
    assert (found.run_tasks, found.child_tasks) == (3, 2)
    assert found.took_s == found.late_s == pytest.approx(2.0)
    assert (found.clock_s, found.timer_s) == (0.0, 0.0)
    assert found.lookup_s == pytest.approx(0.5)
    assert found.rest_s == pytest.approx(1.5)
    assert found.tasks_s == pytest.approx((0.3 + 0.2 + 0.4) + (0.2 + 0.3))


async def test_a_row_that_was_never_there_is_late_only_after_its_clock():
    (absent,) = await settlements.read(LOST, asking(ABSENT), 1.0)
    assert (absent.run_tasks, absent.child_tasks) == (3, 4)
    assert absent.took_s == pytest.approx(2.0)
    # UNKNOWN since 10.1, when the task began that heard silence; the clock passes at 11.1.
    assert absent.late_s == pytest.approx(0.9)
    assert absent.timer_s == pytest.approx(0.05)
    assert absent.lookup_s == pytest.approx(0.1)
    assert absent.rest_s == pytest.approx(0.8)
    assert absent.tasks_s == pytest.approx(0.4 + (0.1 + 0.1))


async def test_a_run_in_which_nobody_asked_settled_nothing():
    with pytest.raises(CannotTell, match="nobody asked"):
        await settlements.read(LOST[:3], asking(FOUND))


def test_the_toy_that_is_never_there_has_a_clock_of_a_second():
    assert clock_s(toys.LAPSE) == pytest.approx(1.0)


def test_the_tables_of_times_have_a_row_for_each_number():
    settled = Settlement(
        took_s=3, clock_s=1, late_s=2, timer_s=0.1, lookup_s=0.5, tasks_s=1, run_tasks=3, child_tasks=2
    )
    assert report.of_settlements(Settlements(found=[settled], absent=[settled])).row_count == 10
    assert report.of_unwinds([of_times([1], [2]), of_times([1], [3])]).row_count == 2


# On the real server


@pytest.mark.timeout(120)  # a few runs one after another, a second each and more on a busy machine
async def test_what_the_bench_measures_is_what_runs_do(ground):
    for name, number in (("unwind", 1), ("unwind", 3), ("slow-unwind", 2)):
        assert unwinds.read(await ground.unwound(f"{name}:{number}"), "compensate", number).tasks >= 2
    assert unwinds.read(await ground.together("nap", 2), "bare_send", 2).tasks >= 2
    found = await settlements.measure(ground, lost=1, lapses=1)
    assert [(each.run_tasks, each.child_tasks) for each in found.found] == [(3, 2)]
    assert [(each.run_tasks, each.child_tasks) for each in found.absent] == [(3, 4)] * 3
    assert all(each.late_s > each.lookup_s > 0 for each in (*found.found, *found.absent))


async def test_a_run_that_was_to_be_undone_and_went_through_is_no_unwind(ground):
    with pytest.raises(CannotTell, match="went through"):
        await ground.unwound("effect:1")


# A worker's parts


def test_a_worker_takes_the_parts_that_it_is_given_and_its_own_stay_as_they_are(server, monkeypatch, capsys):
    def given(_: object) -> Any:
        raise CannotTell("these are the parts")

    own = dict(PARTS)
    monkeypatch.setenv("TEMPORAL_ADDRESS", server.address)
    assert main(["tools"], parts={"tools": given}) == CANNOT_TELL
    assert "worker tools: these are the parts" in capsys.readouterr().err
    assert own == PARTS


def test_a_worker_of_no_kind_is_refused(capsys):
    assert main(["nothing"]) == BAD_INPUT
    assert "runs|tools|lookups" in capsys.readouterr().err
