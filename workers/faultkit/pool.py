"""A pool of stations side by side in one process, so that what one waits for really does not hold up the others."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from workers.faultkit.cell import Cell
from workers.faultkit.kit import Kit
from workers.faultkit.laboratory import opened
from workers.faultkit.plan import Plan, Plans
from workers.faultkit.station import Station
from workers.faultkit.survey import Surveys
from workers.faultkit.target import Target


@dataclass(frozen=True)
class Failure:
    """A cell that came out otherwise than it must."""

    cell: str
    why: str

    def __str__(self) -> str:
        return f"{self.cell}\n{self.why}"


@dataclass(frozen=True)
class Report:
    """What came of the cells of one target."""

    cells: tuple[Cell, ...]
    met: int
    """How many of them had a fault that met something."""
    failures: tuple[Failure, ...]


class Pool:
    """Hands out its stations to whoever has a cell to run."""

    def __init__(self, stations: Sequence[Station]) -> None:
        """All are free."""
        self._free: asyncio.Queue[Station] = asyncio.Queue()
        for each in stations:
            self._free.put_nowait(each)

    @asynccontextmanager
    async def station(self) -> AsyncGenerator[Station]:
        """A free one, as soon as there is one."""
        station = await self._free.get()
        try:
            yield station
        finally:
            self._free.put_nowait(station)

    async def run(self, target: Target, alone: str | None = None) -> Report:
        """All cells of that target, or the one of that id."""
        async with self.station() as station:
            cells = [each for each in await station.cells(target) if alone in (None, each.id)]
        came = await asyncio.gather(*(self._one(each) for each in cells))
        failures = tuple(each for each in came if isinstance(each, Failure))
        met = sum(each is not False for each in came)
        return Report(cells=tuple(cells), met=met, failures=failures)

    async def _one(self, cell: Cell) -> Failure | bool:
        async with self.station() as station:
            return await _tried(station, cell)


async def _tried(station: Station, cell: Cell) -> Failure | bool:
    try:
        return await station.run(cell)
    except AssertionError as broken:
        return Failure(cell.id, str(broken))
    except Exception as error:  # noqa: BLE001 - one cell's trouble, whatever it is, is told and stops no other
        return Failure(cell.id, f"  {type(error).__name__}: {error}")


@asynccontextmanager
async def pooled(kit: Kit, size: int) -> AsyncGenerator[Pool]:
    """So many laboratories, each with a world of its own, for as long as they are held."""
    surveys: Surveys = {}
    async with AsyncExitStack() as stack:
        stations = [await stack.enter_async_context(_opened(kit, f"cell-{number}", surveys)) for number in range(size)]
        yield Pool(stations)


@asynccontextmanager
async def _opened(kit: Kit, name: str, surveys: Surveys) -> AsyncGenerator[Station]:
    plans = Plans(kit.model_of, Plan)
    async with (
        kit.open_world() as world,
        opened(kit.registry, world, plans.model_of, inject=True, quick=True) as lab,
    ):
        yield Station(kit, lab, plans, name, surveys)
