"""What a test looks at: the history and the world as lists of words, and the reason of a refusal."""

from __future__ import annotations

import json
from collections.abc import Awaitable
from typing import Any

import pytest
from temporalio.api.enums.v1 import EventType
from temporalio.api.history.v1 import HistoryEvent
from temporalio.client import WorkflowUpdateFailedError
from temporalio.exceptions import ApplicationError

from tests.lab import Handle, Lab

Row = dict[str, Any]


async def events(handle: Handle) -> list[HistoryEvent]:
    """The history, oldest first."""
    return list((await handle.fetch_history()).events)


async def lasted_s(handle: Handle) -> float:
    """Seconds on the server's clock from the first event to the last."""
    told = [event.event_time.ToDatetime() for event in await events(handle)]
    return (told[-1] - told[0]).total_seconds()


async def activities(handle: Handle) -> list[str]:
    """Activities and children in the order in which they were started; those of a step name its tool."""
    return [name for event in await events(handle) if (name := started(event))]


async def doors(handle: Handle) -> list[str]:
    """The same without what a model was asked and what was read."""
    return [name for name in await activities(handle) if name not in ("admit", "propose", "read")]


async def summaries(handle: Handle) -> list[str]:
    """What the Web UI writes beside each activity and timer, and over the run itself where it was started with one."""
    texts = [event.user_metadata.summary.data for event in await events(handle)]
    return [json.loads(text) for text in texts if text]


async def children(lab: Lab, handle: Handle) -> list[Handle]:
    """The children that were started, in order."""
    started = [each for each in await events(handle) if each.HasField(_CHILD_STARTED)]
    ids = [getattr(each, _CHILD_STARTED).workflow_execution.workflow_id for each in started]
    return [lab.env.client.get_workflow_handle(each) for each in ids]


_CHILD_STARTED = "child_workflow_execution_started_event_attributes"


async def upserts(handle: Handle) -> int:
    """How often search attributes were written."""
    written = EventType.EVENT_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES
    return sum(event.event_type == written for event in await events(handle))


def started(event: HistoryEvent) -> str:
    """The activity or child that this event started; empty for any other event."""
    if event.HasField("start_child_workflow_execution_initiated_event_attributes"):
        child = event.start_child_workflow_execution_initiated_event_attributes
        look = json.loads(child.input.payloads[0].data)["look"]
        return f"{child.workflow_type.name} {_tool(look['row'], look['half'])}"
    if not event.HasField("activity_task_scheduled_event_attributes"):
        return ""
    begun = event.activity_task_scheduled_event_attributes
    name, order = begun.activity_type.name, json.loads(begun.input.payloads[0].data)
    if "row" not in order:
        return name
    return f"{name} {_tool(order['row'], 'compensation' if name == 'compensate' else 'call')}"


def _tool(row: Row, half: str) -> str:
    return row["compensation"]["tool"] if half == "compensation" else row["tool"]


async def world(lab: Lab, **equals: Any) -> list[str]:
    """Every effect in the order in which it came to be: kind and state."""
    return [f"{each['kind']} {each['state']}" for each in await lab.effects(**equals)]


async def writes(lab: Lab, **equals: Any) -> list[str]:
    """Every request that could change something, in order: system and operation."""
    calls = [each for each in await lab.calls(**equals) if each["method"] not in ("GET", "HEAD")]
    return [f"{each['system']} {each['operation']}" for each in calls]


def statuses(rows: list[Row]) -> list[str]:
    """Every row in order: tool and status."""
    return [f"{row['tool']} {row['status']}" for row in rows]


async def refusal(asked: Awaitable[Any]) -> str:
    """Why a decision was refused; fails where it was taken."""
    with pytest.raises(WorkflowUpdateFailedError) as refused:
        await asked
    cause = refused.value.cause
    assert isinstance(cause, ApplicationError)
    return cause.message


async def needs(lab: Lab, handle: Handle, kind: str) -> dict[str, Any]:
    """Skip time until a person is needed for that; answers what waits."""

    def waits(status: dict[str, Any]) -> dict[str, Any] | None:
        return next((each for each in status["needs_human"] if each["kind"] == kind), None)

    found = waits(await lab.until(handle, lambda status: waits(status) is not None))
    assert found is not None
    return found
