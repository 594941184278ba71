"""What happens to workspaces without us: people who use, close or delete something, banks, and time."""

from sqlalchemy import Connection, Engine, RowMapping, delete, select, update

from workers.sandbox import workspaces_money as money
from workers.sandbox import workspaces_reservation as reservation
from workers.sandbox import workspaces_thing as thing
from workers.sandbox.route import BadAct
from workers.sandbox.workspaces_effects import Signed, record, restate
from workers.sandbox.workspaces_error import Refusal
from workers.sandbox.workspaces_kinds import FILES, PROJECTS, RECORDS, WORKSPACES
from workers.sandbox.workspaces_schema import METADATA, projects, refunds, reservations, workspaces
from workers.sandbox.workspaces_thing import Kind
from workers.sandbox.world import Doc

CLEANED_UP_S = 30 * 86_400.0
"""From abandoned to deleted: a month in which somebody may still ask for what was in it."""
_WAITS = {
    "reservations": ("held", "expires_at", 0.0),
    "refunds": ("requested", "settles_at", 0.0),
    "workspaces": ("abandoned", "abandoned_at", CLEANED_UP_S),
}
"""The state in which things wait, and the moment (a column, and so much later) until which they do."""
ACTS = ("use", "fail_refund", "expire", "close", "delete")
_USED = {"ws": workspaces, "prj": projects}
_DELETED = {each.prefix: each for each in (FILES, RECORDS, PROJECTS)}


def play(engine: Engine, ref: str, act: str, amount_minor: int | None, signed: Signed) -> Doc:
    """Let it happen; BadAct where it cannot."""
    prefix = ref.partition("_")[0]
    if act not in ACTS:
        raise BadAct(f"act: workspaces have no {act!r}; allowed: {', '.join(ACTS)}")
    if act == "expire":
        return _expire(engine, ref, signed)
    with engine.begin() as connection:
        if act == "use":
            return _use(connection, prefix, ref, amount_minor)
        if act == "fail_refund":
            return _fail_refund(connection, ref)
        if act == "close":
            return _close(connection, ref, signed)
        return _delete(connection, _DELETED.get(prefix), ref, signed)


def pass_time(engine: Engine, ref: str, now: float) -> None:
    """What an alarm is for: a hold is over, a refund is decided, a workspace is cleaned up."""
    prefix = ref.partition("_")[0]
    if prefix == "rsv":
        reservation.expire(engine, ref, now)
        return
    with engine.begin() as connection:
        if prefix == "ref":
            money.settle(connection, ref, now)
        else:
            old = (workspaces.c.state == "abandoned") & (workspaces.c.abandoned_at + CLEANED_UP_S <= now)
            connection.execute(update(workspaces).where(workspaces.c.id == ref, old).values(state="deleted"))


def wakes_at(kind: Kind, row: RowMapping) -> float | None:
    """When something happens to this thing by itself; None where nothing does."""
    waits = _WAITS.get(kind.name)
    return row[waits[1]] + waits[2] if waits and row["state"] == waits[0] else None


def due(connection: Connection) -> list[tuple[str, float]]:
    """All that waits for a moment, each with the moment."""
    found: list[tuple[str, float]] = []
    for name, (state, column, later_s) in _WAITS.items():
        table = METADATA.tables[name]
        asked = select(table.c.id, table.c[column]).where(table.c.state == state)
        found += [(ref, at + later_s) for ref, at in connection.execute(asked)]
    return found


def clear(connection: Connection) -> None:
    """Nothing is left of anything."""
    for table in reversed(METADATA.sorted_tables):
        connection.execute(delete(table))


def _use(connection: Connection, prefix: str, ref: str, amount_minor: int | None) -> Doc:
    table = _USED.get(prefix)
    if table is not None and amount_minor is None:
        if connection.execute(update(table).where(table.c.id == ref).values(in_use=True)).rowcount == 0:
            raise BadAct(f"ref: there is no {ref!r}")
        return {"ref": ref, "in_use": True}
    if prefix != "pur" or amount_minor is None:
        raise BadAct("ref: what can be used is a workspace, a project, or (amount_minor of) a purchase")
    if not money.use(connection, ref, amount_minor):
        raise BadAct(f"amount_minor: {ref!r} is no purchase with so much left")
    return {"ref": ref, "used_minor": thing.find(connection, money.PURCHASES, ref)["used_minor"]}


def _fail_refund(connection: Connection, ref: str) -> Doc:
    live = refunds.c.state.in_(("requested", "confirmed"))
    named = (refunds.c.id == ref) | (refunds.c.purchase_id == ref)
    newest = select(refunds.c.id).where(named, live).order_by(refunds.c.seq.desc())
    found = connection.scalars(newest).first()
    if found is None or money.fail(connection, found) is None:
        raise BadAct(f"ref: {ref!r} has no refund that is requested or confirmed")
    return {"ref": found, "state": "failed"}


def _close(connection: Connection, ref: str, signed: Signed) -> Doc:
    try:
        thing.act(connection, WORKSPACES, ref, "abandon", signed)
    except Refusal as no:
        raise BadAct(f"ref: {no}") from None
    return {"ref": ref, "state": "abandoned"}


def _expire(engine: Engine, ref: str, signed: Signed) -> Doc:
    with engine.begin() as connection:
        now = update(reservations).where(reservations.c.id == ref, reservations.c.state == "held")
        connection.execute(now.values(expires_at=signed.now))
    if not reservation.expire(engine, ref, signed.now):
        raise BadAct(f"ref: no reservation {ref!r} that is held")
    return {"ref": ref, "state": "expired"}


def _delete(connection: Connection, kind: Kind | None, ref: str, signed: Signed) -> Doc:
    """A person asks nobody what hangs on it."""
    if kind is None:
        raise BadAct(f"ref: {ref!r} is no file, record or project, which people delete")
    table, action = kind.table, kind.actions["delete"]
    live = update(table).where(table.c.id == ref, table.c.state == "live").values(state="removed")
    if connection.execute(live).rowcount == 0:
        raise BadAct(f"ref: no {kind.name[:-1]} {ref!r} that is there")
    row = thing.find(connection, kind, ref)
    restate(connection, ref, kind.effect, "undone")
    said = {"undoes": ref, **thing.about(row), **signed.by}
    record(connection, signed, action.effect, ref, audience=action.audience, about=said, action="delete")
    return {"ref": ref, "state": "removed"}
