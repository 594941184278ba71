"""The script `refund_money`: gives the order's money back, with a ticket that says so."""

from __future__ import annotations

from activities.models.complaint import Complaint
from activities.models.model import Ask, Reply


def play(ask: Ask) -> Reply:
    """Read; stage the ticket and ask for the refund, which waits for approval; the end."""
    seen = Complaint(ask)
    order = seen.order()
    if not seen.asked("search_orders"):
        return seen.say("I read the order first.", ("search_orders", {"order_id": seen.order_id}))
    if order is None or seen.asked("refund_order"):
        return seen.say("That is all.")
    refund = {
        "order_id": seen.order_id,
        "payment_intent": order["payment_intent"],
        "amount_minor": order["amount_minor"],
        "currency": order["currency"],
        "reason": order["complaint"],
        "customer_email": order["customer_email"],
    }
    return seen.say(
        "The money goes back.",
        ("stage_ticket", {"order_id": seen.order_id, "summary": f"Refund of order {seen.order_id}"}),
        ("refund_order", refund),
    )
