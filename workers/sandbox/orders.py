"""The shop's orders, to be read: one by its number, or a search by customer and beginnings of words.

A shop's own service, not modelled on any one product. Its no is `{"error": {"code", "message"}}`.
"""

import re
from typing import Any

from workers.sandbox.access import Tokens
from workers.sandbox.fixtures import ORDERS
from workers.sandbox.route import BadAct, Ctx, Reply, Route
from workers.sandbox.world import World

_TOKENS = Tokens(reads="orders-read")
_CODES = {
    400: "invalid_request",
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    429: "rate_limited",
    503: "unavailable",
}


def refusal(status: int, message: str | None = None) -> Reply:
    """A no in this service's own form."""
    code = _CODES.get(status, "internal_error" if status >= 500 else "refused")
    return Reply(status, {"error": {"code": code, "message": message or f"The request was refused: {code}."}})


def in_use() -> Reply:
    """Orders are only read, so no key can be in use; a conflict all the same when a fault asks for it."""
    return refusal(409)


def guard(ctx: Ctx) -> Reply | None:
    """Bearer `orders-read`."""
    status = _TOKENS.refused(ctx)
    return refusal(status) if status else None


def act(_world: World, ref: str, act: str) -> dict[str, Any]:
    """Orders are fixtures: nobody does anything to them."""
    raise BadAct(f"act: no {act!r} of {ref!r}; orders are fixtures, nothing is allowed")


async def _read(ctx: Ctx) -> Reply:
    order = ORDERS.get(ctx.match["order_id"])
    if order is None:
        return refusal(404, f"There is no order {ctx.match['order_id']!r}.")
    return Reply(200, order)


async def _search(ctx: Ctx) -> Reply:
    customer_id, wanted = ctx.query.get("customer_id"), _words(str(ctx.query.get("q", "")))
    found = [
        order
        for order in ORDERS.values()
        if (not customer_id or order["customer_id"] == customer_id)
        and all(any(word.startswith(begun) for word in _words(_text(order))) for begun in wanted)
    ]
    return Reply(200, {"data": [] if ctx.blind else found})


def _text(order: dict[str, Any]) -> str:
    names = ("order_id", "customer_id", "customer_name", "customer_email", "status", "complaint")
    return " ".join([*(order[name] for name in names), *(item["name"] for item in order["items"])])


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


routes = [
    Route("GET", "/orders", "orders", ("search", "list", "read"), _search),
    Route("GET", "/orders/{order_id}", "orders", ("read",), _read),
]
