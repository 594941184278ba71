"""The monkey: kills what the house is made of, starts it again, and makes the outside world worse for a while."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from random import Random

from workers.chaos.site import Site
from workers.exits import CannotTell
from workers.house import LOOKUPS, RUNS, SERVER, TOOLS

KILLS: tuple[tuple[tuple[str, ...], int], ...] = (
    ((TOOLS,), 6),
    ((LOOKUPS,), 3),
    ((RUNS,), 4),
    ((TOOLS, LOOKUPS), 1),
    ((RUNS, TOOLS), 1),
    ((RUNS, TOOLS, LOOKUPS), 1),
    ((SERVER,), 2),
)
"""What is killed together, and how often."""
WORLDWIDE: tuple[tuple[str, ...], ...] = (
    ("tickets", "*", "outage:3"),
    ("payments", "*", "outage:2"),
    ("mail", "*", "outage:3"),
    ("warehouse", "*", "outage:3"),
    ("orders", "*", "outage:2"),
    ("tickets", "search", "lag:2"),
    ("payments", "search", "lag:2"),
    ("mail", "search", "lag:1"),
    ("warehouse", "search", "lag:2"),
    ("tickets", "*", "blind"),
    ("payments", "*", "blind"),
    ("mail", "*", "blind"),
    ("warehouse", "*", "blind"),
    ("payments", "*", "forget_keys:90"),
    ("mail", "*", "forget_keys:90"),
)
"""A lag is never longer than what the tools are told of it, and no key is forgotten while it may still be sent."""

BETWEEN_S = (2.0, 7.0)
"""From one blow to the next. A worker is up again after three seconds of work on both cores."""
DOWN_S = (0.0, 4.0)
"""How long what was killed stays away."""
WORSE_S = (2.0, 5.0)
"""How long the world is worse for everybody."""


class Monkey:
    """One sequence of blows, drawn from the seed; when each of them falls depends on the machine."""

    def __init__(self, seed: int, site: Site) -> None:
        """It has not begun."""
        self._draw, self._site = Random(f"{seed}/monkey"), site

    @asynccontextmanager
    async def loose(self) -> AsyncGenerator[None]:
        """Within it the monkey works. Afterwards everything is up again, and nothing is armed for everybody."""
        work = asyncio.create_task(self._rampage())
        try:
            yield
        finally:
            work.cancel()
            with suppress(asyncio.CancelledError):
                await work
            for name, process in self._site.house.parts.items():
                if not process.running:
                    await self._site.house.start(name)
            for _, _, fault in WORLDWIDE:
                await self._site.outside.disarm(fault=fault)

    async def _rampage(self) -> None:
        took_s = 0.0
        while True:
            # Up for at least as long as it was down: on a busy machine a worker takes long to start.
            await asyncio.sleep(max(self._draw.uniform(*BETWEEN_S), took_s))
            began = time.monotonic()
            if self._draw.random() < 0.7:
                names = self._draw.choices([each for each, _ in KILLS], [weight for _, weight in KILLS])[0]
                await self._kill(names, self._draw.uniform(*DOWN_S))
            else:
                await self._worsen(self._draw.choice(WORLDWIDE), self._draw.uniform(*WORSE_S))
            took_s = time.monotonic() - began

    async def _kill(self, names: tuple[str, ...], down_s: float) -> None:
        for name in names:
            self._site.house[name].kill()
            self._site.did[f"killed: {name}"] += 1
        await asyncio.sleep(down_s)
        await asyncio.gather(*(self._start(name) for name in names))

    async def _start(self, name: str) -> None:
        """Again where it did not come up: a worker that meets a server just killed may give up."""
        for last in (False, False, True):
            try:
                await self._site.house.start(name)
                return
            except CannotTell:
                if last:
                    raise

    async def _worsen(self, trouble: tuple[str, ...], lasts_s: float) -> None:
        system, operation, fault = trouble
        await self._site.outside.arm(system, operation, fault, run_id=None)
        self._site.did[f"for everybody: {system} {fault.partition(':')[0]}"] += 1
        await asyncio.sleep(lasts_s)
        await self._site.outside.disarm(system=system, fault=fault, run="None")
