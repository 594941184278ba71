"""Settlements: how long a row is UNKNOWN, against the time that looking takes and the time that absence takes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from statistics import median

from temporalio.api.history.v1 import HistoryEvent

from saga.tool import clock_s
from workers.bench import moments, tally, toys
from workers.bench.ground import Ground
from workers.exits import CannotTell

LOST = 7
"""Runs whose answer is lost: enough for a median that a disturbed one cannot move far."""
LAPSES = 3
"""Runs of the toy that is never there. Each try of it is a sample, and there are three tries."""

History = Callable[[str], Awaitable[Sequence[HistoryEvent]]]
"""Workflow id → its events."""


@dataclass(frozen=True, kw_only=True)
class Settlement:
    """One row, from the event that brought silence to the end of the workflow task that settled it. Seconds."""

    took_s: float
    settle_s: float
    """The tool's clock where the row settled as absent; nothing where the effect was found."""
    late_s: float
    """From the moment at which it could settle: silence, or the passing of the clock since the row is UNKNOWN."""
    lookup_s: float
    """The look that settled it, while a worker ran it."""
    run_s: tuple[float, ...]
    """The run's workflow tasks from the one that hears silence to the one that hears what was found."""
    child_s: tuple[float, ...]
    """Those of its reconciler."""

    @property
    def rest_s(self) -> float:
        """What came on top of looking and waiting for the clock."""
        return self.late_s - self.lookup_s


@dataclass(frozen=True, kw_only=True)
class Settlements:
    """Rows whose effect was found, and rows that settled as absent."""

    found: Sequence[Settlement]
    absent: Sequence[Settlement]


def spread(kind: Sequence[Settlement], of: Callable[[Settlement], float]) -> tuple[float, float, float]:
    """Median, smallest and largest."""
    numbers = [of(each) for each in kind]
    return median(numbers), min(numbers), max(numbers)


async def measure(ground: Ground) -> Settlements:
    """One after another: a run beside them would be part of what is measured."""

    async def history(workflow_id: str) -> Sequence[HistoryEvent]:
        return (await ground.client.get_workflow_handle(workflow_id).fetch_history()).events

    found: list[Settlement] = []
    for _ in range(LOST):
        await ground.fault("tickets", "create", "after:504")
        found += await read((await ground.run("ours", "ticket")).events, history)
    absent: list[Settlement] = []
    for _ in range(LAPSES):
        absent += await read(await ground.unwound("lapse"), history, settle_s=clock_s(toys.LAPSE))
    return Settlements(found=found, absent=absent)


async def read(events: Sequence[HistoryEvent], history: History, settle_s: float = 0.0) -> list[Settlement]:
    """Each settlement in that history of a run with one effect at a time. CannotTell where there is none."""
    asked = [event for event in events if tally.name_of(event) == "start_child_workflow_execution_initiated"]
    if not asked:
        raise CannotTell("an answer was lost, and nobody asked what became of it")
    return [await _one(events, event, history, settle_s) for event in asked]


async def _one(events: Sequence[HistoryEvent], asked: HistoryEvent, history: History, settle_s: float) -> Settlement:
    told = asked.start_child_workflow_execution_initiated_event_attributes
    heard = next(
        event.event_id
        for event in events
        if event.child_workflow_execution_completed_event_attributes.initiated_event_id == asked.event_id
    )
    tasks = moments.tasks(events)
    last = next(task for task in tasks if task.completed_id > heard)
    mine = [task for task in tasks if told.workflow_task_completed_event_id <= task.completed_id <= last.completed_id]
    child = await history(told.workflow_id)
    begin = mine[0].started + settle_s if settle_s else mine[0].scheduled
    return Settlement(
        took_s=last.completed - mine[0].scheduled,
        settle_s=settle_s,
        late_s=last.completed - begin,
        lookup_s=moments.ran_s(child, moments.scheduled(child, "find")[-1]),
        run_s=tuple(task.took_s for task in mine),
        child_s=tuple(task.took_s for task in moments.tasks(child)),
    )
