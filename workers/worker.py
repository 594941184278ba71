"""A worker process: one task queue, and only the credentials that its queue needs.

`runs` has workflows, models and no provider at all; `tools` may write; `lookups` can only read.
Runs as `saga worker KIND`, and as `python -m workers.worker KIND` where the pid must be the worker's own.
"""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Literal, get_args

from temporalio.client import Client
from temporalio.service import RPCError
from temporalio.worker import Worker

from saga.errors import SagaError
from workers import attributes, composition, doors, settings
from workers.connect import connect
from workers.doors import Doors
from workers.exits import BAD_INPUT, CannotTell, judged, leave
from workers.settings import Settings
from workflows.agent_run import AgentRun
from workflows.options import LOOKUPS, RUNS, TOOLS
from workflows.reconcile import Reconcile

Kind = Literal["runs", "tools", "lookups"]
KINDS: tuple[Kind, ...] = get_args(Kind)

READY = "ready on task queue"
"""What a worker says once it has begun to ask the server for work."""

GRACE = timedelta(seconds=45)
"""At SIGTERM attempts under way may end: longer than a request that is answered at all (20 s), shorter than the minute
after which containers are killed. One that is cut off leaves its row UNKNOWN, and the next worker finds out."""

BEAT = timedelta(seconds=1)
"""As often as attempts beat; left alone the SDK holds beats back for four of the five seconds of their time-out."""

TRY_AGAIN_S = 1.0
"""Until there is a server. It starts in less."""


async def run(kind: Kind, config: Settings, make: Make) -> None:
    """Work until SIGTERM or SIGINT, then let what is under way end. Waits for the server, saying so once.

    `make` gives the parts, as soon as there is a server to use them with.
    """
    stop = asyncio.Event()
    for sign in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(sign, stop.set)
    client = await _patiently(config, kind, stop)
    if client is None:
        return
    if kind == "runs":
        await attributes.ensure(client)
    parts = make(config)
    async with build(client, config, parts):
        print(f"worker {kind}: {READY} {parts.queue} of {config.temporal().get('target_host')}", flush=True)
        await stop.wait()  # an error that the worker cannot live with is raised here
    if parts.providers is not None:
        await parts.providers.close()
    print(f"worker {kind}: stopped", flush=True)


@dataclass(frozen=True, kw_only=True)
class Parts:
    """What one kind of worker works on, and with."""

    queue: str
    workflows: Sequence[type] = ()
    doors: Doors = ()
    providers: composition.Providers | None = None


Make = Callable[[Settings], Parts]


def build(client: Client, config: Settings, parts: Parts) -> Worker:
    """The worker of these parts, not yet running."""
    return Worker(
        client,
        task_queue=parts.queue,
        workflows=parts.workflows,
        activities=parts.doors,
        max_cached_workflows=config.max_cached_workflows,
        graceful_shutdown_timeout=GRACE,
        max_heartbeat_throttle_interval=BEAT,
    )


def _runs(config: Settings) -> Parts:
    registry, inject = composition.registry(config), config.fault_injection
    behind = doors.for_runs(registry, composition.model_of, inject=inject)
    return Parts(queue=RUNS, workflows=(AgentRun, Reconcile), doors=behind)


def _tools(config: Settings) -> Parts:
    registry, writers = composition.registry(config), composition.writers(config)
    behind = doors.for_tools(registry, writers, inject=config.fault_injection)
    return Parts(queue=TOOLS, doors=behind, providers=writers)


def _lookups(config: Settings) -> Parts:
    registry, readers = composition.registry(config), composition.readers(config)
    behind = doors.for_lookups(registry, readers, inject=config.fault_injection)
    return Parts(queue=LOOKUPS, doors=behind, providers=readers)


PARTS: Mapping[Kind, Make] = {"runs": _runs, "tools": _tools, "lookups": _lookups}
"""What gives the parts of each kind of worker."""


async def _patiently(config: Settings, kind: Kind, stop: asyncio.Event) -> Client | None:
    """The client, as soon as there is a server; None where we are told to stop before."""
    said = False
    while not stop.is_set():
        try:
            return await connect(config, identity=f"saga worker {kind}")
        except CannotTell as error:
            if not said:
                print(f"worker {kind}: {error} Waiting for it.", flush=True)
                said = True
        await _within(stop.wait(), TRY_AGAIN_S)
    return None


async def _within(coroutine: Any, seconds: float) -> None:
    try:
        await asyncio.wait_for(coroutine, seconds)
    except TimeoutError:
        return


def main(arguments: Sequence[str], *, parts: Mapping[Kind, Make] = PARTS) -> int:
    """The exit code of a worker process, whose `parts` may be other ones than the product's."""
    if len(arguments) != 1 or arguments[0] not in KINDS:
        print(f"usage: python -m workers.worker {'|'.join(KINDS)}", file=sys.stderr)
        return BAD_INPUT
    try:
        config = settings.read()
        logging.basicConfig(level=config.log_level.upper(), format="%(asctime)s %(levelname)s %(name)s %(message)s")
        asyncio.run(run(arguments[0], config, parts[arguments[0]]))
    except (SagaError, RPCError, RuntimeError) as error:  # the last is how the core says that it cannot work
        code, text = judged(error)
        print(f"worker {arguments[0]}: {text}", file=sys.stderr)
        return code
    return 0


if __name__ == "__main__":
    leave(main(sys.argv[1:]))
