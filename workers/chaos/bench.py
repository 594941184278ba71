"""The bench: one house, so many runs on it, so many at a time, and the monkey."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workers.chaos.course import Course
from workers.chaos.ending import Ended, ended
from workers.chaos.monkey import Monkey
from workers.chaos.plan import Plan, plan
from workers.chaos.site import Site
from workers.chaos.verdict import Verdict, judge
from workers.connect import connect_to
from workers.house import House
from workers.outside import Outside
from workers.settings import Settings

UNDER_WAY = 24
"""Runs at a time. Two quiet cores carry some twenty; the others wait for a worker that was killed."""
WAITING = 24
"""Slow ones beside them, which mostly wait."""

# The sandbox answers in milliseconds; a client gives up after two seconds, on a busy machine too. An undo makes four
# requests at worst. A killed worker is noticed after 5 s and a new one is up after 3 to 10: the patience is twice that.
PACE: dict[str, Any] = {"request_s": 2, "attempt_s": 8, "patience_s": 40, "index_lag_s": 2}
"""An empty search proves something only after attempt, request and lag: a dozen seconds."""
SYSTEMS = ("payments", "tickets", "mail", "warehouse")

Say = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class Result:
    """What came of it."""

    verdict: Verdict
    did: dict[str, int]
    ends: tuple[Ended, ...]


class Bench:
    """`seed` and a run's number say everything about that run."""

    def __init__(self, seed: int, numbers: Sequence[int], directory: Path, progress: Say) -> None:
        """Nothing is started yet; everything that is written is under `directory`."""
        self._seed, self._numbers, self._progress = seed, numbers, progress
        config = Settings(state_dir=directory, temporal_port=0, ui_port=0, sandbox_port=0)
        pace = {"SAGA_PACE": json.dumps(dict.fromkeys(SYSTEMS, PACE))}
        self._house = House(config, extra=pace, sandbox_only=True)
        self._slots = {False: asyncio.Semaphore(UNDER_WAY), True: asyncio.Semaphore(WAITING)}
        self._done: list[Ended] = []

    async def measure(self) -> Result:
        """Every run to its end, and what is to be said of them."""
        async with self._house, Outside(self._house.sandbox_url) as outside:
            client = await connect_to(self._house.server.address)
            site = Site(self._house, client, outside)
            since = await outside.now()
            async with site.watched(), Monkey(self._seed, site).loose():
                await self._all(site)
            verdict = judge(self._done, await outside.effects(), since=since)
        return Result(verdict=verdict, did=dict(sorted(site.did.items())), ends=tuple(self._done))

    async def _all(self, site: Site) -> None:
        """The slow ones first: they wait while the others run."""
        plans = sorted((plan(self._seed, number) for number in self._numbers), key=lambda each: not each.slow)
        async with asyncio.TaskGroup() as group:
            for each in plans:
                group.create_task(self._one(each, site))

    async def _one(self, each: Plan, site: Site) -> None:
        async with self._slots[each.slow]:
            course = Course(each, f"chaos-{self._seed}-{each.number}", site)
            about = await course.run()
            self._done.append(await ended(course, about, site.client))
        self._progress(f"{len(self._done)} of {len(self._numbers)} runs have ended")
