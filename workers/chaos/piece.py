"""A piece: one effect that a kind of run makes, what takes it back, and what a monkey may do to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Kind = Literal["refund", "incident", "refund_money", "mail_only", "review", "garbage"]
"""The scripted models that are let loose; each is a kind of run."""


@dataclass(frozen=True, kw_only=True)
class Piece:
    """One effect. `made` and `undone` are kinds as the sandbox names them; `undone` None: nothing takes it back."""

    tool: str
    system: str
    operation: str
    """What the sandbox calls the request that makes it."""
    made: str
    undone: str | None = None
    undo_operation: str = ""
    staged: str | None = None
    """The tool of the staged half, where this is the commit half of one."""
    paid: Literal["fee", "order"] | None = None
    """What it moves: the fee for sending the goods again, or the order's whole amount."""
    follows_payment: bool = False
    """Not asked for where no card of the customer works."""


DRAFT = Piece(
    tool="draft_email",
    system="mail",
    operation="draft",
    made="mail.draft",
    undone="mail.delete",
    undo_operation="delete",
)
TICKET_DRAFT = Piece(
    tool="stage_ticket",
    system="tickets",
    operation="create",
    made="ticket.create",
    undone="ticket.delete",
    undo_operation="delete",
)
TICKET = Piece(
    tool="create_ticket",
    system="tickets",
    operation="create",
    made="ticket.create",
    undone="ticket.transition",
    undo_operation="transition",
)
HOLD = Piece(
    tool="authorise_payment",
    system="payments",
    operation="authorise",
    made="charge.authorise",
    undone="charge.cancel",
    undo_operation="cancel",
    paid="fee",
    follows_payment=True,
)
CHARGE = Piece(
    tool="charge_card",
    system="payments",
    operation="capture",
    made="charge.capture",
    undone="charge.refund",
    undo_operation="refund",
    paid="fee",
    follows_payment=True,
)
GOODS = Piece(
    tool="reship",
    system="warehouse",
    operation="reserve",
    made="goods.reserve",
    undone="goods.release",
    undo_operation="release",
)
CAPTURE = Piece(
    tool="capture_payment",
    system="payments",
    operation="capture",
    made="charge.capture",
    undone="charge.refund",
    undo_operation="refund",
    staged="authorise_payment",
    paid="fee",
    follows_payment=True,
)
PARCEL = Piece(tool="ship_parcel", system="warehouse", operation="confirm", made="parcel.send", staged="reship")
PUBLISHED = Piece(
    tool="publish_ticket", system="tickets", operation="transition", made="ticket.transition", staged="stage_ticket"
)
LETTER = Piece(tool="send_draft", system="mail", operation="send", made="mail.send", staged="draft_email")
WHOLE_LETTER = Piece(tool="send_email", system="mail", operation="send", made="mail.send")
MONEY_BACK = Piece(tool="refund_order", system="payments", operation="refund", made="charge.refund", paid="order")

STAGED: Mapping[Kind, tuple[Piece, ...]] = {
    "refund": (DRAFT, TICKET_DRAFT, HOLD, GOODS),
    "incident": (TICKET, CHARGE, GOODS),
    "refund_money": (TICKET_DRAFT,),
    "review": (TICKET_DRAFT,),
    "mail_only": (),
    "garbage": (),
}
"""What happens before the approval, in the order in which the script asks for it."""

COMMITTED: Mapping[Kind, tuple[Piece, ...]] = {
    "refund": (CAPTURE, PARCEL, PUBLISHED, LETTER),
    "incident": (PARCEL, WHOLE_LETTER),
    "refund_money": (MONEY_BACK, PUBLISHED),
    "review": (PUBLISHED,),
    "mail_only": (WHOLE_LETTER,),
    "garbage": (),
}
"""What happens after it, in the one order that is safe."""

PIECES: Mapping[Kind, tuple[Piece, ...]] = {kind: (*STAGED[kind], *COMMITTED[kind]) for kind in STAGED}
