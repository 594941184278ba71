"""A new hold on seats: the reservation, what is said of it, and the pool, all of them or none.

The pool comes last, so that callers queue for its one conditional update and for nothing else. On PostgreSQL it is one
statement: in four, each with its way to the server and back, it is half as quick (measured by the bench). SQLite has
no such statement, nor a way to a server.
"""

from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnClause,
    Connection,
    RowMapping,
    Text,
    Update,
    bindparam,
    func,
    literal_column,
    or_,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import insert

from workers.sandbox import workspaces_thing as thing
from workers.sandbox.database import insert_once
from workers.sandbox.workspaces_effects import Signed, done_by, record
from workers.sandbox.workspaces_error import Refusal
from workers.sandbox.workspaces_input import NewReservation
from workers.sandbox.workspaces_kinds import OPEN, workspace_of
from workers.sandbox.workspaces_schema import effects, pools, reservations, workspaces
from workers.sandbox.workspaces_thing import Kind
from workers.sandbox.world import Doc

AUDIENCE = ("agent",)
RESERVATIONS = Kind(
    name="reservations", table=reservations, prefix="rsv", wish=NewReservation, born="held",
    operations=("reserve", "create"), effect="seats.reserve", audience=AUDIENCE,
)  # fmt: skip


class Full(Refusal):
    """The pool has not so many left, as far as it counts."""

    def __init__(self, client: str, quantity: int) -> None:
        super().__init__(409, "not_enough_seats", f"{client} has no {quantity} seats left.")
        self.client = client


def hold(connection: Connection, wish: NewReservation, signed: Signed) -> RowMapping:
    """Make it. Full where there are not so many seats, Raced where one of this key is there, Refusal as ever."""
    new = thing.birth(RESERVATIONS, signed, thing.digest(RESERVATIONS, wish))
    values = {**new, **wish.model_dump(exclude={"ttl_s"}), "expires_at": signed.now + wish.ttl_s}
    if connection.dialect.name != "postgresql":
        return _in_steps(connection, values, signed)
    said = {"run": signed.stamp.run, "after": signed.after, "audience": list(AUDIENCE)}
    made = connection.execute(_AT_ONCE, {**values, **said}).mappings().first()
    if made is None:
        raise _why_not(connection, values)
    return made


def _in_steps(connection: Connection, values: Doc, signed: Signed) -> RowMapping:
    client = workspace_of(connection, values["workspace_id"])["client"]
    made = insert_once(connection, reservations, {**values, "client": client})
    if made is None:
        raise thing.Raced
    record(connection, signed, RESERVATIONS.effect, made["id"], audience=AUDIENCE, about=thing.about(made))
    if connection.execute(_TAKE, {"quantity": made["quantity"], "pool": client}).rowcount == 0:
        raise Full(client, made["quantity"])
    return made


def _why_not(connection: Connection, values: Doc) -> Exception:
    """What stood in the way; still in the transaction, which has written all that did not."""
    home = workspace_of(connection, values["workspace_id"])
    mine = connection.scalars(select(reservations.c.id).where(reservations.c.id == values["id"])).first()
    if mine is None or done_by(connection, values["saga_key"]) != (mine, None):
        return thing.Raced()
    return Full(home["client"], values["quantity"])


def _fits(quantity: Any) -> Any:
    return pools.c.taken + quantity <= pools.c.capacity


def _word(constant: str) -> ColumnClause[str]:
    """Part of the statement itself: a parameter would be sent each time."""
    return literal_column(f"'{constant}'", Text())


def _at_once() -> Update:
    given: dict[str, Any] = {column.name: bindparam(column.name, type_=column.type) for column in reservations.columns}
    given |= {"client": workspaces.c.client}
    columns = [column.name for column in reservations.columns if column.name != "seq"]
    home = select(*(given[name] for name in columns)).where(
        workspaces.c.id == bindparam("workspace_id", type_=Text()),
        or_(*(workspaces.c.state == _word(each) for each in OPEN)),
    )
    new = insert(reservations).from_select(columns, home).on_conflict_do_nothing()
    made = new.returning(*reservations.columns).cte("made")
    about = ("client", "workspace_id", "quantity", "expires_at")
    told: dict[str, Any] = {
        "after": bindparam("after", type_=BigInteger()), "kind": _word(RESERVATIONS.effect), "key": made.c.saga_key,
        "run": made.c.saga_run, "execution": made.c.saga_execution, "ref": made.c.id, "state": _word("standing"),
        "audience": bindparam("audience", type_=effects.c.audience.type), "at": made.c.created_at,
        "about": func.json_build_object(*(each for name in about for each in (_word(name), made.c[name]))),
    }  # fmt: skip
    effect = insert(effects).from_select(list(told), select(*told.values())).on_conflict_do_nothing()
    said = effect.returning(effects.c.ref).cte("said")
    last = update(pools).where(pools.c.client == made.c.client, said.c.ref == made.c.id, _fits(made.c.quantity))
    return last.values(taken=pools.c.taken + made.c.quantity).returning(*made.c)


_TAKE = (
    update(pools)
    .where(pools.c.client == bindparam("pool"), _fits(bindparam("quantity")))
    .values(taken=pools.c.taken + bindparam("quantity"))
)
_AT_ONCE = _at_once()
"""Written once: to put it together takes as long as to carry it out."""
