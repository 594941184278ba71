"""What is asked of somebody's card, taken at once or held: the arguments that two tools share."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from activities.order_id import OrderId
from saga.money import AmountMinor, Currency, Money
from saga.record import Typed

StripeId = Annotated[str, Field(pattern=r"^[A-Za-z0-9_]{1,100}$")]
"""`cus_…`, `pm_…`, `pi_…`: they go into paths. Stripe's are shorter than 100 characters."""

Reason = Annotated[str, Field(min_length=1, max_length=500, description="why, in words, for whoever reads the books")]
"""500 characters are what Stripe's metadata carries."""


class Payment(Typed):
    """Money from a customer for an order. `receipt`: Stripe mails one, to the address it has of the customer."""

    order_id: OrderId
    customer_id: StripeId
    amount_minor: Annotated[AmountMinor, Field(description="in the smallest unit of the currency: 500 is 5.00 EUR")]
    currency: Currency
    payment_method: Annotated[StripeId, Field(description="the order's `payment_method`")] = "pm_card_visa"
    reason: Reason
    receipt: bool = False

    @property
    def money(self) -> Money:
        """The amount with its currency."""
        return Money(amount_minor=self.amount_minor, currency=self.currency)


DECLINES = (
    "card_declined",
    "expired_card",
    "incorrect_cvc",
    "incorrect_number",
    "processing_error",
    "authentication_required",
)
"""Stripe's codes of a card that was not charged, where another card may be (docs.stripe.com/error-codes).

What the issuer said beyond that (`insufficient_funds`, `lost_card`, …) is a decline code under `card_declined`.
"""
