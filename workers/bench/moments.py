"""Moments of one history: when what it tells of happened, by the server's clock."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from temporalio.api.history.v1 import HistoryEvent

from workers.bench.tally import name_of


@dataclass(frozen=True, kw_only=True)
class Task:
    """One workflow task. Seconds since the epoch."""

    scheduled: float
    started: float
    """What `workflow.now()` says in it."""
    completed: float
    completed_id: int
    """Event id of its end, which whatever it commanded names."""

    @property
    def took_s(self) -> float:
        """From the event that brought it about to its end: waiting for a worker is part of it."""
        return self.completed - self.scheduled


def at(event: HistoryEvent) -> float:
    """Seconds since the epoch."""
    return event.event_time.ToNanoseconds() / 1e9


def tasks(events: Sequence[HistoryEvent]) -> list[Task]:
    """The workflow tasks that were completed, in order."""
    by_id = {event.event_id: event for event in events}
    found: list[Task] = []
    for event in events:
        if name_of(event) == "workflow_task_completed":
            told = event.workflow_task_completed_event_attributes
            found.append(
                Task(
                    scheduled=at(by_id[told.scheduled_event_id]),
                    started=at(by_id[told.started_event_id]),
                    completed=at(event),
                    completed_id=event.event_id,
                )
            )
    return found


def scheduled(events: Sequence[HistoryEvent], activity: str) -> list[HistoryEvent]:
    """The events that ask for activities of that type."""
    return [e for e in events if e.activity_task_scheduled_event_attributes.activity_type.name == activity]


def ran_s(events: Sequence[HistoryEvent], asked: HistoryEvent) -> float:
    """How long the (last attempt of the) activity ran that `asked` asks for: from a worker's start to its answer."""
    by_id = {event.event_id: event for event in events}
    for event in events:
        told = event.activity_task_completed_event_attributes
        if told.scheduled_event_id == asked.event_id:
            return at(event) - at(by_id[told.started_event_id])
    raise ValueError(f"event {asked.event_id}: no such activity was completed")


def child_ended(events: Sequence[HistoryEvent], asked: HistoryEvent) -> int:
    """The id of the event in which the child that `asked` asks for came back with an answer."""
    for event in events:
        if event.child_workflow_execution_completed_event_attributes.initiated_event_id == asked.event_id:
            return event.event_id
    raise ValueError(f"event {asked.event_id}: no such child came back")
