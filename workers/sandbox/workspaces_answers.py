"""How the workspace service answers: from a request to a change in its database and back, for every kind alike.

The change is committed when a handler returns; an alarm that gets lost after it is set again at the next start.
"""

from collections.abc import Callable
from typing import Any

from sqlalchemy import RowMapping, Text, select

from workers.sandbox import workspaces_door as door
from workers.sandbox import workspaces_reservation as reservation
from workers.sandbox import workspaces_thing as thing
from workers.sandbox.route import Ctx, Handler, Reply
from workers.sandbox.stamp import Stamp
from workers.sandbox.workspaces_account import account
from workers.sandbox.workspaces_acts import wakes_at
from workers.sandbox.workspaces_effects import SYSTEM, Signed
from workers.sandbox.workspaces_error import Refusal, invalid
from workers.sandbox.workspaces_hold import RESERVATIONS
from workers.sandbox.workspaces_input import Numbers, OfClient, SignIn, read
from workers.sandbox.workspaces_kinds import INVITATIONS, deliver
from workers.sandbox.workspaces_schema import HIDDEN
from workers.sandbox.workspaces_thing import Kind
from workers.sandbox.world import World


def signed(world: World, stamp: Stamp) -> Signed:
    """A change by `stamp`, now."""
    return Signed(stamp, world.now(), world.last_effect())


def creates(kind: Kind) -> Handler:
    """POST of a new thing: 201, or 200 with the one of this key."""

    def made(ctx: Ctx) -> Reply:
        wish: Any = read(kind.wish, ctx.json())
        by = _signature(ctx)
        engine = ctx.world.database(SYSTEM)
        if kind is RESERVATIONS:
            row, new = reservation.reserve(engine, wish, by)
        else:
            more = deliver(wish, ctx.partial) if kind is INVITATIONS else {}
            row, new = thing.make(engine, kind, wish, by, **more)
        return _one(ctx, kind, row, 201 if new else 200)

    return _refusing(made)


def acts_on(kind: Kind, action: str) -> Handler:
    """POST of something that is done to a thing."""

    def done(ctx: Ctx) -> Reply:
        engine, ref, by = ctx.world.database(SYSTEM), ctx.match["id"], _signature(ctx)
        if kind is RESERVATIONS:
            change = {"confirm": reservation.confirm, "release": reservation.release}[action]
            return _one(ctx, kind, change(engine, ref, by))
        with engine.begin() as connection:
            row = thing.act(connection, kind, ref, action, by)
        return _one(ctx, kind, row)

    return _refusing(done)


def reads(kind: Kind) -> Handler:
    """GET of one thing."""

    def found(ctx: Ctx) -> Reply:
        with ctx.world.database(SYSTEM).begin() as connection:
            row = thing.find(connection, kind, ctx.match["id"])
            return Reply(200, thing.shown(connection, kind, [row])[0])

    return _refusing(found)


def lists(kind: Kind) -> Handler:
    """GET of things, oldest first, narrowed by any text of theirs."""
    table = kind.table
    filters = [c.name for c in table.columns if isinstance(c.type, Text) and c.name not in HIDDEN]

    def found(ctx: Ctx) -> Reply:
        numbers = read(Numbers, {name: ctx.query[name] for name in ctx.query if name in Numbers.model_fields}, "query")
        wanted = select(table).where(table.c.seq > numbers.cursor, table.c.created_at <= ctx.world.now() - ctx.lag_s)
        for name, value in ctx.query.items():
            if name in filters:
                wanted = wanted.where(table.c[name] == str(value))
            elif name not in Numbers.model_fields:
                raise invalid(name, f"{kind.name} are narrowed by {', '.join(filters)}.")
        if ctx.blind:
            return Reply(200, {"data": [], "next_cursor": None})
        with ctx.world.database(SYSTEM).begin() as connection:
            rows = list(connection.execute(wanted.order_by(table.c.seq).limit(numbers.limit + 1)).mappings())
            page = rows[: numbers.limit]
            cursor = str(page[-1]["seq"]) if len(rows) > len(page) else None
            return Reply(200, {"data": thing.shown(connection, kind, page), "next_cursor": cursor})

    return _refusing(found)


def _sign_in(ctx: Ctx) -> Reply:
    wish = read(SignIn, ctx.json())
    with ctx.world.database(SYSTEM).begin() as connection:
        return Reply(200, door.sign_in(connection, wish))


def _sales(ctx: Ctx) -> Reply:
    with ctx.world.database(SYSTEM).begin() as connection:
        return Reply(200, {"data": [] if ctx.blind else door.sales(connection)})


def _account(ctx: Ctx) -> Reply:
    client = read(OfClient, {"client": ctx.match["id"]}).client
    with ctx.world.database(SYSTEM).begin() as connection:
        own = account(connection, client)
        own["available_seats"] = reservation.available(connection, client, ctx.world.now())
    return Reply(200, {name: value for name, value in own.items() if name != "declines"})


def _refusing(answer: Callable[[Ctx], Reply]) -> Handler:
    async def handler(ctx: Ctx) -> Reply:
        try:
            return answer(ctx)
        except Refusal as no:
            return no.reply

    return handler


sign_in, sales, reads_account = _refusing(_sign_in), _refusing(_sales), _refusing(_account)


def _signature(ctx: Ctx) -> Signed:
    if ctx.stamp.key is None:
        raise invalid("saga_key", "a text that names this change is needed.")
    return signed(ctx.world, ctx.stamp)


def _one(ctx: Ctx, kind: Kind, row: RowMapping, status: int = 200) -> Reply:
    at = wakes_at(kind, row)
    if at is not None:
        ctx.world.alarm(SYSTEM, row["id"], at)
    with ctx.world.database(SYSTEM).begin() as connection:
        return Reply(status, thing.shown(connection, kind, [row])[0])
