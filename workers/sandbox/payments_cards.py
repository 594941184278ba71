"""Stripe's test cards: what happens when one is charged, and when that is refunded."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Card:
    """A test card: what happens when it is charged (`code`) and when that is refunded (`refund`)."""

    last4: str
    code: str | None = None
    decline_code: str | None = None
    message: str = ""
    refund: str = "succeeded"


CARDS = {
    "pm_card_visa": Card("4242"),
    "pm_card_mastercard": Card("4444"),
    "pm_card_chargeDeclined": Card("0002", "card_declined", "generic_decline", "Your card was declined."),
    "pm_card_chargeDeclinedInsufficientFunds": Card(
        "9995", "card_declined", "insufficient_funds", "Your card has insufficient funds."
    ),
    "pm_card_chargeDeclinedExpiredCard": Card("0069", "expired_card", None, "Your card has expired."),
    "pm_card_pendingRefund": Card("7726", refund="pending"),
    "pm_card_refundFail": Card("5126", refund="fails_later"),
}
"""Stripe's own test payment methods."""
