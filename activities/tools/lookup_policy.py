"""The tool `lookup_policy`: what the shop has decided about a topic, from the table below."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from saga.record import Json, Typed
from saga.tool import PureTool

POLICIES = {
    "refunds": (
        "A damaged or wrong item is refunded in full within 30 days of delivery, to the card that paid. A refund is "
        "not undone: it needs a person's approval."
    ),
    "re-shipping": (
        "A damaged, wrong or lost item may be sent again instead of refunded, while it is in stock. The order says the "
        "fee (reship_fee_minor); it is waived by a person only."
    ),
    "receipts": "A receipt for a fee goes to the customer only where the request says so.",
    "tickets": "Every complaint about an order has one ticket with the support team, whatever becomes of it.",
    "mail": (
        "The customer is written to once, when everything is decided, in plain words and without blame. Nothing is "
        "promised that has not happened yet."
    ),
}
"""Topic → what holds. An agent's guidance, not its guard: what must not happen, the harness prevents."""


class PolicyArgs(Typed):
    """What to look up."""

    topic: Annotated[str, Field(min_length=1, max_length=100)]


async def _read(_: Any, args: PolicyArgs) -> Json:
    """{"topic", "policy"}, or {"topic", "policy": null, "topics": those there are}."""
    wanted = _letters(args.topic)
    found = next((name for name in POLICIES if _letters(name) in wanted), None)
    if found is None:
        return {"topic": args.topic, "policy": None, "topics": [*POLICIES]}
    return {"topic": found, "policy": POLICIES[found]}


def _letters(topic: str) -> str:
    """A topic without what people write differently: case, hyphens, the plural."""
    return "".join(each for each in topic.casefold() if each.isalpha()).removesuffix("s")


LOOKUP_POLICY = PureTool(
    name="lookup_policy",
    about=f"What the shop has decided about a topic: {', '.join(POLICIES)}.",
    args=PolicyArgs,
    read=_read,
    example={"topic": "refunds"},
)
