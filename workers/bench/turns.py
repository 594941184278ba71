"""How history grows with the turns of a model, for a run of 200 with one call and a kilobyte of text in each."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from workers.bench import tally
from workers.bench.ground import Ground, Kind

EARLY, LATE = 10, 200
PLANS: tuple[tuple[Kind, str], ...] = (("ours", "read"), ("ours", "effect"), ("bare", "effect"))


@dataclass(frozen=True, kw_only=True)
class Growth:
    """Bytes of one run's history: up to a turn, and what that turn adds."""

    kind: Kind
    what: str
    upto_early: int
    upto_late: int
    turn_early: int
    turn_late: int
    events: int


async def measure(ground: Ground) -> list[Growth]:
    """All at once: bytes do not depend on how busy the machine is."""
    return list(await asyncio.gather(*(_grown(ground, kind, what) for kind, what in PLANS)))


async def _grown(ground: Ground, kind: Kind, what: str) -> Growth:
    handle = await ground.begin(kind, f"{what}:{LATE}")
    await handle.result()
    events = (await handle.fetch_history()).events
    turns = tally.bytes_by_turn(events)
    return Growth(
        kind=kind,
        what=what,
        upto_early=tally.bytes_upto(events, EARLY),
        upto_late=tally.bytes_upto(events, LATE),
        turn_early=turns[EARLY - 1],
        turn_late=turns[LATE - 1],
        events=len(events),
    )
