"""A payment intent as a saga needs it: whose it is, how far it has come, what was taken and what went back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from activities.providers.fee import Fee, fee_said
from saga.errors import Refused, Unanswered
from saga.outcome import Receipt, Sighting
from saga.record import Json
from saga.tool import Tags

HOLD_S = 4 * 86_400 + 18 * 3_600
"""How long a hold is counted on where the charge does not say (`capture_before`; for cards it does).

Seven days are typical for online card payments, but Visa gives a merchant-initiated one, as ours are, four days and
18 hours (docs.stripe.com/payments/place-a-hold-on-a-payment-method). The shorter: an approval must not come too late.
"""

CAPTURE_KEY = "saga_capture_key"
"""Metadata of a captured intent: the commit half's key, beside the staged half's `saga_key`, which stays."""

State = Literal["standing", "undone", "pending", "failed"]
_OF_STATUS: dict[str, State] = {
    "requires_capture": "standing",
    "succeeded": "standing",
    "processing": "pending",
    "canceled": "undone",
}
"""In every other status no money is held or taken, and nobody but us could confirm it: failed."""

_EXPIRED = ("expired", "automatic")
"""Why Stripe cancels a hold that has run out: the second in API versions before 2025-03-31, which also made a refund
of it and of what a capture in part releases. The `stripe` package names a later version in every request."""


@dataclass(frozen=True, kw_only=True)
class Intent:
    """One payment intent, read with its latest charge. Amounts in minor units of `currency`."""

    ref: str
    status: str
    currency: str
    amount_minor: int
    """Authorised."""
    captured_minor: int
    """Taken of that, once; the rest was released with it and was never anybody's to give back."""
    returned_minor: int
    """Refunded of what was taken, pending refunds included."""
    returned: bool
    """The whole of what was captured went back."""
    disputed: bool
    reason: str
    """Why it was cancelled, in Stripe's word."""
    marks: Mapping[str, str]
    """Its metadata."""
    holds_until: datetime
    fee: Fee | None = None
    """What Stripe took for itself; None: not booked (yet)."""

    @classmethod
    def of(cls, said: Mapping[str, Any]) -> Intent:
        """Read Stripe's object. Unanswered where it is none: a body without an id is no answer."""
        try:
            charge = said.get("latest_charge")
            charge = charge if isinstance(charge, Mapping) else {}
            card = (charge.get("payment_method_details") or {}).get("card") or {}
            return cls(
                ref=text(said["id"]),
                status=text(said["status"]),
                currency=text(said["currency"]),
                amount_minor=int(said["amount"]),
                captured_minor=int(said.get("amount_received") or 0),
                returned_minor=int(charge.get("amount_refunded") or 0),
                returned=bool(charge.get("refunded")),
                fee=Fee.of(charge.get("balance_transaction")),
                disputed=bool(charge.get("disputed")),
                reason=str(said.get("cancellation_reason") or ""),
                marks={str(name): str(value) for name, value in (said.get("metadata") or {}).items()},
                holds_until=_moment(card.get("capture_before") or int(said["created"]) + HOLD_S),
            )
        except (KeyError, TypeError, ValueError, AttributeError):
            raise Unanswered("the answer is no payment intent", code="no_intent") from None

    @property
    def captured(self) -> bool:
        """Money was taken."""
        return self.status == "succeeded"

    @property
    def released_minor(self) -> int:
        """What was held and not taken, once it is decided."""
        return self.amount_minor - self.captured_minor

    @property
    def expired(self) -> bool:
        """The hold has run out, and Stripe let go of it."""
        return self.status == "canceled" and self.reason in _EXPIRED

    @property
    def state(self) -> State:
        """Where the effect stands in the world."""
        if self.captured and self.returned:
            return "undone"
        return _OF_STATUS.get(self.status, "failed")

    @property
    def execution(self) -> str | None:
        """The execution that it names as its owner."""
        return self.marks.get("saga_execution")

    def is_of(self, key: str) -> bool:
        """Whether it is the effect of that key: created under it, or captured under it."""
        return key in (self.marks.get("saga_key"), self.marks.get(CAPTURE_KEY))

    def captured_by_run(self, tags: Tags) -> bool:
        """Whether it was this very run that captured it."""
        whose = (self.marks.get("saga_run"), self.execution)
        return self.captured and CAPTURE_KEY in self.marks and whose == (tags.run_id, tags.execution)

    def sighting(self) -> Sighting:
        """As a lookup saw it."""
        return Sighting(
            external_ref=self.ref,
            state=self.state,
            result=self._result(),
            execution=self.execution,
            holds_until=self.holds_until if self.status == "requires_capture" else None,
        )

    def receipt(self) -> Receipt:
        """As the provider's answer. Refused where it says that no money is held or taken."""
        if self.state == "failed":
            raise Refused(f"the payment stopped at {self.status}", code=self.status, remembered=True)
        return self.sighting().receipt()

    def _result(self) -> Json:
        said: Json = {"status": self.status, "amount_minor": self.amount_minor, "currency": self.currency}
        if not self.captured:
            return said
        return {
            **said,
            "amount_minor": self.captured_minor,
            "authorised_minor": self.amount_minor,
            "captured_minor": self.captured_minor,
            "released_minor": self.released_minor,
            **fee_said("fee", self.fee, self.currency),
        }


def text(value: Any) -> str:
    """A text with something in it; ValueError for anything else."""
    if not isinstance(value, str) or not value:
        raise ValueError("not a text")
    return value


def _moment(epoch_s: Any) -> datetime:
    return datetime.fromtimestamp(int(epoch_s), UTC)
