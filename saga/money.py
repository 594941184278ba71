"""Money: integer minor units with a currency, end to end. Never a float, never a string."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

_WHOLE = ("bif", "clp", "djf", "gnf", "jpy", "kmf", "krw", "mga", "pyg", "rwf", "vnd", "vuv", "xaf", "xof", "xpf")
_THOUSANDTHS = ("bhd", "jod", "kwd", "omr", "tnd")
_EXPONENTS: dict[str, int] = {**dict.fromkeys(_WHOLE, 0), **dict.fromkeys(_THOUSANDTHS, 3)}
"""Currencies whose minor unit is not a hundredth, as Stripe counts them (docs.stripe.com/currencies; ISK in hundredths,
for the sake of old callers)."""

AmountMinor = Annotated[int, Field(strict=True, gt=0, le=99_999_999)]
"""An amount in minor units (cents). The ceiling is Stripe's: eight digits."""

Currency = Annotated[str, Field(strict=True, pattern=r"^[a-z]{3}$")]
"""A three-letter ISO 4217 code in lower case, as Stripe writes it."""


class Money(BaseModel):
    """An amount of one currency, in its minor unit."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    amount_minor: Annotated[int, Field(strict=True, ge=0)]
    currency: Currency

    def __str__(self) -> str:
        """As a person reads it: ``49.00 EUR``, ``9800 JPY``."""
        digits = _EXPONENTS.get(self.currency, 2)
        whole, part = divmod(self.amount_minor, 10**digits)
        text = f"{whole}.{part:0{digits}d}" if digits else str(whole)
        return f"{text} {self.currency.upper()}"

    def __add__(self, other: Money) -> Money:
        """The sum; adding two currencies is a bug and raises ValueError."""
        if self.currency != other.currency:
            raise ValueError(f"{self.currency} and {other.currency} do not add up")
        return Money(amount_minor=self.amount_minor + other.amount_minor, currency=self.currency)
