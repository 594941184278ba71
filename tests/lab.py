"""A laboratory: one time-skipping Temporal server, the sandbox, and the three workers, in the test's own process.

The workflow cache is off, so that every workflow task is a replay. The world's clock follows the server's. One run at
a time (two hang a time-skipping server); each ends by `check`, which holds the laws against the world.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from temporalio.api.operatorservice.v1 import AddSearchAttributesRequest
from temporalio.client import WorkflowFailureError, WorkflowHandle
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.exceptions import ApplicationError, CancelledError
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import Replayer, Worker

from activities.admit import Admit
from activities.find import Find
from activities.perform import Perform
from activities.propose import Propose
from activities.read import Read
from compensations.door import Compensate
from saga.registry import Registry
from tests import laws
from tests.interceptors import FollowingClock, OneQuery
from workers.attributes import ATTRIBUTES, ensure
from workers.composition import model_of as known_models
from workers.composition import readers as readers_of
from workers.composition import registry as whole_registry
from workers.composition import writers as writers_of
from workers.sandbox.app import Sandbox
from workers.sandbox.server import serve
from workers.settings import Settings
from workflows.agent_run import AgentRun
from workflows.options import LOOKUPS, RUNS, TOOLS
from workflows.reconcile import Reconcile

Handle = WorkflowHandle[Any, Any]
YEAR_S = 365 * 86_400
DEADLOCK_S = 30
"""A workflow task that takes as long does hang."""


def fast(url: str) -> Settings:
    """Every tool at a pace for tests: requests take milliseconds, and what waits longer waits in skipped time."""
    return Settings(sandbox_url=url, request_s=2.0, attempt_s=4.0, patience_s=60.0, tries=3, index_lag_s=2.0)


@dataclass
class Lab:
    """What a test holds."""

    env: WorkflowEnvironment
    sandbox: Sandbox
    registry: Registry
    world: httpx.AsyncClient
    hire: Callable[[str], Worker]
    """Makes a worker of that queue."""
    hired: dict[str, AsyncExitStack] = field(default_factory=dict[str, AsyncExitStack])

    async def begin_work(self, queue: str) -> None:
        """A worker of that queue starts."""
        self.hired[queue] = AsyncExitStack()
        await self.hired[queue].enter_async_context(self.hire(queue))

    async def end_work(self, queue: str) -> None:
        """The worker of that queue stops, once what it does is done; nobody else takes its tasks."""
        await self.hired.pop(queue).aclose()

    async def start(self, run_id: str, model: str = "scripted:refund", **request: Any) -> Handle:
        """Start a refund run of order 1182, asked for by ann; `request` overrides fields of the RunRequest."""
        whole = {
            "agent": "refund",
            "request": {"order_id": "1182", "customer_id": "cus_1182", "receipt": False},
            "requested_by": "ann",
            "model": model,
            **request,
        }
        return await self.env.client.start_workflow("AgentRun", whole, id=run_id, task_queue=RUNS)

    async def until(self, handle: Handle, true: Callable[[dict[str, Any]], bool], *, limit_s: int = 3600) -> Any:
        """Skip time, by seconds and then by longer steps, until the status is as asked; answers it."""
        waited = 0
        while not true(status := await handle.query("status")):
            if waited > limit_s:
                raise AssertionError(f"never came to be: {status}")
            step = max(1, min(waited // 5, 60))
            waited += step
            await self.env.sleep(step)
        return status

    async def proposal(self, handle: Handle) -> dict[str, Any]:
        """The proposal, once the run awaits approval."""
        await self.until(handle, lambda status: status["deadline"] is not None)
        return await handle.query("proposal")

    async def decide(self, handle: Handle, decision: str, by: str = "bob", **more: Any) -> Any:
        """Decide on what stands now."""
        proposal = await self.proposal(handle)
        payload = {"decision": decision, "digest": proposal["digest"], "by": by, **more}
        return await handle.execute_update("decide_pivot", payload)

    async def end(self, handle: Handle) -> str:
        """How the run closed: COMMITTED, the failure's type, or Cancelled."""
        try:
            return (await handle.result())["phase"]
        except WorkflowFailureError as error:
            cause = error.cause
            if isinstance(cause, ApplicationError):
                return cause.type or ""
            return "Cancelled" if isinstance(cause, CancelledError) else type(cause).__name__

    async def rows(self, handle: Handle) -> list[dict[str, Any]]:
        """The saga log."""
        return await handle.query("saga_log")

    async def effects(self, **equals: Any) -> list[dict[str, Any]]:
        """What the world holds by now."""
        await self.follow()
        effects = (await self.world.get("/world/effects")).json()
        return [each for each in effects if all(each[name] == value for name, value in equals.items())]

    async def calls(self, **equals: Any) -> list[dict[str, Any]]:
        """What the world was asked."""
        calls = (await self.world.get("/world/calls")).json()
        return [each for each in calls if all(each[name] == value for name, value in equals.items())]

    async def fault(self, system: str, operation: str, fault: str, **more: Any) -> None:
        """Arm a fault."""
        body = {"system": system, "operation": operation, "fault": fault, **more}
        (await self.world.post("/world/faults", json=body)).raise_for_status()

    async def mend(self) -> None:
        """Disarm all faults."""
        (await self.world.delete("/world/faults")).raise_for_status()

    async def act(self, system: str, ref: str, act: str) -> None:
        """What a person or a provider does."""
        await self.follow()
        (await self.world.post("/world/acts", json={"system": system, "ref": ref, "act": act})).raise_for_status()

    async def follow(self) -> None:
        """Let happen in the world what the server's clock has reached."""
        now = (await self.env.get_current_time()).timestamp()
        # Once a run has closed, nothing is left to wait for but its execution's time-out, ten years later.
        if self.sandbox.world.now() < now < self.sandbox.world.now() + YEAR_S:
            self.sandbox.world.set_clock(now)
        self.sandbox.expire()

    async def check(self, handle: Handle, *, kept: bool = False) -> list[dict[str, Any]]:
        """Hold the laws against the world, and replay the history; answers the rows."""
        rows, status = await self.rows(handle), await handle.query("status")
        laws.check(rows, await self.effects(), run_id=handle.id, phase=status["phase"], kept=kept)
        await replay(handle)
        return rows


