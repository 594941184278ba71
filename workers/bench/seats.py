"""Seats: ten thousand reservations by 16 callers at once on PostgreSQL, against the bare conditional update.

Bare is the one statement that cannot oversell, with its commit: no reservation, no key, no effect is written. Both go
through the same driver and engine, to one pool, in turns of a thousand within the one run.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from sqlalchemy import Engine, func, insert, select, update

from workers.bench.postgres import Postgres
from workers.exits import CannotTell
from workers.sandbox import workspaces_reservation as reservation
from workers.sandbox import workspaces_thing as thing
from workers.sandbox.database import lay_tables, open_database
from workers.sandbox.stamp import Stamp
from workers.sandbox.workspaces_effects import Signed
from workers.sandbox.workspaces_error import Refusal
from workers.sandbox.workspaces_input import NewReservation, NewWorkspace
from workers.sandbox.workspaces_kinds import WORKSPACES
from workers.sandbox.workspaces_schema import METADATA, pools, reservations

CALLERS = 16
WANTED = 10_000
TURNS = 10
"""Ours and bare in turn, so that whatever else the machine does falls on both."""
LEAST = 0.5
"""The rate of ours, in rates of the bare one, that is wanted."""
LEFT = CALLERS // 2
"""Seats that are left when all are made; then every caller asks for one more, so that half must be refused."""
_OURS, _BARE = "bench-ours", "bench-bare"

Work = Callable[[int, str], None]


@dataclass(frozen=True, kw_only=True)
class Seats:
    """How long each turn took, and what the tables say when every caller has asked for one too many."""

    wanted: int
    """Reservations, and bare updates, in all turns together."""
    ours_s: Sequence[float]
    bare_s: Sequence[float]
    capacity: int
    reserved: int
    """Seats of the reservations that are there."""
    counted: int
    """Seats that the pool counts as taken."""
    refused: int

    @property
    def oversold(self) -> int:
        """Seats that were promised and are not there."""
        return max(self.reserved - self.capacity, 0)

    @property
    def ours(self) -> float:
        """Reservations in a second."""
        return self.wanted / sum(self.ours_s)

    @property
    def bare(self) -> float:
        """Bare updates in a second."""
        return self.wanted / sum(self.bare_s)

    @property
    def ratio(self) -> float:
        """Rate of ours by rate of bare, all turns together."""
        return self.ours / self.bare

    @property
    def ratios(self) -> list[float]:
        """The same, turn by turn."""
        return [bare / ours for ours, bare in zip(self.ours_s, self.bare_s, strict=True)]


async def measure(wanted: int = WANTED) -> Seats:
    """Start a server, measure, end it. CannotTell where there is no PostgreSQL, or where seats do not add up."""
    over = threading.Event()
    try:
        return check(await asyncio.to_thread(_on_a_server, wanted, over))
    finally:
        over.set()  # a Ctrl-C lets the callers end


def _on_a_server(wanted: int, over: threading.Event) -> Seats:
    with Postgres() as server:
        engine = open_database(server.create("bench"))
        try:
            return _measure(engine, wanted, over)
        finally:
            engine.dispose()


def _measure(engine: Engine, wanted: int, over: threading.Event) -> Seats:
    capacity = CALLERS + wanted + LEFT  # what opens the connections takes one seat for each caller
    with engine.begin() as connection:
        lay_tables(connection, METADATA)
        for client in (_OURS, _BARE):
            connection.execute(insert(pools).values(client=client, capacity=capacity, taken=0))
    works = {"ours": _reserving(engine), "bare": _updating(engine)}
    found: dict[str, list[float]] = {name: [] for name in works}
    for turn in range(-1, TURNS):
        for name in works if turn % 2 else reversed(works):
            took_s, _ = _together(works[name], turn, CALLERS if turn < 0 else wanted // TURNS, over)
            if turn >= 0:  # the first opens connections
                found[name].append(took_s)
    _, refused = _together(works["ours"], TURNS, CALLERS, over)
    with engine.begin() as connection:
        counted = connection.scalars(select(pools.c.taken).where(pools.c.client == _OURS)).one()
        made = select(func.sum(reservations.c.quantity)).where(reservations.c.client == _OURS)
        reserved = int(connection.scalar(made) or 0)
    seats = {"capacity": capacity, "reserved": reserved, "counted": counted, "refused": refused}
    return Seats(wanted=wanted, ours_s=found["ours"], bare_s=found["bare"], **seats)


def _reserving(engine: Engine) -> Work:
    """Each caller reserves for a workspace of its own, all of them from one pool."""
    wish = NewWorkspace(client=_OURS)
    homes = [thing.make(engine, WORKSPACES, wish, _signed(f"home-{each}"))[0]["id"] for each in range(CALLERS)]

    def reserve(caller: int, key: str) -> None:
        wish = NewReservation(workspace_id=homes[caller], quantity=1, ttl_s=86_400)
        reservation.reserve(engine, wish, _signed(key))

    return reserve


def _updating(engine: Engine) -> Work:
    fits = pools.c.taken + 1 <= pools.c.capacity
    one_more = update(pools).where(pools.c.client == _BARE, fits).values(taken=pools.c.taken + 1)

    def take(_caller: int, _key: str) -> None:
        with engine.begin() as connection:
            connection.execute(one_more)

    return take


def _signed(key: str) -> Signed:
    return Signed(Stamp(key=key, run="bench"), time.time())


def _together(work: Work, turn: int, number: int, over: threading.Event) -> tuple[float, int]:
    """Seconds in which CALLERS at once do `work` so many times in all, and how many times they were refused."""
    start = threading.Barrier(CALLERS + 1)

    def call(caller: int) -> int:
        refused = 0
        start.wait()
        for each in range(caller, number, CALLERS):
            if over.is_set():
                break
            try:
                work(caller, f"{turn}-{each}")
            except Refusal:
                refused += 1
        return refused

    with ThreadPoolExecutor(CALLERS) as callers:
        calls = [callers.submit(call, caller) for caller in range(CALLERS)]
        start.wait()
        began = time.monotonic()
        refused = sum(each.result() for each in calls)
        return time.monotonic() - began, refused


def check(found: Seats) -> Seats:
    """CannotTell where more was promised than there is, or fewer than there was."""
    if found.oversold or found.reserved != found.counted or found.refused != CALLERS - LEFT:
        raise CannotTell(
            f"{found.reserved} seats of {found.capacity} are reserved, {found.counted} counted, "
            f"{found.refused} of {CALLERS} refused when {LEFT} were left"
        )
    return found
