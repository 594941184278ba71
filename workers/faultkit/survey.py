"""What a verb of a tool is on the wire: found by running its plan once without a fault, never written by hand."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from activities.sending import build_call
from saga.doors import FindOrder
from saga.row import Half, Row
from saga.tool import Upstream
from workers.faultkit.interceptors import Moment
from workers.faultkit.laboratory import Laboratory
from workers.faultkit.world import Wired

Place = tuple[str, str]
"""(system, operation)"""

SAFE = ("GET", "HEAD")


@dataclass
class Wire:
    """The operations of one half, in order: those that write, those that are read before, those that look it up."""

    writes: list[Place] = field(default_factory=list[Place])
    reads: list[Place] = field(default_factory=list[Place])
    looks: list[Place] = field(default_factory=list[Place])


class Survey:
    """Watches runs of one plan, one attempt after the other, and keeps what each sent."""

    def __init__(self, lab: Laboratory) -> None:
        """Nothing is known yet."""
        self._lab = lab
        self._turn = asyncio.Lock()
        self.halves: dict[tuple[str, Half], Wire] = {}
        """(tool of the row, half) → what it is on the wire."""
        self.steps: dict[str, int] = {}
        """Tool of the row → its step."""
        self.commits: list[str] = []
        """The tools that an approval ran, in the order in which they were sent."""

    @asynccontextmanager
    async def around(self, moment: Moment) -> AsyncGenerator[None]:
        """Undisturbed by others, so that what is sent meanwhile is this attempt's."""
        async with self._turn:
            before = len(await self._calls())
            self.steps.setdefault(moment.row.tool, moment.row.step_idx)
            yield
            calls = (await self._calls())[before:]
        if moment.door == "find":
            return
        wire = self.halves.setdefault((moment.row.tool, moment.half), Wire())
        for call in calls:
            _note(wire.reads if call["method"] in SAFE else wire.writes, call)
        if moment.row.behind_pivot and moment.row.tool not in self.commits:
            self.commits.append(moment.row.tool)

    async def look(self, rows: Sequence[Any]) -> None:
        """Look every half up once, as the door `find` does."""
        whole = [Row.model_validate(each) for each in rows]
        for row in whole:
            upstream = tuple(
                Upstream(tool=each.tool, key=each.idempotency_key, external_ref=each.external_ref)
                for each in (whole[idx] for idx in row.depends_on)
                if each.external_ref is not None
            )
            if row.attempts:
                await self._look_up(row, "call", upstream)
            if row.compensation and row.compensation.status:
                await self._look_up(row, "compensation", upstream)

    async def _look_up(self, row: Row, which: Half, upstream: tuple[Upstream, ...]) -> None:
        counter = row.compensation.tool if row.compensation else ""
        half = self._lab.registry.half(row.tool, which, counter)
        if half.find is None:
            return
        order = FindOrder(row=row, half=which, upstream=upstream, since=row.created_at)
        before = len(await self._calls())
        await half.find(self._lab.outside.readers[half.system], build_call(half, order, which))
        for call in (await self._calls())[before:]:
            _note(self.halves.setdefault((row.tool, which), Wire()).looks, call)

    async def _calls(self) -> Sequence[Any]:
        """Nothing is to be seen of a world without a wire; the order of the commits is."""
        return await self._lab.outside.calls() if isinstance(self._lab.outside, Wired) else ()


Surveys = dict[tuple[Any, ...], Survey]
"""By plan."""


def _note(places: list[Place], call: Any) -> None:
    place = (call["system"], call["operation"])
    if place not in places:
        places.append(place)
