"""Unwinds: how long it takes to undo twenty effects that are independent, against one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

from temporalio.api.history.v1 import HistoryEvent

from workers.bench import moments
from workers.bench.ground import Ground
from workers.exits import CannotTell

ONE, MANY = 1, 20
PAIRS = 7
"""As for runs against bare ones: one disturbed pair, or two, cannot move the median far."""
MOST = 2.0
"""What the unwind of MANY may take, in unwinds of ONE."""

PLANS = ("unwind", "slow-unwind")

Field = Literal["took_s", "tasks"]


@dataclass(frozen=True, kw_only=True)
class Unwind:
    """One, from the workflow task in which the first row became COMPENSATION_REQUESTED to the run's close."""

    took_s: float
    tasks: int
    """Workflow tasks, the first and the last included."""


@dataclass(frozen=True, kw_only=True)
class Unwinds:
    """Of one plan, one effect and MANY in turn; the ratio is taken in each pair."""

    plan: str
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

    def typical(self, which: Literal["one", "many"], field: Field) -> float:
        """Median of one kind by itself."""
        return median(getattr(each, field) for each in getattr(self, which))


async def measure(ground: Ground) -> list[Unwinds]:
    """Of each plan. The order within a pair alternates."""
    return [await _pairs(ground, plan) for plan in PLANS]


async def _pairs(ground: Ground, plan: str) -> Unwinds:
    found: dict[int, list[Unwind]] = {ONE: [], MANY: []}
    for pair in range(PAIRS):
        for number in (ONE, MANY) if pair % 2 == 0 else (MANY, ONE):
            found[number].append(read(await ground.unwound(f"{plan}:{number}"), number))
    return Unwinds(plan=plan, one=found[ONE], many=found[MANY])


def read(events: Sequence[HistoryEvent], number: int) -> Unwind:
    """The unwind in that history. CannotTell where not exactly so many counter-actions were sent, all at once."""
    asked = moments.scheduled(events, "compensate")
    begun = {event.activity_task_scheduled_event_attributes.workflow_task_completed_event_id for event in asked}
    if len(asked) != number or len(begun) != 1:
        raise CannotTell(f"{number} effects were undone by {len(asked)} calls from {len(begun)} workflow tasks")
    (first,) = begun
    tasks = [task for task in moments.tasks(events) if task.completed_id >= first]
    return Unwind(took_s=moments.at(events[-1]) - tasks[0].started, tasks=len(tasks))
