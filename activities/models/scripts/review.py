"""The script `review`: stages a ticket and then asks for a person."""

from __future__ import annotations

from activities.models.complaint import Complaint
from activities.models.model import Ask, Reply


def play(ask: Ask) -> Reply:
    """The ticket; the person; the end, should anybody ask again."""
    seen = Complaint(ask)
    if not seen.asked("stage_ticket"):
        ticket = {"order_id": seen.order_id, "summary": f"Order {seen.order_id} needs a look"}
        return seen.say("I stage a ticket.", ("stage_ticket", ticket))
    if not seen.asked("request_human_review"):
        reason = f"the complaint about order {seen.order_id} is not covered by a policy"
        return seen.say("I cannot decide this.", ("request_human_review", {"reason": reason}))
    return seen.say("I leave it to you.")
