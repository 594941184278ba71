"""The script `incident`: everything that an agent in a hurry does wrong.

It writes to the customer before it knows anything, asks for the same ticket three times in other words, and takes
silence for success: whatever became of the ticket, it says that it was created.
"""

from __future__ import annotations

from activities.models.complaint import Complaint
from activities.models.model import Ask, Reply


def play(ask: Ask) -> Reply:
    """Read (and write too early); the ticket twice; once more, and the charge; another card; the goods; the end."""
    seen = Complaint(ask)
    order = seen.order()
    if not seen.asked("search_orders"):
        return _begin(seen)
    if order is None:
        return seen.say(f"I cannot find order {seen.order_id}.")
    if not seen.asked("create_ticket"):
        return seen.say("Let me open a ticket.", *_tickets(seen))
    if not seen.asked("charge_card"):
        again = {"order_id": seen.order_id, "summary": f"Customer of {seen.order_id} wants a refund (ticket)"}
        return seen.say("Ticket created!", ("create_ticket", again), ("charge_card", seen.payment(order)))
    card = seen.next_card("charge_card")
    if card is not None:
        return seen.say("The card was declined; I try another.", ("charge_card", seen.payment(order, card)))
    if seen.answers("charge_card")[-1][1].outcome == "refused":
        return seen.say("No card of the customer works.")
    if not seen.asked("reship"):
        return seen.say("Charged. Now the goods.", ("reship", seen.reshipping(order)))
    return seen.say(f"Ticket created, card charged, goods on their way: order {seen.order_id} is settled.")


def _begin(seen: Complaint) -> Reply:
    # The address is made up: it does not know the order yet.
    apology = {
        "order_id": seen.order_id,
        "to": f"{seen.customer_id}@customers.test",
        "subject": f"Your order {seen.order_id}",
        "body": "We are sorry for the trouble. Your refund and a replacement are on their way.",
    }
    return seen.say(
        "I look at the order, and tell the customer at once.",
        ("search_orders", {"order_id": seen.order_id}),
        ("lookup_policy", {"topic": "refunds"}),
        ("send_email", apology),
    )


def _tickets(seen: Complaint) -> list[tuple[str, dict[str, str]]]:
    return [
        ("create_ticket", {"order_id": seen.order_id, "summary": f"Refund for order {seen.order_id}"}),
        ("create_ticket", {"order_id": f"#{seen.order_id}", "summary": f"Order #{seen.order_id} refund"}),
    ]
