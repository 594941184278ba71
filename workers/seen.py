"""One run as it is seen from outside: its rows, its status and what waits, from a worker or else from its history."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Literal

from pydantic import TypeAdapter
from temporalio.client import (
    Client,
    WorkflowExecutionDescription,
    WorkflowExecutionStatus,
    WorkflowFailureError,
    WorkflowHandle,
    WorkflowQueryFailedError,
)
from temporalio.service import RPCError, RPCStatusCode

from saga.errors import BadInput
from saga.proposal import Proposal
from saga.row import Row
from workers import history
from workers.exits import CannotTell

QUERY_S = 10.0
"""A query of a run that is not in a worker's cache is answered after a replay: seconds at most. Where the worker that
had it cached just died the server waits ten for it."""
PAGE = 500
"""Rows of one answer: what the query gives at most."""

_ROWS = TypeAdapter(tuple[Row, ...])
_SILENT = (
    RPCStatusCode.CANCELLED,
    RPCStatusCode.DEADLINE_EXCEEDED,
    RPCStatusCode.FAILED_PRECONDITION,
    RPCStatusCode.UNAVAILABLE,
)
"""How the server says that no worker answers a query, or that it cannot (its workflow task keeps failing)."""


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What is known of a run. `ended` is None while it is open, else how Temporal closed it (`COMPLETED`, …)."""

    run_id: str
    agent: str = ""
    subject: str = ""
    requested_by: str = ""
    approvers: tuple[str, ...] = ()
    started_at: datetime | None = None
    ended: str | None = None
    ended_at: datetime | None = None
    why: str = ""
    """What the end says of itself: the reason of a refusal or of an unwind."""
    refused: bool = False
    """Admission said no: nothing was ever done."""
    source: Literal["worker", "history"] = "worker"
    arrived: tuple[str, ...] = ()
    """From history: what has reached the server since, and waits for a worker."""
    rows: tuple[Row, ...] = ()
    status: dict[str, Any] = field(default_factory=dict)
    proposal: Proposal | None = None


async def see(client: Client, run_id: str) -> Seen:
    """Look at that run. BadInput where there is none of that id, CannotTell where it cannot be read."""
    handle = client.get_workflow_handle(run_id)
    about = await described(handle)
    known = await _beginning(client, handle, about)
    try:
        rows, status, proposal = await _asked(handle)
        return Seen(**known, rows=rows, status=status, proposal=proposal)
    except WorkflowQueryFailedError as error:
        if about.workflow_type != "AgentRun":
            raise BadInput("id", f"{run_id} is a {about.workflow_type}, not a run of an agent") from None
        raise CannotTell(f"{run_id} does not answer: {error}") from None
    except RPCError as error:
        if error.status not in _SILENT:
            raise
    past = await handle.fetch_history()
    read = await history.replayed(past, _questions)
    rows, status, proposal = read or ((), {}, None)
    arrived = () if about.close_time else tuple(history.arrived_since(past.events))
    return Seen(**known, rows=rows, status=status, proposal=proposal, source="history", arrived=arrived)


async def described(handle: WorkflowHandle[Any, Any]) -> WorkflowExecutionDescription:
    """What the server says of a run; BadInput where it knows none of that id."""
    try:
        return await handle.describe()
    except RPCError as error:
        if error.status == RPCStatusCode.NOT_FOUND:
            raise BadInput("id", f"the server knows no run {handle.id}; `saga list` shows those it knows") from None
        if error.status == RPCStatusCode.INVALID_ARGUMENT:
            raise BadInput("id", error.message) from None
        raise


async def _asked(handle: WorkflowHandle[Any, Any]) -> tuple[tuple[Row, ...], dict[str, Any], Proposal]:
    """Rows, status and proposal, of a worker."""

    async def ask(query: str, *arguments: Any) -> Any:
        return await handle.query(query, *arguments, rpc_timeout=timedelta(seconds=QUERY_S))

    rows: list[Row] = []
    while True:
        page = _ROWS.validate_python(await ask("saga_log", _page_after(rows)))
        if not page:
            break
        rows.extend(page)
    return tuple(rows), await ask("status"), Proposal.model_validate(await ask("proposal"))


def _questions(ask: Callable[..., Any]) -> tuple[tuple[Row, ...], dict[str, Any], Proposal]:
    """The same, of a replay."""
    rows: list[Row] = []
    while True:
        page = _ROWS.validate_python(ask("saga_log", _page_after(rows)))
        if not page:
            break
        rows.extend(page)
    return tuple(rows), ask("status"), Proposal.model_validate(ask("proposal"))


def _page_after(rows: list[Row]) -> dict[str, int]:
    return {"after": rows[-1].step_idx if rows else -1, "limit": PAGE}


async def _beginning(
    client: Client, handle: WorkflowHandle[Any, Any], about: WorkflowExecutionDescription
) -> dict[str, Any]:
    """What stands in the description, in the first event, and in the end if there is one."""
    asked = await _request(client, about)
    known: dict[str, Any] = {
        "run_id": handle.id,
        "agent": _attribute(about, "SagaAgent") or asked.get("agent", ""),
        "subject": _attribute(about, "SagaSubject"),
        "requested_by": asked.get("requested_by", ""),
        "approvers": tuple(asked.get("approvers") or ()),
        "started_at": about.start_time,
    }
    if about.status not in (None, WorkflowExecutionStatus.RUNNING):
        refused, why = await _ending(handle)
        known |= {"ended": about.status.name, "ended_at": about.close_time, "refused": refused, "why": why}
    return known


async def _request(client: Client, about: WorkflowExecutionDescription) -> dict[str, Any]:
    """The request as it was typed; empty where the first event carries something else."""
    first = client.get_workflow_handle(about.id, run_id=about.raw_description.workflow_execution_info.first_run_id)
    try:
        async for event in first.fetch_history_events(page_size=1):
            payloads = event.workflow_execution_started_event_attributes.input.payloads
            decoded = (await client.data_converter.decode(payloads))[:1]
            return decoded[0] if decoded and isinstance(decoded[0], dict) else {}
    except RPCError:
        pass  # an old execution that the server has let go of
    return {}


async def _ending(handle: WorkflowHandle[Any, Any]) -> tuple[bool, str]:
    """(refused at admission, what the end says)."""
    try:
        result = await handle.result(follow_runs=False, rpc_timeout=timedelta(seconds=QUERY_S))
    except WorkflowFailureError as error:
        cause = error.cause
        return getattr(cause, "type", "") == "RunRefused", getattr(cause, "message", "") or str(cause)
    except Exception:  # noqa: BLE001 - an end that cannot be decoded is still an end
        return False, ""
    return False, str(result.get("summary", "")) if isinstance(result, dict) else ""


def _attribute(about: WorkflowExecutionDescription, name: str) -> str:
    return next((str(pair.value) for pair in about.typed_search_attributes if pair.key.name == name), "")
