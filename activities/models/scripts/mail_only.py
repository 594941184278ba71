"""The script `mail_only`: asks for one letter, which waits for approval, and nothing else."""

from __future__ import annotations

from activities.models.complaint import Complaint
from activities.models.model import Ask, Reply


def play(ask: Ask) -> Reply:
    """The letter; the end."""
    seen = Complaint(ask)
    if seen.asked("send_email"):
        return seen.say("The letter waits for your approval.")
    letter = {
        "order_id": seen.order_id,
        "to": f"{seen.customer_id}@customers.test",
        "subject": f"Your order {seen.order_id}",
        "body": "We have received your complaint and will write again.",
    }
    return seen.say("I write to the customer.", ("send_email", letter))
