"""A reset: an execution of a run is thrown away from one of its workflow tasks on, and goes on as another one."""

from __future__ import annotations

from uuid import uuid4

from temporalio.api.common.v1 import WorkflowExecution
from temporalio.api.workflowservice.v1 import ResetWorkflowExecutionRequest
from temporalio.client import Client


def reset_request(
    client: Client, run_id: str, execution: str | None, finish_event_id: int, *, reason: str
) -> ResetWorkflowExecutionRequest:
    """To go back to the workflow task whose completion is the event `finish_event_id` of that execution.

    Asked again with the same request, it is done once: its id is drawn here.
    """
    return ResetWorkflowExecutionRequest(
        namespace=client.namespace,
        workflow_execution=WorkflowExecution(workflow_id=run_id, run_id=execution or ""),
        workflow_task_finish_event_id=finish_event_id,
        request_id=str(uuid4()),
        reason=reason,
    )
