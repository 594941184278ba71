"""An agent of shelves and its tools, one of every kind: staged with a commit half, costly, irreversible, pure."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from saga.draft import CounterCall
from saga.keys import OPEN_KEY
from saga.money import AmountMinor, Currency
from saga.record import Json, Typed
from tests.build import make_agent, make_pure, make_registry, make_tool, money


class ShipArgs(Typed):
    """Arguments of the commit half."""

    box_key: Annotated[str, Field(min_length=1)]
    words: str = ""


class BuyArgs(Typed):
    """Arguments of a tool that takes money."""

    amount_minor: AmountMinor
    currency: Currency = "eur"


def correction(args: Any) -> CounterCall | None:
    """The message that puts it right; nobody can be told of shelf Z."""
    return taking(args, OPEN_KEY)


def taking(args: Any, key: str) -> CounterCall | None:
    """What undoes `put_box`: shelf Z gives nothing back, and a marked box cannot be taken."""
    extra: Json = {"mark": args.words} if args.words == "marked" else {}
    return None if args.shelf == "Z" else CounterCall(tool="take_box", args={"box_key": key, **extra})


SHIP = make_tool(
    "ship_box", args=ShipArgs, example={"box_key": "k"}, target=lambda _: "a box", identity=("box_key",), refusable=True
)
PUT = make_tool(
    commits="ship_box",
    commit_args=lambda args, key: {"box_key": key, "words": args.words},
    compensate=taking,
    references={"words": "put_box"},
)
BUY = make_tool(
    "buy_box",
    args=BuyArgs,
    example={"amount_minor": 100},
    target=lambda args: str(money(args.amount_minor, args.currency)),
    identity=None,
    why_no_identity="any number of boxes may be bought",
    cost=lambda args: money(args.amount_minor, args.currency),
    max_cost=money(10_000),
)
SHOUT = make_tool(
    "shout", tool_class="irreversible", compensate=None, correct=correction, audience=lambda _: ("public",)
)
BURN = make_tool("burn_box", tool_class="irreversible", compensate=None, gate="a fire each time")


async def check_nothing(_reader: Any, _args: Any) -> None:
    """Takes everything."""


KEEP = make_tool(
    "keep_box",
    owned=("words", "shelf"),
    references={"words": "put_box"},
    names=lambda args: (f"shelf:{args.shelf}",),
    points_at=lambda args: (f"words:{args.words}",),
    check=check_nothing,
)
AGENT = make_agent("put_box", "buy_box", "shout", "burn_box", "keep_box", "count_boxes", "weigh_box")
TOOLS = (PUT, SHIP, BUY, SHOUT, BURN, KEEP, make_pure(), make_pure("weigh_box", system="shelf"), make_tool("hide_box"))
REGISTRY = make_registry(*TOOLS, agents=[AGENT])
