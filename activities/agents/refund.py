"""The agent `refund`: a customer's complaint about one order is put right, by money back or by goods sent again."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from activities.order_id import OrderId
from saga.agent import Agent
from saga.record import Typed


class RefundRequest(Typed):
    """What support asks for."""

    order_id: OrderId
    customer_id: Annotated[str, Field(pattern=r"^[A-Za-z0-9_]{1,100}$")]
    receipt: bool = False
    """Whether the customer is to be mailed a receipt for what is charged."""


def _brief(request: RefundRequest) -> str:
    receipt = "wants a receipt" if request.receipt else "wants no receipt"
    return f"""You settle a complaint about order {request.order_id} of customer {request.customer_id}, who {receipt}.

Read the order and what the shop's policy says. The goods are to be sent again: stage a ticket for the support team, \
set the goods aside, hold the fee for sending again (reship_fee_minor of the order), and draft one letter that tells \
the customer.

What you stage, a person sees before anything of it is carried out; the harness carries it out, not you. Prefer what \
can be staged to what happens at once. If a call's outcome is "unknown" or "repeated", do not ask for it again in \
other words. If you cannot or should not decide something, call request_human_review and say why. When everything is \
staged, answer without a call."""


REFUND = Agent(
    name="refund",
    request=RefundRequest,
    tools=(
        "search_orders",
        "lookup_policy",
        "draft_email",
        "stage_ticket",
        "create_ticket",
        "authorise_payment",
        "charge_card",
        "reship",
        "refund_order",
        "send_email",
    ),
    brief=_brief,
    subject=lambda request: request.order_id,
    pivot=(
        "The approval of the whole proposal: after it the payment is captured, the parcel leaves, the ticket is "
        "published and the letter is sent."
    ),
    why_no_earlier=(
        "Each part depends on the others being possible: a fee must not be taken for goods that are out of stock, and "
        "the letter must not promise what the card or the warehouse may still refuse. So all are staged first."
    ),
    paged="The support lead on duty.",
)
