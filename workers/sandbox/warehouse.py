"""The warehouse: sets goods aside for a stated time, gives them back, ships them.

Its key is a natural one: a reservation is found, and never doubled, by its `saga_key`, for ever. A parcel
belongs to its reservation, so shipping twice cannot happen either. Not modelled on any one product.
"""

from dataclasses import replace
from typing import Any

from workers.sandbox import reservation
from workers.sandbox.access import Tokens
from workers.sandbox.fixtures import ORDERS, OUT_OF_STOCK
from workers.sandbox.listing import BadQuery, page
from workers.sandbox.reservation import Doc, expire, shown
from workers.sandbox.route import BadAct, Ctx, Reply, Route, View
from workers.sandbox.stamp import Stamp
from workers.sandbox.warehouse_error import error, in_use, refusal
from workers.sandbox.world import World

__all__ = ["act", "expire", "guard", "in_use", "install", "refusal", "routes", "run_of"]

_TOKENS = Tokens(reads="warehouse-read", writes="warehouse-write")
_ON_HAND = 1_000_000
"""Of goods that are not out of stock: more than any bench ships."""
_TTL_S = 86_400
_MAX_TTL_S = 30 * 86_400
"""A day unless told, a month at most: goods set aside are goods not sold."""
_FILTERS = ("saga_key", "saga_run", "order_id", "state")
"""What a list can be narrowed by, each as a query parameter."""


def install(world: World) -> None:
    """Fill the shelves."""
    for sku in sorted({item["sku"] for order in ORDERS.values() for item in order["items"]}):
        if world.get("warehouse", "stock", sku) is None:
            on_hand = 0 if sku in OUT_OF_STOCK else _ON_HAND
            world.put("warehouse", "stock", sku, {"sku": sku, "on_hand": on_hand, "held": 0})


def guard(ctx: Ctx) -> Reply | None:
    """Bearer `warehouse-write` does everything, `warehouse-read` only reads.

    Blind, as with an expired token: lists are empty, and a single thing says 401.
    """
    status = 401 if ctx.blind and ctx.match.get("id") else _TOKENS.refused(ctx)
    return refusal(status) if status else None


def run_of(world: World, view: View) -> str | None:
    """A request about a reservation that does not say so itself is of the reservation's run."""
    found = reservation.find(world, view.match["id"]) if view.match.get("id") else None
    return found["saga_run"] if found else None


def act(world: World, ref: str, act: str) -> dict[str, Any]:
    """A reservation runs out before its time (expire), or somebody at the warehouse gives it back (close)."""
    if act not in {"expire", "close"}:
        raise BadAct(f"act: {act!r} is nothing that is done to reservations; allowed: expire, close")
    held = reservation.find(world, ref)
    if held is None or held["state"] != "held":
        raise BadAct(f"ref: no reservation {ref!r} that is held")
    if act == "expire":
        expire(world, ref)
        return {"ref": ref, "state": "expired"}
    reservation.release(world, held, Stamp(), by="a person")
    return {"ref": ref, "state": "released"}


async def _reserve(ctx: Ctx) -> Reply:
    body = ctx.json()
    if not isinstance(body, dict):
        return error(422, "invalid_request", "The body must be a JSON object.")
    key = body.get("saga_key")
    if not isinstance(key, str) or not key:
        return error(422, "invalid_request", "saga_key: a text that names this reservation is needed.")
    order, wrong = ORDERS.get(str(body.get("order_id"))), _wrong(body)
    if order is None:
        return error(422, "unknown_order", f"order_id: there is no order {body.get('order_id')!r}.")
    if wrong:
        return error(422, "invalid_request", wrong)
    wish: Doc = {
        "order_id": order["order_id"], "sku": body.get("sku") or order["items"][0]["sku"],
        "address": body.get("address") or order["address"], "ttl_s": body.get("ttl_s") or _TTL_S,
    }  # fmt: skip
    known = reservation.find_by_key(ctx.world, key)
    if known is not None:
        if (known["order_id"], known["sku"]) != (wish["order_id"], wish["sku"]):
            return error(409, "saga_key_in_use", f"saga_key: {key!r} names {known['id']}, for other goods.")
        return Reply(200, shown(known))
    if reservation.available(ctx.world, wish["sku"]) < 1:
        return error(409, "out_of_stock", f"{wish['sku']} is out of stock.")
    return Reply(201, shown(reservation.hold(ctx.world, wish, replace(ctx.stamp, key=key))))


