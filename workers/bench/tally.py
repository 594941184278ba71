"""A tally of one history: which of its events are there for what, and how many bytes each turn of the model adds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from temporalio.api.history.v1 import HistoryEvent

TASK = "workflow_task_"
APPROVAL = "approval"
ASKING = ("propose", "bare_ask")
"""The activities with which a turn begins."""

_CAUSES = {
    "workflow_execution_signaled": APPROVAL,
    "workflow_execution_update_": APPROVAL,
    "timer_": APPROVAL,
    "upsert_workflow_search_attributes": "search attributes",
    "marker_recorded": "quick read",
    "start_child_workflow_execution_initiated": "reconciler",
    "child_workflow_execution_": "reconciler",
    "workflow_execution_": "begin and end",
}
"""Prefix of an event's name → what it is there for; the first that fits. The only timer of a run that is approved is
the deadline of its approval."""

_BRINGS_A_TASK = (
    *("workflow_execution_started", "workflow_execution_signaled", "timer_fired", "child_workflow_execution_"),
    *("activity_task_completed", "activity_task_failed", "activity_task_timed_out", "activity_task_canceled"),
)
"""Events from outside. The others are what a workflow task commanded, or (an update) come with one."""


def by_cause(events: Sequence[HistoryEvent]) -> Counter[str]:
    """Events by what they are there for. An activity goes by its type.

    The three events of a workflow task belong to what brought it about, so an activity step that costs nothing extra
    counts six.
    """
    counted: Counter[str] = Counter()
    types: dict[int, str] = {}
    brought_by = APPROVAL
    for event in events:
        name = name_of(event)
        cause = brought_by if name.startswith(TASK) else _cause(event, name, types)
        counted[cause] += 1
        if name.startswith(_BRINGS_A_TASK):
            brought_by = cause
        elif name == "workflow_task_completed":
            # A task that nothing in the history has brought about came with an update.
            brought_by = APPROVAL
    return counted


def workflow_tasks(events: Iterable[HistoryEvent]) -> int:
    """How many workflow tasks were completed."""
    return sum(name_of(event) == "workflow_task_completed" for event in events)


def activities(events: Iterable[HistoryEvent]) -> Counter[str]:
    """Activities scheduled, by type."""
    return Counter(
        event.activity_task_scheduled_event_attributes.activity_type.name
        for event in events
        if name_of(event) == "activity_task_scheduled"
    )


def children(events: Iterable[HistoryEvent]) -> list[str]:
    """Workflow ids of the children that were asked for."""
    return [
        event.start_child_workflow_execution_initiated_event_attributes.workflow_id
        for event in events
        if name_of(event) == "start_child_workflow_execution_initiated"
    ]


def bytes_by_turn(events: Sequence[HistoryEvent]) -> list[int]:
    """Bytes that each turn adds: from the event that asks the model to the one that asks it again, or to the end."""
    sizes: list[int] = []
    for event in events:
        if event.activity_task_scheduled_event_attributes.activity_type.name in ASKING:
            sizes.append(0)
        if sizes:
            sizes[-1] += event.ByteSize()
    return sizes


def bytes_upto(events: Sequence[HistoryEvent], turn: int) -> int:
    """Bytes of the history up to the end of the first `turn` turns, what comes before them included."""
    turns = bytes_by_turn(events)
    return sum(event.ByteSize() for event in events) - sum(turns[turn:])


def name_of(event: HistoryEvent) -> str:
    """Such as `activity_task_scheduled`."""
    return str(event.WhichOneof("attributes")).removesuffix("_event_attributes")


def _cause(event: HistoryEvent, name: str, types: dict[int, str]) -> str:
    if name == "activity_task_scheduled":
        types[event.event_id] = event.activity_task_scheduled_event_attributes.activity_type.name
        return types[event.event_id]
    if name.startswith("activity_task_"):
        attributes: Any = getattr(event, f"{name}_event_attributes")
        return types[attributes.scheduled_event_id]
    return next((cause for prefix, cause in _CAUSES.items() if name.startswith(prefix)), "other")
