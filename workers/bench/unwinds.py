"""Unwinds: how long it takes to undo twenty effects that are independent, against one; ours, and the calls bare."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

from temporalio.api.history.v1 import HistoryEvent

from workers.bench import moments
from workers.bench.ground import Ground, Kind
from workers.exits import CannotTell

ONE, MANY = 1, 20
PAIRS = 5
"""Twenty effects take a second or two to make before they can be undone: as many as there is time for."""
MOST = 2.0
"""What the unwind of MANY may take, in unwinds of ONE."""


@dataclass(frozen=True, kw_only=True)
class Unwind:
    """One, from the workflow task in which the first row became COMPENSATION_REQUESTED to the run's close."""

    took_s: float
    tasks: int
    """Workflow tasks, the first and the last included."""


@dataclass(frozen=True, kw_only=True)
class Unwinds:
    """Of ONE and of MANY in turn; the ratio is taken in each pair."""

    kind: Kind
    slow: bool
    """The counter-action answers as late as a provider's, and not at once."""
    one: Sequence[Unwind]
    many: Sequence[Unwind]

    @property
    def ratios(self) -> list[float]:
        """Time of MANY by time of ONE, of each pair."""
        return [many.took_s / one.took_s for one, many in zip(self.one, self.many, strict=True)]

    @property
    def ratio(self) -> float:
        """Their median."""
        return median(self.ratios)

    def typical(self, which: Literal["one", "many"], field: Literal["took_s", "tasks"]) -> float:
        """Median of one kind by itself."""
        return median(getattr(each, field) for each in getattr(self, which))


async def measure(ground: Ground) -> list[Unwinds]:
    """Quick and slow ones of both kinds."""
    return [await _pairs(ground, kind, slow=slow) for slow in (False, True) for kind in ("ours", "bare")]


async def _pairs(ground: Ground, kind: Kind, *, slow: bool) -> Unwinds:
    """The order within a pair alternates."""

    async def make(number: int) -> Sequence[HistoryEvent]:
        if kind == "bare":
            return await ground.together("nap" if slow else "note", number)
        return await ground.unwound(f"{'slow-unwind' if slow else 'unwind'}:{number}")

    found: dict[int, list[Unwind]] = {ONE: [], MANY: []}
    for pair in range(PAIRS):
        for number in (ONE, MANY) if pair % 2 == 0 else (MANY, ONE):
            found[number].append(read(await make(number), "compensate" if kind == "ours" else "bare_send", number))
    return Unwinds(kind=kind, slow=slow, one=found[ONE], many=found[MANY])


def read(events: Sequence[HistoryEvent], activity: str, number: int) -> Unwind:
    """The unwind in that history. CannotTell where not exactly so many of `activity` were asked for, all at once."""
    asked = moments.scheduled(events, activity)
    begun = {event.activity_task_scheduled_event_attributes.workflow_task_completed_event_id for event in asked}
    if len(asked) != number or len(begun) != 1:
        raise CannotTell(f"{number} effects were undone by {len(asked)} calls from {len(begun)} workflow tasks")
    (first,) = begun
    tasks = [task for task in moments.tasks(events) if task.completed_id >= first]
    return Unwind(took_s=moments.at(events[-1]) - tasks[0].started, tasks=len(tasks))
