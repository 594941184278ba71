"""The script `refund`: the plan as it should be. It reads, stages everything in one answer, and stops.

Sent back by a reviewer it does not ask again for what was struck: the rest stands as it is.
"""

from __future__ import annotations

from typing import Any

from activities.models.complaint import Complaint
from activities.models.model import Ask, Reply


def play(ask: Ask) -> Reply:
    """Read; stage; another card where one was declined; the end."""
    seen = Complaint(ask)
    order = seen.order()
    if seen.note:
        return seen.say("Understood. I leave out what you struck; the rest is ready as it stands.")
    if seen.asked("request_human_review"):
        return seen.say("I leave it to you.")
    if not seen.asked("search_orders"):
        return seen.say(
            "I read the order and the policy first.",
            ("search_orders", {"order_id": seen.order_id, "customer_id": seen.customer_id}),
            ("lookup_policy", {"topic": "re-shipping"}),
        )
    if order is None:
        reason = f"order {seen.order_id} of customer {seen.customer_id} was not found"
        return seen.say("This is not mine to guess.", ("request_human_review", {"reason": reason}))
    if not seen.asked("stage_ticket"):
        return _stage(seen, order)
    card = seen.next_card("authorise_payment")
    if card is not None:
        return seen.say("Declined; I try the other card.", ("authorise_payment", seen.payment(order, card)))
    if seen.answers("authorise_payment")[-1][1].outcome == "refused":
        reason = "no card of the customer takes the fee for sending the goods again"
        return seen.say("A person must say what to do.", ("request_human_review", {"reason": reason}))
    return seen.say(f"Everything for order {seen.order_id} is staged and waits for your approval.")


def _stage(seen: Complaint, order: dict[str, Any]) -> Reply:
    item = order["items"][0]["name"]
    letter = {
        "order_id": seen.order_id,
        "to": order["customer_email"],
        "subject": f"Your order {seen.order_id}: a new {item} is on its way",
        "body": (
            f"Dear {order['customer_name']},\n\nthank you for telling us: “{order['complaint']}” We are sorry. We are "
            f"sending you a new one ({item}) to the address of your order.\n\nYour support team"
        ),
    }
    ticket = {
        "order_id": seen.order_id,
        "summary": f"Send order {seen.order_id} again: {item}",
        "description": f"The customer wrote: {order['complaint']}",
    }
    return seen.say(
        "I stage the letter, the ticket, the fee and the goods. Nothing of it is seen outside before you approve.",
        ("draft_email", letter),
        ("stage_ticket", ticket),
        ("authorise_payment", seen.payment(order)),
        ("reship", seen.reshipping(order)),
    )
