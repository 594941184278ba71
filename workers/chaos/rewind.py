"""Rewinding: a running run is reset to a workflow task that lies somewhere in its history."""

from __future__ import annotations

from temporalio.client import Client, WorkflowExecutionStatus
from temporalio.service import RPCError, RPCStatusCode

from workers.chaos.patience import PASSING, patiently
from workers.chaos.view import latest
from workers.reset import reset_request
from workflows.attributes import PHASE

FORWARD = ("STAGING", "AWAITING_APPROVAL", "NEEDS_HUMAN", "COMMITTING")
"""Phases of a run that has not turned back."""
FIRST = 1
"""Tasks that are left out: before the first is over there is nothing to go back to."""


async def rewind(client: Client, run_id: str, share: float) -> str | None:
    """Reset to the task at `share` of the history; the execution that was thrown away, None where nothing was.

    Not where the run has turned back or ended meanwhile: it would meet what it has undone itself.
    """
    handle = latest(client, run_id)
    about = await patiently(handle.describe)
    if about.status != WorkflowExecutionStatus.RUNNING or about.typed_search_attributes.get(PHASE) not in FORWARD:
        return None
    handle = latest(client, run_id, about.run_id)
    events = (await patiently(handle.fetch_history)).events
    done = [each.event_id for each in events if each.HasField("workflow_task_completed_event_attributes")][FIRST:]
    if not done:
        return None
    back_to = done[int(share * len(done))]
    request = reset_request(client, run_id, about.run_id, back_to, reason="the monkey")
    try:
        await patiently(lambda: client.workflow_service.reset_workflow_execution(request))
    except RPCError as error:
        if error.status in (*PASSING, RPCStatusCode.INVALID_ARGUMENT, RPCStatusCode.NOT_FOUND):
            return None
        raise
    return about.run_id
