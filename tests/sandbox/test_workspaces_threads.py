"""Seats under concurrent callers, on both databases: never oversold, never confirmed twice or after their time."""

import itertools
import random
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import Connection, Engine, func, insert, select, update

from workers.sandbox import workspaces_reservation as reservation
from workers.sandbox import workspaces_thing as thing
from workers.sandbox.database import lay_tables, open_database
from workers.sandbox.stamp import Stamp
from workers.sandbox.workspaces_account import lay_out
from workers.sandbox.workspaces_effects import Signed
from workers.sandbox.workspaces_error import Refusal
from workers.sandbox.workspaces_input import NewReservation, NewWorkspace
from workers.sandbox.workspaces_kinds import WORKSPACES
from workers.sandbox.workspaces_schema import METADATA, effects, pools, reservations

CALLERS = 16
NOW = 1_800_000_000.0
TTL_S = 60
FEW = 3
"""The seats of the pool `tiny`."""

_numbers = itertools.count()


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    opened = open_database(database_url)
    with opened.begin() as connection:
        lay_tables(connection, METADATA)
        lay_out(connection, NOW)
    yield opened
    opened.dispose()


@pytest.fixture
def tiny(engine: Engine) -> str:
    made, _ = thing.make(engine, WORKSPACES, NewWorkspace(client="tiny"), signed())
    return made["id"]


def signed(key: str | None = None, now: float = NOW) -> Signed:
    return Signed(Stamp(key=key or f"key-{next(_numbers)}", run="run"), now)


def seats(workspace: str, quantity: int = 1) -> NewReservation:
    return NewReservation(workspace_id=workspace, quantity=quantity, ttl_s=TTL_S)


def together(work: Callable[[int], str], callers: int = CALLERS) -> list[str]:
    """The answers of so many callers who begin at the same moment."""
    start = threading.Barrier(callers)

    def call(number: int) -> str:
        start.wait()
        try:
            return work(number)
        except Refusal as no:
            return no.code

    with ThreadPoolExecutor(callers) as callers_of_all:
        return list(callers_of_all.map(call, range(callers)))


def capacity(connection: Connection) -> int:
    return connection.execute(select(pools.c.capacity).where(pools.c.client == "tiny")).scalar_one()


def taken(connection: Connection, *states: str) -> int:
    """What the reservations say themselves, whatever the pool counts."""
    asked = select(func.coalesce(func.sum(reservations.c.quantity), 0)).where(
        reservations.c.client == "tiny", reservations.c.state.in_(states)
    )
    return int(connection.execute(asked).scalar_one())


def oversold(engine: Engine) -> bool:
    with engine.begin() as connection:
        return taken(connection, "held", "confirmed") > capacity(connection)


def check_pool(engine: Engine) -> None:
    """The pool counts exactly what is held and confirmed."""
    with engine.begin() as connection:
        counted = connection.execute(select(pools.c.taken).where(pools.c.client == "tiny")).scalar_one()
        assert counted == taken(connection, "held", "confirmed")


def test_the_last_seats_go_to_as_many_as_there_are(engine, tiny):
    answers = together(lambda _: reservation.reserve(engine, seats(tiny), signed())[0]["state"])
    assert Counter(answers) == {"held": FEW, "not_enough_seats": CALLERS - FEW}
    assert not oversold(engine)
    check_pool(engine)


def test_seats_whose_time_is_over_are_free_for_all_who_ask_at_once(engine, tiny):
    old, _ = reservation.reserve(engine, seats(tiny, FEW), signed())
    later = NOW + TTL_S
    with engine.begin() as connection:
        assert reservation.available(connection, "tiny", later - 1) == 0
        assert reservation.available(connection, "tiny", later) == FEW
    answers = together(lambda _: reservation.reserve(engine, seats(tiny), signed(now=later))[0]["state"])
    assert Counter(answers) == {"held": FEW, "not_enough_seats": CALLERS - FEW}
    with engine.begin() as connection:
        assert thing.find(connection, reservation.RESERVATIONS, old["id"])["state"] == "expired"
    check_pool(engine)


def test_one_key_is_one_reservation_however_many_ask(engine, tiny):
    made: list[bool] = []

    def reserve(_: int) -> str:
        row, new = reservation.reserve(engine, seats(tiny, 2), signed("one"))
        made.append(new)
        return row["id"]

    assert len(set(together(reserve))) == 1
    assert sorted(made) == [False] * (CALLERS - 1) + [True]
    with engine.begin() as connection:
        assert taken(connection, "held") == 2
        assert connection.execute(select(func.count()).where(effects.c.kind == "seats.reserve")).scalar_one() == 1
    check_pool(engine)