async def replay(handle: Handle) -> None:
    """Law 10: the history replays."""
    replayer = Replayer(workflows=[AgentRun, Reconcile], data_converter=pydantic_data_converter)
    await replayer.replay_workflow(await handle.fetch_history())


async def skipping() -> WorkflowEnvironment:
    """A time-skipping test server."""
    env = await WorkflowEnvironment.start_time_skipping(
        test_server_existing_path=str(Path(sys.executable).with_name("temporal-test-server")),
        data_converter=pydantic_data_converter,
        interceptors=[OneQuery()],
    )
    await env.client.operator_service.add_search_attributes(
        AddSearchAttributesRequest(namespace="default", search_attributes=ATTRIBUTES)
    )
    return env


async def embedded() -> WorkflowEnvironment:
    """The server that `make up` starts, in real time: for what the test server cannot do."""
    env = await WorkflowEnvironment.start_local(
        dev_server_existing_path=str(Path(sys.executable).with_name("temporal")),
        data_converter=pydantic_data_converter,
        dev_server_log_level="error",
    )
    await ensure(env.client)
    return env


@asynccontextmanager
async def laboratory(
    directory: Path,
    registry: Registry | None = None,
    model_of: Callable[[str], Any] = known_models,
    settings: Callable[[str], Settings] = fast,
    environment: Callable[[], Awaitable[WorkflowEnvironment]] = skipping,
) -> AsyncGenerator[Lab]:
    """Everything, for as long as the test holds it."""
    async with AsyncExitStack() as stack:
        sandbox = await stack.enter_async_context(serve(directory / "sandbox"))
        config = settings(sandbox.url).model_copy(update={"sandbox_smtp_port": sandbox.smtp_port})
        parts = registry or whole_registry(config)
        env = await stack.enter_async_context(await environment())
        writers, readers, inject = writers_of(config), readers_of(config), config.fault_injection
        doors = {
            RUNS: [Admit(parts, model_of, inject=inject).admit, Propose(parts, model_of).propose, Read(parts, {}).read],
            TOOLS: [
                Perform(parts, writers, inject=inject).perform,
                Compensate(parts, writers, inject=inject).compensate,
            ],
            LOOKUPS: [Find(parts, readers, inject=inject).find, Read(parts, readers).read],
        }

        hire = _hirer(env, doors, FollowingClock(sandbox))
        world = await stack.enter_async_context(httpx.AsyncClient(base_url=sandbox.url, timeout=10))
        lab = Lab(env=env, sandbox=sandbox, registry=parts, world=world, hire=hire)
        for queue in doors:
            await lab.begin_work(queue)
        try:
            yield lab
        finally:
            for queue in list(lab.hired):
                await lab.end_work(queue)
            for providers in (writers, readers):
                await providers.close()


def _hirer(
    env: WorkflowEnvironment, doors: Mapping[str, Sequence[Callable[..., Any]]], clock: FollowingClock
) -> Callable[[str], Worker]:
    def hire(queue: str) -> Worker:
        worker = Worker(
            env.client,
            task_queue=queue,
            workflows=[AgentRun, Reconcile] if queue == RUNS else [],
            activities=doors[queue],
            max_cached_workflows=0,
            interceptors=[clock],
        )
        # Two seconds of a busy machine are no deadlock; debug_mode would take the workflow sandbox away as well.
        if worker._workflow_worker is not None:
            worker._workflow_worker._deadlock_timeout_seconds = DEADLOCK_S
        return worker

    return hire
