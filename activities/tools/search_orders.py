"""The tool `search_orders`: reads the shop's orders."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from activities.order_id import OrderId
from activities.providers.orders import Orders
from saga.record import Json, Typed
from saga.tool import PureTool

_MOST = 10
"""Orders in one answer: it stays in history, and half a kilobyte each is what a model reads with profit."""


class SearchArgs(Typed):
    """One order by its number, or a search; at least one of them."""

    order_id: OrderId | None = None
    customer_id: Annotated[str, Field(min_length=1, max_length=100)] | None = None
    query: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    """Words that must all be in the order."""

    @model_validator(mode="after")
    def _asks_something(self) -> Self:
        if self.order_id is None and self.customer_id is None and self.query is None:
            raise ValueError("give order_id, customer_id or query")
        return self


async def _read(orders: Orders, args: SearchArgs) -> Json:
    """{"orders": at most ten, "found": how many there are}."""
    if args.order_id is None:
        found = await orders.search(customer_id=args.customer_id, words=args.query)
    else:
        order = await orders.order(args.order_id)
        found = [order] if order and args.customer_id in (None, order.get("customer_id")) else []
    return {"orders": [*found[:_MOST]], "found": len(found)}


SEARCH_ORDERS = PureTool(
    name="search_orders",
    about=(
        "Read orders: by order_id, or by customer_id and words. An order has its items, amount and currency (in minor "
        "units), payment, address and what the customer wrote."
    ),
    args=SearchArgs,
    read=_read,
    example={"order_id": "1182"},
    system="orders",
)
