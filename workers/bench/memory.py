"""Memory of a runs worker while runs wait for approval: it follows the workflow cache, not the number of runs."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from workers.bench.bed import CACHE, Bed
from workers.bench.ground import Handle
from workers.bench.usage import resident_bytes
from workers.exits import CannotTell
from workers.house import RUNS

WAITING = 500
STOPS = (CACHE, 100, 200, 300, 400, WAITING)
"""Numbers of waiting runs at which memory is read: from as many as the cache holds to ten times that."""
AT_ONCE = 25
"""Runs started together: half of what the cache holds, so that none is thrown out while it works."""
SETTLE_S = 1.0
"""After the last run has come to wait: what was thrown out of the cache is let go in the next moments."""
LIMIT_S = 120.0
LOOK_EVERY_S = 0.1

WAIT = "SagaPhase = 'AWAITING_APPROVAL' AND ExecutionStatus = 'Running'"


@dataclass(frozen=True, kw_only=True)
class Memory:
    """Resident bytes of the process `worker runs`."""

    idle: int
    """Started, with nothing to do."""
    waiting: dict[int, int]
    """While so many runs wait, CACHE of which it may keep."""
    all_cached: int
    """A new worker whose cache holds all of them, after each was asked for its status: what they would take."""


async def measure(directory: Path) -> Memory:
    """On a bed of its own, so that nothing that was measured before has left traces in the process."""
    async with Bed(directory) as bed:
        await asyncio.sleep(SETTLE_S)
        idle = resident_bytes(bed[RUNS].pid)
        handles: list[Handle] = []
        waiting: dict[int, int] = {}
        for stop in STOPS:
            while len(handles) < stop:
                handles += await _some(bed, min(AT_ONCE, stop - len(handles)))
                await _until_waiting(bed, len(handles))
            await asyncio.sleep(SETTLE_S)
            waiting[stop] = resident_bytes(bed[RUNS].pid)
        return Memory(idle=idle, waiting=waiting, all_cached=await _woken(bed, handles, WAITING))


async def _some(bed: Bed, number: int) -> list[Handle]:
    return list(await asyncio.gather(*(bed.ground.begin("ours", "wait") for _ in range(number))))


async def _until_waiting(bed: Bed, number: int) -> None:
    end = time.monotonic() + LIMIT_S
    while True:
        if (await bed.client.count_workflows(WAIT)).count >= number:
            return
        if time.monotonic() > end:
            raise CannotTell(f"{number} runs did not come to wait within {LIMIT_S:.0f} s (their logs: {bed.logs})")
        await asyncio.sleep(LOOK_EVERY_S)


async def _woken(bed: Bed, handles: Sequence[Handle], cache: int) -> int:
    """A query replays a run that is not in memory, and leaves it there."""
    await bed.restart_runs(cache)
    few = asyncio.Semaphore(AT_ONCE)

    async def ask(handle: Handle) -> None:
        async with few:
            await handle.query("status")

    await asyncio.gather(*(ask(handle) for handle in handles))
    await asyncio.sleep(SETTLE_S)
    return resident_bytes(bed[RUNS].pid)
