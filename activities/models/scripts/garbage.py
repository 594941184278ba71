"""The script `garbage`: what a model that has lost its way writes (T18, T19). Nothing of it may reach the world."""

from __future__ import annotations

from pydantic import JsonValue

from activities.models.complaint import Complaint
from activities.models.model import Ask, Reply


def play(ask: Ask) -> Reply:
    """One of each kind; then four calls in a row whose arguments do not fit; the end, should anybody ask again."""
    seen = Complaint(ask)
    if seen.turn == 0:
        return seen.say(
            "I do everything at once.",
            ("delete_everything", {}),
            ("create_ticket", '{"order_id": "1182", "summary": '),
            ("charge_card", _charge(seen, "lots")),
            ("refund_charge", {"charge_key": "0" * 32, "amount_minor": 4900, "currency": "eur", "reason": "clean up"}),
            ("capture_payment", {"authorisation_key": "0" * 32, "order_id": seen.order_id}),
        )
    if seen.turn == 1:
        amounts: list[JsonValue] = ["500", 4.5, -500, None]
        return seen.say("I try again.", *(("charge_card", _charge(seen, amount)) for amount in amounts))
    return seen.say("I give up.")


def _charge(seen: Complaint, amount: JsonValue) -> dict[str, JsonValue]:
    return {
        "order_id": seen.order_id,
        "customer_id": seen.customer_id,
        "amount_minor": amount,
        "currency": "eur",
        "reason": "fee",
    }
