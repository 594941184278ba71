"""A fee: what Stripe keeps for itself of a payment, as its balance transaction says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from saga.record import Json


@dataclass(frozen=True, kw_only=True)
class Fee:
    """Minor units of the currency in which the account is paid out, which need not be the payment's.

    Signed: an account on other terms may be given back a part of it with a refund, which then has a fee below zero.
    """

    minor: int
    currency: str

    @classmethod
    def of(cls, booked: Any) -> Fee | None:
        """Read Stripe's balance transaction. None where nothing is booked yet, or it is only named.

        ValueError, TypeError or KeyError where it is something else.
        """
        if not isinstance(booked, Mapping):
            return None
        return cls(minor=int(booked["fee"]), currency=str(booked["currency"]))

    def plus(self, other: Fee | None) -> Fee:
        """Both together; a fee that is not booked adds nothing, and neither does one in another currency."""
        if other is None or other.currency != self.currency:
            return self
        return Fee(minor=self.minor + other.minor, currency=self.currency)


def fee_said(name: str, fee: Fee | None, currency: str) -> Json:
    """The fee as a field of a record in `currency`: null where nobody knows it, with its own currency if another."""
    if fee is None:
        return {f"{name}_minor": None}
    own: Json = {} if fee.currency == currency else {f"{name}_currency": fee.currency}
    return {f"{name}_minor": fee.minor, **own}
