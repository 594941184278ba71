"""A refund as a saga needs it: whose it is, how much went back, and whether it has arrived."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from activities.providers.fee import Fee
from activities.providers.intent import State, text
from saga.errors import Refused, Unanswered
from saga.outcome import Receipt, Sighting

_OF_STATUS: dict[str, State] = {
    "succeeded": "standing",
    "pending": "pending",
    "requires_action": "pending",
    "failed": "failed",
    "canceled": "failed",
}
"""A status that Stripe may add one day is undecided: pending."""


@dataclass(frozen=True, kw_only=True)
class Refund:
    """One refund; `amount_minor` in minor units of `currency`. One that succeeded may still fail days later."""

    ref: str
    status: str
    amount_minor: int
    currency: str
    marks: Mapping[str, str]
    """Its metadata."""
    fee: Fee | None = None
    """Of giving it back; at most accounts nothing, and nothing of the payment's own comes back with it."""

    @classmethod
    def of(cls, said: Mapping[str, Any]) -> Refund:
        """Read Stripe's object. Unanswered where it is none: a body without an id is no answer."""
        try:
            return cls(
                ref=text(said["id"]),
                status=str(said["status"]),
                amount_minor=int(said["amount"]),
                currency=str(said["currency"]),
                marks={str(name): str(value) for name, value in (said.get("metadata") or {}).items()},
                fee=Fee.of(said.get("balance_transaction")),
            )
        except (KeyError, TypeError, ValueError, AttributeError):
            raise Unanswered("the answer is no refund", code="no_refund") from None

    @property
    def state(self) -> State:
        """Where it stands in the world."""
        return _OF_STATUS.get(self.status, "pending")

    def is_of(self, key: str) -> bool:
        """Whether it was made under that key."""
        return self.marks.get("saga_key") == key

    def sighting(self) -> Sighting:
        """As a lookup saw it."""
        return Sighting(
            external_ref=self.ref,
            state=self.state,
            result={"status": self.status, "amount_minor": self.amount_minor, "currency": self.currency},
            execution=self.marks.get("saga_execution"),
        )

    def receipt(self) -> Receipt:
        """As the provider's answer. Refused where it says that nothing went back: its key is spent then."""
        if self.state == "failed":
            raise Refused(f"the refund is {self.status}", code="refund_failed", remembered=True)
        return self.sighting().receipt()
