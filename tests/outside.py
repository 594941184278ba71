"""The sandbox as the fault kit's world: what a user of the kit writes for the systems of their own tools."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workers.composition import Providers
from workers.composition import readers as readers_of
from workers.composition import writers as writers_of
from workers.faultkit.world import Effect
from workers.sandbox.app import Sandbox
from workers.sandbox.faults import FaultPlan
from workers.sandbox.server import serve
from workers.settings import Settings

_BULK = {("mail", "send"), ("workspaces", "send")}


@dataclass
class SandboxWorld:
    """A `Wired` world: it can break on the wire as well."""

    sandbox: Sandbox
    writers: Providers
    readers: Providers

    async def effects(self) -> Sequence[Effect]:
        """Every effect, oldest first."""
        self.sandbox.expire()
        return [each.model_dump() for each in self.sandbox.world.effects()]

    async def clear(self) -> None:
        """No effects, keys and faults; orders and customers are fixtures and stay."""
        self.sandbox.reset()

    def set_clock(self, now: float) -> None:
        """Never back: within a test the wall clock may be ahead of the server's by the time a call took."""
        if now > self.sandbox.world.now():
            self.sandbox.world.set_clock(now)
        self.sandbox.expire()

    async def calls(self) -> Sequence[Mapping[str, Any]]:
        """Every request received."""
        return self.sandbox.world.calls()

    async def arm(self, system: str, operation: str, fault: str, times: int) -> None:
        """As POST /world/faults. A token that has expired sees nothing by any request."""
        everywhere = fault == "blind"
        plan = {"system": system, "operation": "*" if everywhere else operation, "fault": fault, "times": times}
        with self.sandbox.world.transaction():
            self.sandbox.faults.arm(FaultPlan.model_validate(plan))

    def strikes(self, fault: str, system: str, operation: str) -> bool:
        """A letter goes to several people, and so do invitations; nothing else is a bulk call."""
        return not fault.startswith("partial:") or (system, operation) in _BULK

    async def mend(self) -> None:
        """As DELETE /world/faults."""
        self.sandbox.faults.disarm()

    async def heal(self, effect: Effect) -> None:
        """As POST /world/acts: deleted by hand."""
        with self.sandbox.world.transaction():
            self.sandbox.systems[effect["system"]].act(self.sandbox.world, effect["ref"], "delete")


@asynccontextmanager
async def served(
    directory: Path, settings: Callable[[str], Settings], databases: Mapping[str, str] | None = None
) -> AsyncGenerator[SandboxWorld]:
    """The sandbox, listening, with the clients of our tools turned to it. `databases`: see `serve`."""
    async with serve(directory, databases=databases) as sandbox:
        config = settings(sandbox.url).model_copy(update={"sandbox_smtp_port": sandbox.smtp_port})
        writers, readers = writers_of(config), readers_of(config)
        try:
            yield SandboxWorld(sandbox, writers, readers)
        finally:
            for providers in (writers, readers):
                await providers.close()