def _wrong(body: Doc) -> str | None:
    ttl_s, sku = body.get("ttl_s", _TTL_S), body.get("sku")
    if isinstance(ttl_s, bool) or not isinstance(ttl_s, int) or not 1 <= ttl_s <= _MAX_TTL_S:
        return f"ttl_s: whole seconds, 1 to {_MAX_TTL_S}, not {ttl_s!r}."
    if sku is not None and sku not in {item["sku"] for item in ORDERS[str(body["order_id"])]["items"]}:
        return f"sku: {sku!r} is not in the order."
    if not isinstance(body.get("address", {}), dict | str):
        return "address: an object or a text."
    return None


async def _release(ctx: Ctx) -> Reply:
    found = reservation.find(ctx.world, ctx.match["id"])
    if found is None:
        return _unknown(ctx)
    if found["state"] == "confirmed":
        return error(409, "reservation_confirmed", f"The parcel {found['parcel']} has left.")
    if found["state"] == "held":
        found = reservation.release(ctx.world, found, _signature(ctx))
    return Reply(200, shown(found))


async def _confirm(ctx: Ctx) -> Reply:
    found, stamp = reservation.find(ctx.world, ctx.match["id"]), _signature(ctx)
    if found is None:
        return _unknown(ctx)
    if found["state"] in {"expired", "released"}:
        return error(409, f"reservation_{found['state']}", f"The reservation is {found['state']}.")
    if found["state"] == "held":
        return Reply(201, shown(reservation.confirm(ctx.world, found, stamp)))
    parcel = ctx.world.get("warehouse", "parcel", found["parcel"]) or {}
    if stamp.key is None or parcel.get("saga_key") != stamp.key:
        return error(409, "reservation_confirmed", f"{found['parcel']} has left under another key.")
    return Reply(200, shown(parcel))


async def _read(ctx: Ctx) -> Reply:
    found = reservation.find(ctx.world, ctx.match["id"])
    return Reply(200, shown(found)) if found else _unknown(ctx)


async def _read_parcel(ctx: Ctx) -> Reply:
    found = ctx.world.get("warehouse", "parcel", ctx.match["parcel_id"])
    return Reply(200, shown(found)) if found else error(404, "not_found", "There is no such parcel.")


async def _read_stock(ctx: Ctx) -> Reply:
    stock = ctx.world.get("warehouse", "stock", ctx.match["sku"])
    if stock is None:
        return error(404, "not_found", "There are no such goods.")
    return Reply(200, {**stock, "available": stock["on_hand"] - stock["held"]})


async def _list(ctx: Ctx) -> Reply:
    return _listed(ctx, "reservation")


async def _list_parcels(ctx: Ctx) -> Reply:
    return _listed(ctx, "parcel")


def _listed(ctx: Ctx, kind: str) -> Reply:
    wanted = {name: ctx.query[name] for name in _FILTERS if name in ctx.query}
    try:
        found = page(ctx, ctx.world.all("warehouse", kind, **wanted))
    except BadQuery as wrong:
        return error(422, "invalid_request", str(wrong))
    return Reply(200, {"data": [shown(doc) for doc in found.entries], "next_cursor": found.next_cursor})


def _signature(ctx: Ctx) -> Stamp:
    """Whose request it is; a DELETE, which some clients send without a body, may say it in the query."""
    stamp, query = ctx.stamp, ctx.query
    return Stamp(
        key=stamp.key or query.get("saga_key"), run=query.get("saga_run") or stamp.run,
        execution=stamp.execution or query.get("saga_execution"),
    )  # fmt: skip


def _unknown(ctx: Ctx) -> Reply:
    return error(404, "not_found", f"There is no reservation {ctx.match['id']!r}.")


_ONE = "/warehouse/reservations/{id}"
routes = [
    Route("POST", "/warehouse/reservations", "warehouse", ("reserve", "create"), _reserve),
    Route("GET", "/warehouse/reservations", "warehouse", ("list", "search"), _list),
    Route("GET", _ONE, "warehouse", ("read",), _read),
    Route("DELETE", _ONE, "warehouse", ("release", "delete"), _release),
    Route("POST", _ONE + "/release", "warehouse", ("release",), _release),
    Route("POST", _ONE + "/confirm", "warehouse", ("confirm", "send"), _confirm),
    Route("GET", "/warehouse/parcels", "warehouse", ("list", "search"), _list_parcels),
    Route("GET", "/warehouse/parcels/{parcel_id}", "warehouse", ("read",), _read_parcel),
    Route("GET", "/warehouse/stock/{sku}", "warehouse", ("read",), _read_stock),
]
