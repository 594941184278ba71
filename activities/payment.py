"""What is asked of somebody's card, taken at once or held: the arguments that two tools share."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, ValidationInfo, field_validator

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


class Hold(Payment):
    """Money held for an order, and how much of it is to be taken at the commit: all, where nothing is said."""

    capture_minor: Annotated[
        AmountMinor | None,
        Field(description="how much of the hold is taken in the end, in the same unit; the rest is released"),
    ] = None

    @field_validator("capture_minor")
    @classmethod
    def _no_more_than_is_held(cls, capture_minor: int | None, info: ValidationInfo) -> int | None:
        held = info.data.get("amount_minor")
        if capture_minor is not None and held is not None and capture_minor > held:
            raise ValueError(f"no more than amount_minor, which is held: {held}")
        return capture_minor

    @property
    def to_take(self) -> Money:
        """What the commit takes; what is left of the hold, Stripe releases with it."""
        return Money(amount_minor=self.capture_minor or self.amount_minor, currency=self.currency)


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
