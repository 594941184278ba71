"""The laboratory of the fault kit around the sandbox, as most tests of workflows hold it.

The workflow cache is off, so that every workflow task is a replay. One run at a time (two hang a time-skipping server);
each ends by `check`, which holds the laws against the world.
"""

from __future__ import annotations

import dataclasses
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from temporalio.testing import WorkflowEnvironment

from activities.providers.trust import trust
from saga.registry import Registry
from tests.outside import SandboxWorld, served
from workers.composition import model_of as known_models
from workers.composition import registry as whole_registry
from workers.faultkit.laboratory import Handle, Laboratory, embedded, opened, replay, skipping
from workers.sandbox.app import Sandbox
from workers.settings import Settings

__all__ = ["Handle", "Lab", "embedded", "fast", "laboratory", "replay", "skipping"]


def fast(url: str) -> Settings:
    """Every tool at a pace for tests: requests take milliseconds, and what waits longer waits in skipped time."""
    return Settings(sandbox_url=url, request_s=2.0, attempt_s=4.0, patience_s=60.0, tries=3, index_lag_s=2.0)


@dataclass(kw_only=True)
class Lab(Laboratory):
    """What a test holds: the kit's laboratory, and the sandbox's own controls."""

    sandbox: Sandbox
    world: httpx.AsyncClient

    async def start(self, run_id: str, model: str = "scripted:refund", **request: Any) -> Handle:
        """Start a refund run of order 1182, asked for by ann; `request` overrides fields of the RunRequest."""
        order = {"order_id": "1182", "customer_id": "cus_1182", "receipt": False}
        return await self.begin(run_id, **{"agent": "refund", "request": order, "model": model, **request})

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
        outside: SandboxWorld = await stack.enter_async_context(served(directory / "sandbox", settings))
        config = settings(outside.sandbox.url)
        parts, inject = registry or whole_registry(config), config.fault_injection
        made = await stack.enter_async_context(opened(parts, outside, model_of, environment=environment, inject=inject))
        world = await stack.enter_async_context(
            httpx.AsyncClient(base_url=outside.sandbox.url, timeout=10, verify=trust())
        )
        own = {each.name: getattr(made, each.name) for each in dataclasses.fields(Laboratory)}
        yield Lab(**own, sandbox=outside.sandbox, world=world)
