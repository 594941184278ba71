"""The statement of an undo: what was taken or held, what went back by it, what was back before it, and what is gone.

The same whenever it is drawn up: when Stripe answers, when it answers again, or when the undo is found later. What is
not known is null; `original_minor` less `compensated_minor` less `already_refunded_minor` is what is not back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from activities.providers.fee import Fee, fee_said
from activities.providers.intent import Intent
from activities.providers.refund import Refund
from saga.outcome import Sighting
from saga.record import Json


@dataclass(frozen=True, kw_only=True)
class Statement:
    """About one payment intent as it was read, undone for `reason`. Amounts in minor units of its currency."""

    intent: Intent
    reason: str

    def released(self, *, already: bool) -> Sighting:
        """A hold given back: none of it was ever taken, so that Stripe has no fee to keep.

        A cancel leaves no key behind: one found (`already`) may have been ours, unless the hold has run out.
        """
        held, expired = self.intent.amount_minor, self.intent.expired
        found: Json = {"already": True, "by": "expiry" if expired else "unknown"} if already else {}
        lines = self._lines(held, back=0 if expired else held, before=held if expired else 0)
        return Sighting(
            external_ref=self.intent.ref,
            state="standing",
            result={"status": "canceled", **lines, **found, "kept_fee_minor": 0},
            execution=self.intent.execution,
        )

    def refunded(self, refund: Refund, before: Sequence[Refund]) -> Sighting:
        """Money given back by the undo itself, `before` being what was given back until then; failed, it gives none."""
        back = 0 if refund.state == "failed" else refund.amount_minor
        lines = self._lines(self.intent.captured_minor, back=back, before=total(before))
        return Sighting(
            external_ref=refund.ref,
            state=refund.state,
            result={"status": refund.status, **lines, **self._kept([refund])},
            execution=refund.marks.get("saga_execution"),
        )

    def refunded_by_others(self, refunds: Sequence[Refund]) -> Sighting:
        """All of it was back before the undo asked. What somebody else gave back names no owner."""
        last = refunds[-1]
        lines = self._lines(self.intent.captured_minor, back=0, before=total(refunds))
        found: Json = {"already": True, "by": "somebody_else"}
        return Sighting(
            external_ref=last.ref,
            state=last.state,
            result={"status": last.status, **lines, **found, **self._kept(refunds)},
        )

    def _lines(self, original: int, *, back: int, before: int) -> Json:
        return {
            "original_minor": original,
            "compensated_minor": back,
            "already_refunded_minor": before,
            "currency": self.intent.currency,
            "reason": self.reason,
        }

    def _kept(self, refunds: Sequence[Refund]) -> Json:
        kept: Fee | None = self.intent.fee
        for refund in refunds:
            kept = kept and kept.plus(refund.fee)
        return fee_said("kept_fee", kept, self.intent.currency)


def total(refunds: Sequence[Refund]) -> int:
    """What they give back together, those left out that failed."""
    return sum(each.amount_minor for each in refunds if each.state != "failed")
