"""Settlements: how long a row is UNKNOWN, against the time that looking takes and the time that absence takes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from temporalio.api.history.v1 import HistoryEvent

from saga.tool import clock_s
from workers.bench import moments, tally, toys
from workers.bench.ground import Ground
from workers.exits import CannotTell

LOST = 7
"""Runs whose answer is lost: enough for a median that a disturbed one cannot move far."""
LAPSES = 2
"""Runs of the toy that is never there. Each of its three tries is a sample."""

History = Callable[[str], Awaitable[Sequence[HistoryEvent]]]
"""Workflow id → its events."""


@dataclass(frozen=True, kw_only=True)
class Settlement:
    """One row, from the event that brought silence to the end of the workflow task that settled it. Seconds."""

    took_s: float
    clock_s: float
    """The tool's clock where the row settled as absent; nothing where the effect was found."""
    late_s: float
    """Since the row could settle: since silence, or since the tool's clock had passed over the UNKNOWN row."""
    timer_s: float
    """Of that the lateness of the timer, where there was one."""
    lookup_s: float
    """Of that the look that settled it, while a worker ran it."""
    tasks_s: float
    """Of that workflow tasks, each from what brought it about to its end. The run's and the child's can overlap."""
    run_tasks: int
    """From the one that hears silence to the one that hears what was found."""
    child_tasks: int
    """Its reconciler's, all."""

    @property
    def rest_s(self) -> float:
        """What came on top of looking and waiting for the clock."""
        return self.late_s - self.lookup_s


@dataclass(frozen=True, kw_only=True)
class Settlements:
    """Rows whose effect was found, and rows that settled as absent."""

    found: Sequence[Settlement]
    absent: Sequence[Settlement]


async def measure(ground: Ground, *, lost: int = LOST, lapses: int = LAPSES) -> Settlements:
    """One after another: a run beside them would be part of what is measured."""

    async def history(workflow_id: str) -> Sequence[HistoryEvent]:
        return (await ground.client.get_workflow_handle(workflow_id).fetch_history()).events

    found: list[Settlement] = []
    for _ in range(lost):
        await ground.fault("tickets", "create", "after:504")
        found += await read((await ground.run("ours", "ticket")).events, history)
    absent: list[Settlement] = []
    for _ in range(lapses):
        absent += await read(await ground.unwound("lapse"), history, clock_s(toys.LAPSE))
    return Settlements(found=found, absent=absent)


async def read(events: Sequence[HistoryEvent], history: History, waited_s: float = 0.0) -> list[Settlement]:
    """Each settlement in that history of a run with one effect at a time. CannotTell where there is none.

    `waited_s`: the tool's clock, where nothing was there; then only what came after it counts as late.
    """
    asked = [event for event in events if tally.name_of(event) == "start_child_workflow_execution_initiated"]
    if not asked:
        raise CannotTell("an answer was lost, and nobody asked what became of it")
    return [await _one(events, event, history, waited_s) for event in asked]


async def _one(events: Sequence[HistoryEvent], asked: HistoryEvent, history: History, waited_s: float) -> Settlement:
    told = asked.start_child_workflow_execution_initiated_event_attributes
    tasks, heard = moments.tasks(events), moments.child_ended(events, asked)
    last = next(task for task in tasks if task.completed_id > heard)
    mine = [task for task in tasks if told.workflow_task_completed_event_id <= task.completed_id <= last.completed_id]
    child = await history(told.workflow_id)
    its = moments.tasks(child)
    # What is UNKNOWN is written in the first task, at the time at which that started.
    begin = mine[0].started + waited_s if waited_s else mine[0].scheduled
    timers = [moments.at(event) for event in child if tally.name_of(event) == "timer_fired"]
    return Settlement(
        took_s=last.completed - mine[0].scheduled,
        clock_s=waited_s,
        late_s=last.completed - begin,
        timer_s=timers[-1] - begin if timers else 0.0,
        lookup_s=moments.ran_s(child, moments.scheduled(child, "find")[-1]),
        tasks_s=sum(task.took_s for task in (*mine, *its) if task.scheduled >= begin),
        run_tasks=len(mine),
        child_tasks=len(its),
    )
