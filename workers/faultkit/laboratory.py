"""A laboratory: one time-skipping Temporal server, a world, and the three workers, in one process.

The world's clock follows the server's. One run at a time (two hang a time-skipping server); each ends by `check`, which
holds the laws against the world.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from temporalio.api.operatorservice.v1 import AddSearchAttributesRequest
from temporalio.client import WorkflowFailureError, WorkflowHandle, WorkflowHistory
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.exceptions import ApplicationError, CancelledError
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import Replayer, UnsandboxedWorkflowRunner, Worker, WorkflowRunner
from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner

from saga.registry import Registry
from workers.attributes import ATTRIBUTES, ensure
from workers.doors import Doors, for_lookups, for_runs, for_tools
from workers.exits import CannotTell
from workers.faultkit import laws
from workers.faultkit.interceptors import YEAR_S, Attendant, OneQuery
from workers.faultkit.world import World
from workers.history import ENDED, replayed
from workflows.agent_run import AgentRun
from workflows.options import LOOKUPS, RUNS, TOOLS
from workflows.reconcile import Reconcile

Handle = WorkflowHandle[Any, Any]
Rows = list[dict[str, Any]]
DEADLOCK_S = 30
"""A workflow task that takes as long does hang."""


@dataclass
class Laboratory:
    """What a test holds."""

    env: WorkflowEnvironment
    outside: World
    registry: Registry
    attendant: Attendant
    hire: Callable[[str], Worker]
    """Makes a worker of that queue."""
    runner: WorkflowRunner
    hired: dict[str, AsyncExitStack] = field(default_factory=dict[str, AsyncExitStack])

    async def begin_work(self, queue: str) -> None:
        """A worker of that queue starts."""
        self.hired[queue] = AsyncExitStack()
        await self.hired[queue].enter_async_context(self.hire(queue))

    async def end_work(self, queue: str) -> None:
        """The worker of that queue stops, once what it does is done; nobody else takes its tasks."""
        await self.hired.pop(queue).aclose()

    async def begin(self, run_id: str, **request: Any) -> Handle:
        """Start a run; `request` is the RunRequest, field by field."""
        whole = {"requested_by": "ann", **request}
        return await self.env.client.start_workflow("AgentRun", whole, id=run_id, task_queue=RUNS)

    async def until(self, handle: Handle, true: Callable[[dict[str, Any]], bool], *, limit_s: int = 3600) -> Any:
        """Skip time, by seconds and then by longer steps, until the status is as asked; answers it."""
        waited = 0
        while not true(status := await handle.query("status")):
            if waited > limit_s or status["phase"] in laws.CLOSED:
                raise laws.Broken(f"never came to be: {status}")
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

    async def rows(self, handle: Handle) -> Rows:
        """The saga log."""
        return await handle.query("saga_log")

    async def effects(self, **equals: Any) -> list[dict[str, Any]]:
        """What the world holds by now."""
        await self.follow()
        effects = [dict(each) for each in await self.outside.effects()]
        return [each for each in effects if all(each[name] == value for name, value in equals.items())]

    async def follow(self) -> None:
        """Let happen in the world what the server's clock has reached."""
        # Once a run has closed, nothing is left to wait for but its execution's time-out, ten years later.
        self.attendant.reach(await self.env.get_current_time(), within_s=YEAR_S)

    async def check(self, handle: Handle, *, kept: bool = False) -> Rows:
        """Hold the laws against the world, and replay the history; answers the rows."""
        rows, _ = await self.judged(handle, kept=kept)
        return rows

    async def judged(self, handle: Handle, *, kept: bool = False) -> tuple[Rows, list[dict[str, Any]]]:
        """As `check`; answers the rows and all that the world holds."""
        history = await handle.fetch_history()
        ended = history.events[-1].event_type in ENDED
        if ended:
            rows, phase = await told_by(history)
        else:
            rows, phase = await self.rows(handle), (await handle.query("status"))["phase"]
        effects = await self.effects()
        laws.check(rows, effects, run_id=handle.id, phase=phase, kept=kept)
        if not ended or not isinstance(self.runner, UnsandboxedWorkflowRunner):
            await replay(handle, self.runner)
        return rows, effects


async def told_by(history: WorkflowHistory) -> tuple[Rows, str]:
    """Rows and phase of a run that has ended, told by its replay: law 10 holds, or Broken is raised.

    Nobody keeps in memory a run that has ended: every query to it would be one more replay of the whole.
    """
    try:
        rows, phase = await replayed(
            history,
            lambda ask: (ask("saga_log"), ask("status")["phase"]),
            workflows=[AgentRun, Reconcile],
        )
    except CannotTell as error:
        raise laws.Broken(f"run {history.workflow_id}:\n  law 10: {error}") from error
    if rows and phase not in laws.CLOSED:
        raise laws.Broken(f"run {history.workflow_id}:\n  law 10: it has ended, and its replay is in {phase}")
    return rows, phase


async def replay(handle: Handle, runner: WorkflowRunner | None = None) -> None:
    """Law 10: the history replays."""
    replayer = Replayer(
        workflows=[AgentRun, Reconcile],
        data_converter=pydantic_data_converter,
        workflow_runner=runner or SandboxedWorkflowRunner(),
    )
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
async def opened(
    registry: Registry,
    world: World,
    model_of: Callable[[str], Any],
    *,
    environment: Callable[[], Awaitable[WorkflowEnvironment]] = skipping,
    inject: bool = False,
    quick: bool = False,
) -> AsyncGenerator[Laboratory]:
    """Server and workers around that world, for as long as it is held.

    `inject`: runs may ask for faults at the doors. `quick`: runs are kept in memory between their tasks, and outside
    Temporal's own sandbox of workflow code; without, every task is a replay.
    """
    async with AsyncExitStack() as stack:
        env = await stack.enter_async_context(await environment())
        attendant = Attendant(world.set_clock)
        runner = UnsandboxedWorkflowRunner() if quick else SandboxedWorkflowRunner()
        doors = doors_of(registry, world, model_of, inject=inject)
        hire = _hirer(env, doors, interceptors=[attendant], workflow_runner=runner, max_cached_workflows=50 * quick)
        lab = Laboratory(env, world, registry, attendant, hire, runner)
        try:
            for queue in (RUNS, TOOLS, LOOKUPS):
                await lab.begin_work(queue)
            yield lab
        finally:
            for queue in list(lab.hired):
                await lab.end_work(queue)


def doors_of(registry: Registry, world: World, model_of: Callable[[str], Any], *, inject: bool) -> Mapping[str, Doors]:
    """The doors by queue, each with the credentials that are its own."""
    return {
        RUNS: for_runs(registry, model_of, inject=inject),
        TOOLS: for_tools(registry, world.writers, inject=inject),
        LOOKUPS: for_lookups(registry, world.readers, inject=inject),
    }


def _hirer(env: WorkflowEnvironment, doors: Mapping[str, Doors], **options: Any) -> Callable[[str], Worker]:
    def hire(queue: str) -> Worker:
        workflows = [AgentRun, Reconcile] if queue == RUNS else []
        worker = Worker(env.client, task_queue=queue, workflows=workflows, activities=doors[queue], **options)
        # Two seconds of a busy machine are no deadlock; debug_mode would take the workflow sandbox away as well.
        if worker._workflow_worker is not None:  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
            worker._workflow_worker._deadlock_timeout_seconds = DEADLOCK_S  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
        return worker

    return hire
