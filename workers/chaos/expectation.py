"""What the world must hold at the end of a run, by kind and ending: written by hand, never read from our own log.

A run may be stopped anywhere, so how much of it was staged is asked of the world; what must have become of that is not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from workers.chaos.piece import COMMITTED, PIECES, STAGED, Kind, Piece
from workers.holding import Holding
from workers.ledger import LIVE
from workers.sandbox.fixtures import ORDERS

Ending = Literal["COMMITTED", "UNWOUND", "KEPT", "REFUSED", "TERMINATED"]
"""KEPT: cancelled by an approver who asked to keep what was settled."""


@dataclass(frozen=True, kw_only=True)
class Story:
    """What the bench itself did and saw of one run."""

    kind: Kind
    order_id: str
    ending: Ending
    seen: Mapping[str, str] = field(default_factory=dict[str, str])
    """Kind → state of the run's effects in the world, those that undo nothing."""
    touched: frozenset[str] = frozenset()
    """Kinds of effects that a person or a provider took away, as the sandbox has answered."""
    moved: bool = False
    """Somebody moved the draft of the ticket into another project's queue, where it is published."""
    struck: frozenset[str] = frozenset()
    """Tools of the commits that a reviewer left out."""
    waived: frozenset[tuple[str, str]] = frozenset()
    """(tool, half) that a person left as it was, on their name."""
    declined: bool = False
    """A card may have been declined for good: then the script goes on without the money."""


def must_hold(story: Story) -> tuple[Holding, ...]:
    """All of it: an effect that is not named here is one too many."""
    if story.ending in ("COMMITTED", "TERMINATED"):
        return tuple(_committed(story))
    if story.ending == "UNWOUND":
        return tuple(_unwound(story))
    if story.ending == "KEPT":
        return tuple(_kept(story))
    return ()


def _committed(story: Story) -> Iterator[Holding]:
    """Each piece once, standing; of a struck commit nothing is left, of a waived one whatever there is."""
    unpaid = story.declined and not any(each.startswith("charge.") for each in story.seen)
    gone = {each.staged for each in COMMITTED[story.kind] if each.tool in story.struck}
    for piece in PIECES[story.kind]:
        if (unpaid and _needs_money(story.kind, piece)) or piece.tool in story.struck:
            continue
        done_by_hand = story.moved and piece.tool == "publish_ticket"
        if (done_by_hand or (piece.tool, "call") in story.waived) and piece.made not in story.seen:
            continue
        if piece.tool in gone:
            yield from _taken_back(piece, story)
        else:
            yield _standing(piece, story.order_id)


def _needs_money(kind: Kind, piece: Piece) -> bool:
    """The script `incident` stops at the card; `refund` has asked for the goods in the same turn."""
    return piece.follows_payment or (kind == "incident" and piece.system == "warehouse")


def _unwound(story: Story) -> Iterator[Holding]:
    """Whatever was made is neutral; of what nothing takes back there must be none."""
    for piece in PIECES[story.kind]:
        if piece.made in story.seen and piece.undone is not None:
            yield from _taken_back(piece, story)


def _taken_back(piece: Piece, story: Story) -> Iterator[Holding]:
    state = story.seen.get(piece.made)
    if (piece.tool, "compensation") in story.waived and state in LIVE:
        yield _standing(piece, story.order_id)
        return
    if (piece.tool, "call") in story.waived and state is None:
        return
    yield replace(_standing(piece, story.order_id), state="undone")
    # Who closes a ticket by hand leaves no effect of its own, and a hold that expires none either.
    if piece.made not in story.touched and state != "expired":
        amount = {"amount_minor": _fee(story.order_id)["amount_minor"]} if piece.undone == "charge.refund" else {}
        yield Holding(kind=piece.undone or "", undoes=True, **amount)


def _kept(story: Story) -> Iterator[Holding]:
    """Whatever was staged stands, but for what others took away."""
    for piece in STAGED[story.kind]:
        if piece.made in story.seen:
            state = "undone" if piece.made in story.touched else "standing"
            yield replace(_standing(piece, story.order_id), state=state)


def _standing(piece: Piece, order_id: str) -> Holding:
    money: dict[str, Any] = {}
    if piece.paid == "fee":
        money = _fee(order_id)
    elif piece.paid == "order":
        order = ORDERS[order_id]
        money = {"amount_minor": order["amount_minor"], "currency": order["currency"]}
    about = {"order_id": order_id} if piece.system == "warehouse" else {}
    return Holding(kind=piece.made, about=about, **money)


def _fee(order_id: str) -> dict[str, Any]:
    """5.00 EUR, and for the tea set ¥800."""
    return {"amount_minor": 800, "currency": "jpy"} if order_id == "1187" else {"amount_minor": 500, "currency": "eur"}
