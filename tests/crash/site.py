"""The site of a crash: one house of real processes, and the runs on it. Nothing here sleeps a fixed time.

Each test ends by `check`, which holds the laws against the world and replays the histories, the reconcilers' included.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from temporalio.api.history.v1 import HistoryEvent
from temporalio.client import (
    Client,
    WorkflowFailureError,
    WorkflowHandle,
    WorkflowHistory,
    WorkflowQueryFailedError,
)
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.exceptions import ApplicationError, CancelledError
from temporalio.service import RPCError
from temporalio.worker import Replayer

from tests.crash.world import COMES_S, LOOK_EVERY_S, World, until
from workers.exits import CannotTell
from workers.faultkit import laws
from workers.house import LOOKUPS, RUNS, TOOLS, House
from workers.reset import reset_request
from workflows.agent_run import AgentRun
from workflows.options import RUNS as RUNS_QUEUE
from workflows.reconcile import Reconcile

Handle = WorkflowHandle[Any, Any]
Rows = Sequence[dict[str, Any]]

WORKERS = (RUNS, TOOLS, LOOKUPS)
QUERY_S = 3.0
"""A query that goes to a dead worker's cache is asked again, not waited for."""


@dataclass
class Site(World):
    """What a test holds."""

    house: House
    client: Client

    async def start(self, run_id: str, model: str = "scripted:refund", *, order: str = "1182", **more: Any) -> Handle:
        """Start a refund run, asked for by ann; `more` overrides fields of the RunRequest, or goes to Temporal."""
        whole = {
            "agent": "refund",
            "request": {"order_id": order, "customer_id": f"cus_{order}", "receipt": False},
            "requested_by": "ann",
            "model": model,
        }
        whole |= {name: more.pop(name) for name in ("approvers", "approval_timeout_s", "faults") if name in more}
        return await self.client.start_workflow("AgentRun", whole, id=run_id, task_queue=RUNS_QUEUE, **more)

    def run(self, run_id: str, execution: str | None = None) -> Handle:
        """A run that was started before: its latest execution, or that one."""
        return self.client.get_workflow_handle(run_id, run_id=execution)

    def kill(self, *names: str) -> None:
        """SIGKILL, to the processes themselves; they are gone when this returns."""
        for name in names:
            self.house[name].kill()

    async def restart(self, *names: str) -> None:
        """New processes in their places, answering."""
        await asyncio.gather(*(self.house.start(name) for name in names))

    @asynccontextmanager
    async def kept_alive(self, name: str) -> AsyncGenerator[list[int]]:
        """Within it a process that dies is started again; yields the list of those that died, by pid."""
        died: list[int] = []

        async def watch() -> None:
            while True:
                pid = self.house[name].pid
                if not self.house[name].running:
                    died.append(pid)
                    with suppress(CannotTell):  # it may die of the next run's fault before it has said that it is up
                        await self.restart(name)
                await asyncio.sleep(LOOK_EVERY_S)

        task = asyncio.create_task(watch())
        try:
            yield died
        finally:
            task.cancel()

    async def row(self, handle: Handle, tool: str, *wanted: str) -> dict[str, Any]:
        """The row of that tool, as soon as its status is one of these."""

        async def look() -> dict[str, Any] | None:
            rows = await ask(handle, "saga_log") or []
            return next((each for each in rows if each["tool"] == tool and each["status"] in wanted), None)

        return await until(look, f"{tool} {' or '.join(wanted)}")

    async def proposal(self, handle: Handle) -> dict[str, Any]:
        """The proposal, as soon as one waits."""

        async def look() -> dict[str, Any] | None:
            found = await ask(handle, "proposal")
            return found if found and found["digest"] else None

        return await until(look, f"a proposal of {handle.id}")

    async def decide(self, handle: Handle, decision: str, **more: Any) -> Any:
        """Decide, as bob, on what waits."""
        payload = {"decision": decision, "digest": (await self.proposal(handle))["digest"], "by": "bob", **more}
        return await handle.execute_update("decide_pivot", payload)

    async def end(self, handle: Handle) -> str:
        """How the run closes: its phase, the failure's type, or Cancelled."""
        try:
            return (await asyncio.wait_for(handle.result(), COMES_S))["phase"]
        except TimeoutError:
            rows = [(each["tool"], each["status"], each["error"]) for each in await ask(handle, "saga_log") or ()]
            raise AssertionError(f"{handle.id} did not end: {await ask(handle, 'status')} {rows}") from None
        except WorkflowFailureError as error:
            cause = error.cause
            if isinstance(cause, ApplicationError):
                return cause.type or ""
            return "Cancelled" if isinstance(cause, CancelledError) else type(cause).__name__

    async def reset(self, handle: Handle, summary: str) -> Handle:
        """Reset to before the activity whose summary has these words was asked for; the execution that it is now."""
        events = (await handle.fetch_history()).events
        asked = next(each for each in events if summary in _said(each))
        back_to = asked.activity_task_scheduled_event_attributes.workflow_task_completed_event_id
        request = reset_request(self.client, handle.id, handle.result_run_id, back_to, reason="a test")
        answer = await self.client.workflow_service.reset_workflow_execution(request)
        return self.run(handle.id, answer.run_id)

    async def rows(self, handle: Handle) -> list[dict[str, Any]]:
        """The saga log, as soon as somebody answers."""
        return await until(lambda: ask(handle, "saga_log"), f"the log of {handle.id}")

    async def check(self, handle: Handle, *, earlier: Rows = ()) -> dict[str, dict[str, Any]]:
        """Hold the laws against the world and replay the histories; answers the rows by tool.

        `earlier`: the rows of a branch that a reset threw away. What it did was written and approved there, before.
        """
        rows = await self.rows(handle)
        status = await until(lambda: ask(handle, "status"), f"the status of {handle.id}")
        first = {each["idempotency_key"]: each for each in [*rows, *earlier]}
        dated = [_dated(each, first[each["idempotency_key"]]) for each in rows]
        laws.check(dated, await self.effects(), run_id=handle.id, phase=status["phase"])
        await self.replay(handle)
        return {each["tool"]: each for each in rows}

    async def replay(self, handle: Handle) -> None:
        """Law 10, for the run and the reconcilers that it started."""
        replayer = Replayer(workflows=[AgentRun, Reconcile], data_converter=pydantic_data_converter)
        for history in await self.histories(handle):
            await replayer.replay_workflow(history)

    async def histories(self, handle: Handle) -> list[WorkflowHistory]:
        """The run's history, and those of its reconcilers."""
        own = await handle.fetch_history()
        return [own, *[await each.fetch_history() for each in self._children(own)]]

    async def reconciler(self, handle: Handle) -> Handle | None:
        """The run's first reconciler, once there is one."""
        return next(iter(self._children(await handle.fetch_history())), None)

    def _children(self, history: WorkflowHistory) -> list[Handle]:
        started = [each.child_workflow_execution_started_event_attributes for each in history.events]
        return [
            self.run(each.workflow_execution.workflow_id) for each in started if each.workflow_execution.workflow_id
        ]


async def ask(handle: Handle, query: str) -> Any:
    """The answer of a query; None while nobody answers."""
    try:
        return await handle.query(query, rpc_timeout=timedelta(seconds=QUERY_S))
    except (RPCError, WorkflowQueryFailedError):
        return None


def _said(event: HistoryEvent) -> str:
    """The summary of an activity; empty for every other event."""
    data = event.user_metadata.summary.data
    return str(json.loads(data)) if data and event.HasField("activity_task_scheduled_event_attributes") else ""


def _dated(row: dict[str, Any], first: dict[str, Any]) -> dict[str, Any]:
    return {**row, "created_at": first["created_at"], "approved_by": first["approved_by"] or row["approved_by"]}
