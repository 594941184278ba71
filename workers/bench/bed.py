"""The bed: server, sandbox and the bench's three workers, as processes, and a ground on them."""

from __future__ import annotations

from pathlib import Path
from typing import Self

from workers.bench.ground import Ground, Spent
from workers.bench.usage import cpu_s
from workers.house import LOOKUPS, RUNS, SERVER, TOOLS, House
from workers.processes import Process, python
from workers.settings import Settings
from workers.worker import KINDS

CACHE = 50
"""Runs in a worker's memory, for the whole bench: so few that 500 waiting ones are ten times as many."""


class Bed(House):
    """`async with Bed(directory) as bed:` has everything running, on free ports and with no real provider in reach."""

    ground: Ground

    def __init__(self, directory: Path) -> None:
        """Everything it writes is under `directory`."""
        config = Settings(state_dir=directory, temporal_port=0, ui_port=0, sandbox_port=0)
        super().__init__(config, sandbox_only=True)
        for kind in KINDS:
            self.parts[f"worker-{kind}"] = self._worker(kind, CACHE)

    async def __aenter__(self) -> Self:
        await super().__aenter__()
        self.ground = Ground(self.client, self.sandbox_url, self._spent)
        return self

    @property
    def logs(self) -> Path:
        """Where its processes write."""
        return self.config.state_dir / "logs"

    async def restart_runs(self, cache: int) -> None:
        """A new process in place of the runs worker, keeping so many runs in memory."""
        self[RUNS].stop()
        self.parts[RUNS] = self._worker("runs", cache)
        await self.start(RUNS)

    def _worker(self, kind: str, cache: int) -> Process:
        return Process(
            f"worker-{kind}",
            python("workers.bench.worker", kind),
            state_dir=self.config.state_dir,
            environment={**self.environment, "SAGA_MAX_CACHED_WORKFLOWS": str(cache)},
        )

    def _spent(self) -> Spent:
        workers = sum(cpu_s(self[name].pid) for name in (RUNS, TOOLS, LOOKUPS))
        return Spent(workers_s=workers, server_s=cpu_s(self[SERVER].pid))
