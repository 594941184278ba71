"""The world as a crash test sees it and breaks it. Runs share it, so effects and faults are told apart by run."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import httpx

from saga.keys import run_tag

T = TypeVar("T")

LOOK_EVERY_S = 0.05
"""A look costs the world a millisecond, and what is waited for must be met while it lasts."""
COMES_S = 60.0
"""What is waited for comes within seconds, and within ten where a dead worker kept the run; the rest is for a machine
that does other things as well."""


@dataclass
class World:
    """The sandbox of a house."""

    world: httpx.AsyncClient

    async def effects(self, run_id: str | None = None, **equals: Any) -> list[dict[str, Any]]:
        """What the world holds, of that run."""
        return _of_run((await self.world.get("/world/effects")).json(), run_id, equals)

    async def writes(self, key: str) -> list[dict[str, Any]]:
        """The requests that could change something and carried that key."""
        calls = _of_run((await self.world.get("/world/calls")).json(), None, {"key": key})
        return [each for each in calls if each["method"] != "GET"]

    async def kinds(self, run_id: str) -> dict[str, str]:
        """Kind → state of each effect of that run; two of one kind are an error, for no run here may have them."""
        effects = await self.effects(run_id)
        kinds = {each["kind"]: each["state"] for each in effects}
        assert len(kinds) == len(effects), f"doubled: {[(each['kind'], each['ref']) for each in effects]}"
        return kinds

    async def fault(self, run_id: str, system: str, operation: str, fault: str) -> None:
        """Arm a fault that strikes this run alone."""
        await self._arm(system, operation, fault, run=run_id)

    @asynccontextmanager
    async def everywhere(self, system: str, operation: str, fault: str) -> AsyncGenerator[None]:
        """Within it the fault strikes everybody: what a list or a search is asked for names no run."""
        await self._arm(system, operation, fault)
        yield
        (await self.world.delete("/world/faults")).raise_for_status()

    async def _arm(self, system: str, operation: str, fault: str, **more: Any) -> None:
        body = {"system": system, "operation": operation, "fault": fault, **more}
        (await self.world.post("/world/faults", json=body)).raise_for_status()

    async def happened(self, run_id: str, kind: str) -> dict[str, Any]:
        """The run's effect of that kind, as soon as the world shows it."""
        found = await until(lambda: self.effects(run_id, kind=kind), f"{kind} of {run_id}")
        return found[0]

    async def unstruck(self) -> list[dict[str, Any]]:
        """The faults that are still armed."""
        return (await self.world.get("/world/faults")).json()


async def together(*work: Awaitable[T]) -> list[T]:
    """All of it side by side, each to its end, whatever becomes of the others: no run is left half watched."""
    done = await asyncio.gather(*work, return_exceptions=True)
    failed = [each for each in done if isinstance(each, BaseException)]
    if failed:
        raise BaseExceptionGroup(f"{len(failed)} of {len(done)}", failed)
    return [each for each in done if not isinstance(each, BaseException)]


async def until(look: Callable[[], Awaitable[T | None]], what: str, within_s: float = COMES_S) -> T:
    """What `look` finds, as soon as it finds something."""
    end = time.monotonic() + within_s
    while not (found := await look()):
        assert time.monotonic() < end, f"{what} never came"
        await asyncio.sleep(LOOK_EVERY_S)
    return found


def _of_run(lines: list[dict[str, Any]], run_id: str | None, equals: dict[str, Any]) -> list[dict[str, Any]]:
    names = {run_id, run_tag(run_id)} if run_id else None
    return [
        each
        for each in lines
        if (names is None or each["run"] in names) and all(each[name] == value for name, value in equals.items())
    ]