@pytest.mark.parametrize("rival", ["expire", "release"])
def test_a_hold_ends_in_one_way(engine, tiny, rival):
    for _ in range(10):
        held, _ = reservation.reserve(engine, seats(tiny), signed())
        ref = held["id"]

        def end(number: int, ref: str = ref) -> str:
            if number % 2:
                return f"confirm: {reservation.confirm(engine, ref, signed(now=NOW + 1))['state']}"
            if rival == "expire":
                return f"expire: {reservation.expire(engine, ref, NOW + TTL_S)}"
            return f"release: {reservation.release(engine, ref, signed(now=NOW + 1))['state']}"

        answers = Counter(together(end))
        with engine.begin() as connection:
            state = thing.find(connection, reservation.RESERVATIONS, ref)["state"]
            done = connection.execute(select(effects.c.kind, effects.c.state).where(effects.c.ref == ref)).all()
        counts = Counter(kind for kind, _ in done)
        assert counts["seats.confirm"] <= 1
        assert counts["seats.release"] == (rival == "release")
        if rival == "expire":
            assert answers["expire: True"] == (state == "expired")
            assert (answers["reservation_expired"] > 0) == (state == "expired")
            assert (counts["seats.confirm"] == 1) == (state == "confirmed")
        check_pool(engine)
        reservation.release(engine, ref, signed())
        check_pool(engine)


class Crowd:
    """Callers who do one thing after another by chance, on a clock that each call moves on by three seconds."""

    def __init__(self, engine: Engine, workspace: str) -> None:
        self._engine, self._workspace = engine, workspace
        self._clock = itertools.count()
        self._refs: list[str] = []
        self.refused: list[str] = []
        self.sold: list[int] = []
        self.over = threading.Event()

    def watch(self) -> None:
        """Count what is sold, until it is over."""
        while not self.over.is_set():
            with self._engine.begin() as connection:
                self.sold.append(taken(connection, "held", "confirmed"))

    def wander(self, number: int) -> str:
        draw = random.Random(number)
        for _ in range(30):
            try:
                self._do(draw, NOW + 3 * next(self._clock))
            except Refusal as no:
                self.refused.append(no.code)
        return "done"

    def _do(self, draw: random.Random, now: float) -> None:
        what = draw.choice(("reserve", "reserve", "confirm", "confirm", "release", "expire"))
        if what == "reserve" or not self._refs:
            wish = seats(self._workspace, draw.choice((1, 2)))
            self._refs.append(reservation.reserve(self._engine, wish, signed(now=now))[0]["id"])
            return
        ref = draw.choice(self._refs[-8:])
        if what == "expire":
            reservation.expire(self._engine, ref, now)
        else:
            change = reservation.confirm if what == "confirm" else reservation.release
            change(self._engine, ref, signed(now=now))


def test_whatever_many_do_at_once_nothing_is_oversold_or_confirmed_twice(engine, tiny):
    """Holds live for a minute, so that many end by themselves."""
    crowd = Crowd(engine, tiny)
    watcher = threading.Thread(target=crowd.watch)
    watcher.start()
    try:
        assert together(crowd.wander) == ["done"] * CALLERS
    finally:
        crowd.over.set()
        watcher.join()
    assert max(crowd.sold) == FEW, "nothing was sold out: the race was none"
    assert "not_enough_seats" in crowd.refused
    assert set(crowd.refused) <= {"not_enough_seats", "reservation_expired", "reservation_released"}
    check_pool(engine)
    confirmed = select(effects.c.ref, effects.c.at, reservations.c.expires_at, reservations.c.state).where(
        effects.c.kind == "seats.confirm", reservations.c.id == effects.c.ref
    )
    with engine.begin() as connection:
        rows = connection.execute(confirmed).all()
    assert len(rows) > 3
    assert Counter(Counter(row.ref for row in rows).values()) == {1: len(rows)}
    assert all(row.at < row.expires_at and row.state in {"confirmed", "released"} for row in rows)


def test_who_reads_first_and_writes_then_oversells(engine, tiny):
    """The same look, on the mistake that the service does not make: so the look can fail."""
    read = threading.Barrier(CALLERS)

    def reserve_naively(_: int) -> str:
        with engine.begin() as connection:
            free = reservation.available(connection, "tiny", NOW)
            mine = capacity(connection) - free + 1
        read.wait()
        if free < 1:
            return "not_enough_seats"
        stamp = signed()
        own = {"client": "tiny", "workspace_id": tiny, "quantity": 1, "expires_at": NOW + TTL_S}
        with engine.begin() as connection:
            connection.execute(insert(reservations).values(**thing.birth(reservation.RESERVATIONS, stamp, ""), **own))
            connection.execute(update(pools).where(pools.c.client == "tiny").values(taken=mine))
        return "held"

    assert Counter(together(reserve_naively)) == {"held": CALLERS}
    assert oversold(engine)
    with pytest.raises(AssertionError):
        check_pool(engine)
