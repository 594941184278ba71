"""The house: the embedded Temporal server, the sandbox and the three workers, as processes of this machine.

Whatever ends the block it is held open in, an exception or a Ctrl-C, nothing is left running. Its parts can be killed
and started again one by one.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Callable, Coroutine, Mapping
from types import TracebackType
from typing import Any, Self

from temporalio.client import Client

from workers import ports, settings
from workers.embedded import EmbeddedServer
from workers.exits import CannotTell
from workers.processes import Process, python
from workers.settings import LOOPBACK, Settings
from workers.worker import KINDS, READY

WORKER_READY_S = 120.0
"""A worker imports its SDKs and registers its parts in two seconds, on two cores that do much else in twenty."""
SANDBOX_READY_S = 60.0
"""Half of the imports."""

STOPPED = 128 + signal.SIGINT
"""Exit code of what somebody stopped, as shells have it."""

SERVER, SANDBOX = "temporal", "sandbox"
RUNS, TOOLS, LOOKUPS = (f"worker-{kind}" for kind in KINDS)


class House:
    """`async with House(config) as house:` starts everything and leaves it answering."""

    def __init__(self, config: Settings, *, extra: Mapping[str, str] | None = None, sandbox_only: bool = False) -> None:
        """Claims the ports of `config` (0: free ones); CannotTell where one is taken.

        `extra` goes into the environment of the workers (SAGA_PACE, say). `sandbox_only`: no real provider's setting
        reaches them.
        """
        self.config = config
        plain = settings.environment({}, sandbox_only=sandbox_only)
        self.server = EmbeddedServer(
            port=config.temporal_port, ui_port=config.ui_port, state_dir=config.state_dir, environment=plain
        )
        port = ports.claim(config.sandbox_port, what="the sandbox", setting="SAGA_SANDBOX_PORT")
        self.smtp_port = ports.free()
        self.sandbox_url = f"http://{LOOPBACK}:{port}"
        self.environment = settings.environment(
            {
                "TEMPORAL_ADDRESS": self.server.address,
                "SAGA_SANDBOX_URL": self.sandbox_url,
                "SAGA_SANDBOX_SMTP_PORT": str(self.smtp_port),
                "SAGA_STATE_DIR": str(config.state_dir),
                **(extra or {}),
            },
            sandbox_only=sandbox_only,
        )
        """What a process needs to find its way here: the workers have it, and `saga` may be given it."""
        self.parts: dict[str, Process] = {SERVER: self.server.process, SANDBOX: self._sandbox(port)}
        for kind in KINDS:
            self.parts[f"worker-{kind}"] = self._process(f"worker-{kind}", "workers.worker", kind)
        self.client: Client

    def __getitem__(self, name: str) -> Process:
        """One of its processes: SERVER, SANDBOX, RUNS, TOOLS or LOOKUPS. For its pid, its log, and for `kill()`."""
        return self.parts[name]

    async def start(self, name: str) -> None:
        """Start that part (again) and wait until it answers; CannotTell with its last words where it does not."""
        if name == SERVER:
            self.client = await self.server.start()
            return
        self.parts[name].start()
        if name == SANDBOX:
            await self.parts[name].says("sandbox on", SANDBOX_READY_S)
        else:
            await self.parts[name].says(READY, WORKER_READY_S)

    async def start_all(self) -> None:
        """Server and sandbox, then the workers."""
        await asyncio.gather(self.start(SERVER), self.start(SANDBOX))
        await asyncio.gather(*(self.start(name) for name in (RUNS, TOOLS, LOOKUPS)))

    def stop_all(self) -> None:
        """The workers first, so that what they have under way can still be told to the server."""
        workers = [self.parts[name] for name in (RUNS, TOOLS, LOOKUPS)]
        for process in workers:
            process.ask_to_stop()
        for process in [*workers, self.parts[SANDBOX], self.parts[SERVER]]:
            process.stop()

    async def __aenter__(self) -> Self:
        try:
            await self.start_all()
        except BaseException:
            self.stop_all()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop_all()

    def _sandbox(self, port: int) -> Process:
        directory = str(self.config.state_dir / "sandbox")
        return self._process(
            SANDBOX,
            "workers.sandbox",
            *("--port", str(port), "--smtp-port", str(self.smtp_port), "--dir", directory),
        )

    def _process(self, name: str, module: str, *arguments: str) -> Process:
        return Process(name, python(module, *arguments), state_dir=self.config.state_dir, environment=self.environment)


def live(story: Callable[[], Coroutine[Any, Any, int]]) -> int:
    """Run `story` to its end, or to the first Ctrl-C, SIGTERM or closed terminal; its exit code, or STOPPED.

    The signal cancels the story, which unwinds through its `async with` blocks; further ones change nothing, so an
    impatient second Ctrl-C leaves no process behind.
    """

    async def main() -> int:
        task = asyncio.ensure_future(story())
        for sign in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(sign, _once(task))
        try:
            return await task
        except asyncio.CancelledError:
            return STOPPED

    return asyncio.run(main())


def _once(task: asyncio.Future[int]) -> Callable[[], None]:
    asked = False

    def stop() -> None:
        nonlocal asked
        if not asked:
            asked = True
            task.cancel()

    return stop


async def watched(house: House, say: Callable[[str], None], *, every_s: float = 1.0) -> None:
    """Start again whatever somebody kills, saying so; CannotTell with its last words where it will not stay up."""
    while True:
        await asyncio.sleep(every_s)
        for name, process in house.parts.items():
            if not process.running:
                gone = process.pid
                with contextlib.suppress(KeyError):
                    await house.start(name)
                if not process.running:
                    raise CannotTell(f"{name} does not stay up (its log: {process.log})")
                say(f"{name} (pid {gone}) was gone; started again as pid {process.pid}")
