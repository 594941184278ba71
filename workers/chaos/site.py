"""The site: the house, its world, and what the bench counts while everybody works in it."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from temporalio.client import Client
from temporalio.service import RPCError

from workers.chaos.patience import AGAIN_S, PASSING
from workers.house import House
from workers.outside import Outside

WAITING = 'WorkflowType = "AgentRun" AND ExecutionStatus = "Running" AND SagaNeedsHuman = true'
LOOK_EVERY_S = 0.4
"""One list for all runs costs the server some milliseconds."""


@dataclass
class Site:
    """What every run and the monkey share."""

    house: House
    client: Client
    outside: Outside
    did: Counter[str] = field(default_factory=Counter[str])
    """What was done to the runs and to the house, by name."""
    bells: dict[str, asyncio.Event] = field(default_factory=dict[str, asyncio.Event])
    """Run id → rung while that run waits for a person."""

    @asynccontextmanager
    async def watched(self) -> AsyncGenerator[None]:
        """Within it the bells ring."""
        watching = asyncio.create_task(self._ring())
        try:
            yield
        finally:
            watching.cancel()
            with suppress(asyncio.CancelledError):
                await watching

    async def _ring(self) -> None:
        while True:
            try:
                async for seen in self.client.list_workflows(WAITING):
                    bell = self.bells.get(seen.id)
                    if bell is not None:
                        bell.set()
            except RPCError as error:
                if error.status not in PASSING:
                    raise
                await asyncio.sleep(AGAIN_S)
            await asyncio.sleep(LOOK_EVERY_S)
