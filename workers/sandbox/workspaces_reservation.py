"""Seats set aside for a time: never more than there are, never confirmed twice, never after their time.

held → confirmed | released | expired, and confirmed → released. A pool counts what is taken. Each change locks
reservations first and the pool last, so that no two wait for each other (`workspaces_hold` makes new ones).
"""

from typing import Any

from sqlalchemy import Connection, Engine, RowMapping, func, select, update

from workers.sandbox import workspaces_thing as thing
from workers.sandbox.workspaces_account import CAPACITY
from workers.sandbox.workspaces_effects import Signed, done_by, record, restate
from workers.sandbox.workspaces_error import Refusal, key_in_use
from workers.sandbox.workspaces_hold import AUDIENCE, RESERVATIONS, Full, hold
from workers.sandbox.workspaces_input import NewReservation
from workers.sandbox.workspaces_schema import pools, reservations


def reserve(engine: Engine, wish: NewReservation, signed: Signed) -> tuple[RowMapping, bool]:
    """Set seats aside, or find the reservation of this key; and whether it was made now."""

    def work(connection: Connection) -> RowMapping:
        return hold(connection, wish, signed)

    try:
        return thing.once(engine, RESERVATIONS, wish, signed, work)
    except Full as full:
        # The pool still counts holds whose time is over. They are taken out in transactions of their own: the one
        # before may have locked the pool, which comes last.
        take_out_expired(engine, full.client, signed.now)
    return thing.once(engine, RESERVATIONS, wish, signed, work)


def _give_back(connection: Connection, client: str, quantity: int) -> None:
    connection.execute(update(pools).where(pools.c.client == client).values(taken=pools.c.taken - quantity))


def confirm(engine: Engine, ref: str, signed: Signed) -> RowMapping:
    """Make a hold lasting: a conditional update, which changes no row once the hold is gone."""
    with engine.begin() as connection:
        if done := _did(connection, ref, "confirm", signed):
            return done
        live = (reservations.c.state == "held") & (reservations.c.expires_at > signed.now)
        if not _change(connection, ref, live, "confirmed"):
            row = thing.find(connection, RESERVATIONS, ref)
            if row["state"] == "confirmed":
                return row
            state = "released" if row["state"] == "released" else "expired"
            raise Refusal(409, f"reservation_{state}", f"The reservation {ref} is {state}.")
        row = thing.find(connection, RESERVATIONS, ref)
        said = {**thing.about(row), **signed.by}
        record(connection, signed, "seats.confirm", ref, audience=AUDIENCE, about=said, action="confirm")
        return row


def release(engine: Engine, ref: str, signed: Signed) -> RowMapping:
    """Give seats back, held or confirmed; of a hold whose time is over there is nothing to give."""
    with engine.begin() as connection:
        if done := _did(connection, ref, "release", signed):
            return done
        before = thing.find(connection, RESERVATIONS, ref)
        held = (reservations.c.state == "held") & (reservations.c.expires_at > signed.now)
        if _change(connection, ref, held, "released"):
            was = "held"
        elif _change(connection, ref, reservations.c.state == "confirmed", "released"):
            was = "confirmed"
        else:
            return thing.find(connection, RESERVATIONS, ref)
        for effect in ("seats.reserve", "seats.confirm"):
            restate(connection, ref, effect, "undone")
        said = {"undoes": ref, **thing.about(before), "was": was, **signed.by}
        record(connection, signed, "seats.release", ref, audience=AUDIENCE, about=said, action="release")
        row = thing.find(connection, RESERVATIONS, ref)
        _give_back(connection, before["client"], before["quantity"])
        return row


def expire(engine: Engine, ref: str, now: float) -> bool:
    """Take a hold out whose time is over; False where it is not, or is no longer held."""
    with engine.begin() as connection:
        over = (reservations.c.state == "held") & (reservations.c.expires_at <= now)
        if not _change(connection, ref, over, "expired"):
            return False
        restate(connection, ref, "seats.reserve", "expired")
        row = thing.find(connection, RESERVATIONS, ref)
        _give_back(connection, row["client"], row["quantity"])
        return True


def take_out_expired(engine: Engine, client: str, now: float) -> int:
    """All of a pool's holds whose time is over; answers how many there were."""
    over = select(reservations.c.id).where(
        reservations.c.client == client, reservations.c.state == "held", reservations.c.expires_at <= now
    )
    with engine.begin() as connection:
        refs = connection.scalars(over).all()
    return sum(expire(engine, ref, now) for ref in refs)


def available(connection: Connection, client: str, now: float) -> int:
    """Seats that are neither confirmed nor held, whatever the pool still counts of holds whose time is over."""
    pool = connection.execute(select(pools).where(pools.c.client == client)).mappings().first()
    if pool is None:
        return CAPACITY
    over = select(func.coalesce(func.sum(reservations.c.quantity), 0)).where(
        reservations.c.client == client, reservations.c.state == "held", reservations.c.expires_at <= now
    )
    return pool["capacity"] - pool["taken"] + int(connection.scalar(over) or 0)


def _did(connection: Connection, ref: str, action: str, signed: Signed) -> RowMapping | None:
    key = signed.stamp.key
    did = done_by(connection, key) if key else None
    if did and did != (ref, action):
        raise key_in_use(str(key))
    return thing.find(connection, RESERVATIONS, ref) if did else None


def _change(connection: Connection, ref: str, condition: Any, state: str) -> bool:
    changed = update(reservations).where(reservations.c.id == ref, condition).values(state=state)
    return connection.execute(changed).rowcount == 1
