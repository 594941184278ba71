"""A station: one laboratory on which the cells of a matrix are run, one after another, each on a world made new."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any

from temporalio.service import RPCError

from workers.faultkit.cell import Cell, cells
from workers.faultkit.course import APPROVAL_S, Course
from workers.faultkit.expectation import Outcome, agreement, differences, expected
from workers.faultkit.kit import Kit
from workers.faultkit.laboratory import Handle, Laboratory
from workers.faultkit.laws import Broken
from workers.faultkit.plan import Plans
from workers.faultkit.striking import Striking
from workers.faultkit.survey import Survey, Surveys, Wire
from workers.faultkit.target import Target
from workers.faultkit.world import Wired

PATIENCE_S = 60
"""Real seconds for one cell. Most take half of one; those that wait for a client to give up, a few."""


@dataclass
class Station:
    """Runs cells, one at a time."""

    kit: Kit
    lab: Laboratory
    plans: Plans
    name: str
    surveys: Surveys
    """Shared by the stations of a pool."""
    _count: int = 0

    async def cells(self, target: Target) -> list[Cell]:
        """The cells of that target."""
        survey = await self._survey(target)
        world = self.lab.outside if isinstance(self.lab.outside, Wired) else None
        return cells(target, self._wire(target, survey), world)

    async def run(self, cell: Cell) -> bool:
        """Run it; Broken says what came otherwise than it must have. False: the fault met nothing, so nothing is shown.

        A provider that remembers what it read, say, does not read it again.
        """
        target, survey = cell.target, await self._survey(cell.target)
        tool = self.kit.half(target)
        striking = Striking(cell, tool, survey, self.lab.outside)
        self.lab.attendant.around = striking.around
        try:
            seen = await self._play(target, striking)
        finally:
            self.lab.attendant.around = None
        if not await self._met(cell, striking):
            return False
        honours_keys = self.kit.registry.tool(target.tool).grade in ("key_and_lookup", "key")
        wanted = expected(target, cell.fault, first=survey.commits[:1] == [tool], honours_keys=honours_keys)
        wrong = list(differences(self.kit.registry, target, wanted, seen))
        if wrong:
            raise Broken("\n".join(f"  difference: {line}" for line in wrong))
        return True

    async def _met(self, cell: Cell, striking: Striking) -> bool:
        if cell.at is None or not isinstance(self.lab.outside, Wired):
            return striking.struck
        struck = [each["fault"] for each in await self.lab.outside.calls() if each["fault"]]
        return any(blow.fault in each for blow in cell.fault.blows for each in struck)

    async def _survey(self, target: Target) -> Survey:
        """What the halves of that plan are on the wire, from two runs without a fault; known after the first time."""
        place = (target.agent, target.whole, *self.kit.steps(target))
        if place not in self.surveys:
            survey = Survey(self.lab)
            plain = replace(target, verb="call", lookup=False, staged=False)
            await self._watch(survey, replace(plain, ending="finish"))
            await self._watch(survey, replace(plain, ending="reject"))
            self.surveys[place] = survey
        return self.surveys[place]

    async def _watch(self, survey: Survey, target: Target) -> None:
        self.lab.attendant.around = survey.around
        try:
            seen = await self._play(target)
        finally:
            self.lab.attendant.around = None
        wrong = list(agreement(seen))
        if wrong:
            raise Broken(f"{target.id} goes wrong without any fault: {wrong}")
        await survey.look(seen.rows)

    def _wire(self, target: Target, survey: Survey) -> Wire:
        return survey.halves.get((self.kit.half(target), target.half), Wire())

    async def _play(self, target: Target, striking: Striking | None = None) -> Outcome:
        """One run of the target's plan to its ending; the laws are checked."""
        async with self._begun(target, striking.orders if striking else []) as handle:
            if striking is not None:
                striking.handle = handle
            async with asyncio.timeout(PATIENCE_S):
                closed = await Course(self.lab, handle, target.ending).end()
            rows, effects = await self.lab.judged(handle)
            return Outcome(handle.id, rows, effects, closed)

    @asynccontextmanager
    async def _begun(self, target: Target, faults: list[dict[str, Any]]) -> AsyncGenerator[Handle]:
        """A run on a world made new."""
        await self.lab.outside.clear()
        self._count += 1
        handle = await self.lab.begin(
            f"{self.name}-{self._count}",
            agent=target.agent,
            request=dict(self.kit.requests[target.agent]),
            model=self.plans.make(self.kit.turns(target)),
            approval_timeout_s=APPROVAL_S,
            faults=faults,
        )
        try:
            yield handle
        except BaseException:
            with suppress(RPCError):
                await handle.terminate("the cell failed")
            raise
