"""A view of one run: what a person sees of it, asked of whatever worker answers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from pydantic import TypeAdapter
from temporalio.client import Client, WorkflowHandle, WorkflowQueryFailedError
from temporalio.service import RPCError

from saga.row import Row

Handle = WorkflowHandle[Any, Any]

QUERY_S = 15.0
"""One that goes to a dead worker's cache takes ten seconds. Asked again sooner, a busy worker would answer both."""
_ROWS = TypeAdapter(tuple[Row, ...])


@dataclass(frozen=True, kw_only=True)
class View:
    """Status, proposal and rows at one moment, or nearly."""

    status: dict[str, Any]
    proposal: dict[str, Any]
    rows: tuple[Row, ...]

    @property
    def digest(self) -> str | None:
        """Of the proposal that waits; None where none does."""
        return self.proposal["digest"]

    @property
    def phase(self) -> str:
        """As the run says."""
        return str(self.status["phase"])


async def view(handle: Handle) -> View | None:
    """None while nobody answers. Asks for no more than somebody needs who would answer: queries cost a worker."""
    limit = timedelta(seconds=QUERY_S)
    try:
        status = await handle.query("status", rpc_timeout=limit)
        asked = any(need["step_idx"] is not None for need in status["needs_human"])
        waits = status["deadline"] is not None
        proposal = await handle.query("proposal", rpc_timeout=limit) if waits else {"digest": None}
        return View(status=status, proposal=proposal, rows=await rows_of(handle) if asked else ())
    except (RPCError, WorkflowQueryFailedError):
        return None


async def rows_of(handle: Handle) -> tuple[Row, ...]:
    """The saga log; RPCError or WorkflowQueryFailedError where nobody answers. No run here has more than a page."""
    return _ROWS.validate_python(await handle.query("saga_log", rpc_timeout=timedelta(seconds=QUERY_S)))


def latest(client: Client, run_id: str, execution: str | None = None) -> Handle:
    """The run's latest execution, or that one."""
    return client.get_workflow_handle(run_id, run_id=execution)
