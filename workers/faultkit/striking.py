"""Striking: a fault that is not in the request itself strikes at the moment at which its verb is first tried."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from temporalio.api.enums.v1 import EventType

from workers.faultkit.cell import Cell
from workers.faultkit.fault import DEAFNESS, DOOR_SILENCE, SILENCE, Blow
from workers.faultkit.interceptors import Moment
from workers.faultkit.laboratory import Handle
from workers.faultkit.survey import Place, Survey, Wire
from workers.faultkit.world import Wired, World


class Striking:
    """Stands around the attempts of one run. What it did is told by `struck`."""

    def __init__(self, cell: Cell, tool: str, survey: Survey, world: World) -> None:
        """`tool` is that of the row whose half is struck; `survey` knows its plan."""
        self._cell, self._tool, self._world = cell, tool, world
        self._wire = survey.halves.get((tool, cell.target.half), Wire())
        self._step = survey.steps.get(tool)
        self._silent = False
        self.struck = False
        self.handle: Handle | None = None
        """The run, as soon as it is started."""

    @property
    def orders(self) -> list[dict[str, Any]]:
        """What the run is to ask its doors for: RunRequest.faults. A commit tried again is another step, and passes."""
        target, fault = self._cell.target, self._cell.fault
        if fault.where != "door":
            return []
        struck = [("lookup" if target.lookup else target.verb, blow) for blow in fault.blows]
        if target.lookup and not target.staged:
            struck.append((target.verb, DOOR_SILENCE))
        where = {"tool": target.tool, "step": self._step}
        return [{**where, "verb": verb, "fault": blow.fault, "times": blow.times} for verb, blow in struck]

    @asynccontextmanager
    async def around(self, moment: Moment) -> AsyncGenerator[None]:
        """Before and after one attempt."""
        target, looking = self._cell.target, moment.door == "find"
        mine = (moment.row.tool, moment.half) == (self._tool, target.half)
        silences = mine and self._must_be_silent and not looking and not self._silent
        strikes = mine and looking == target.lookup and not self.struck
        if silences:
            self._silent = True
            await self._arm(self._wire.writes, SILENCE)
        if strikes:
            self.struck = True
            await self._strike("sending")
        try:
            yield
        finally:
            if silences:
                await self._arm(self._wire.reads, DEAFNESS)
            if strikes:
                await self._strike("sent")

    @property
    def _must_be_silent(self) -> bool:
        """On the wire: at a door the run's own faults see to it."""
        return self._cell.target.lookup and not self._cell.target.staged and self._cell.fault.where != "door"

    async def _strike(self, when: str) -> None:
        cell, looking = self._cell, self._cell.target.lookup
        if looking and when == "sending" and isinstance(self._world, Wired):
            await self._world.mend()  # what was silent until now
        if cell.fault.name == f"cancel:{when}" and self.handle is not None:
            await self.handle.cancel()
            await _heard(self.handle)
        elif when == "sending" and cell.at is not None:
            await self._arm([cell.at], *cell.fault.blows)

    async def _arm(self, places: Sequence[Place], *blows: Blow) -> None:
        if isinstance(self._world, Wired):
            for place in places:
                for blow in blows:
                    await self._world.arm(*place, blow.fault, blow.times)


async def _heard(handle: Handle) -> None:
    """Until the run has heard of the cancel, or has closed.

    Measured: where the attempt's end and the cancel meet, the time-skipping server never ends the workflow task.
    """
    while True:
        kinds = [event.event_type for event in (await handle.fetch_history()).events]
        asked = kinds.index(CANCEL_REQUESTED) if CANCEL_REQUESTED in kinds else len(kinds)
        if TASK_COMPLETED in kinds[asked:]:
            return
        await asyncio.sleep(HISTORY_EVERY_S)


CANCEL_REQUESTED = EventType.EVENT_TYPE_WORKFLOW_EXECUTION_CANCEL_REQUESTED
TASK_COMPLETED = EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED
HISTORY_EVERY_S = 0.02
"""A workflow task takes some milliseconds."""
