"""Undoing a payment: what is only held is cancelled, what was taken goes back, never more than is left of it.

Which of the two depends on a state that can change between reading and asking: read, choose, and when Stripe says that
the state is another one, read again. Whoever undid it before us did our work.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from activities.providers.intent import Intent
from activities.providers.payments import Payments
from activities.providers.refund import Refund
from compensations.statement import Statement, total
from saga.errors import NotSent, Refused
from saga.money import Money
from saga.outcome import Receipt, Sighting
from saga.tool import Tags

UNEXPECTED_STATE = "payment_intent_unexpected_state"
_LOOKS = 2
"""How often the state may change under our hands: from held to taken, cancelled or expired, and those are ends."""


@dataclass(frozen=True, kw_only=True)
class PaymentUndo:
    """One counter-action on one payment intent, under one key."""

    payments: Payments
    tags: Tags
    ref: str
    forward_key: str
    reason: str
    at_most: Money | None = None
    """What the forward step took; None: all of it."""
    refund_header: str = ""
    """The Idempotency-Key of a refund, where our key may be spent on a cancel; the metadata carries our key anyway."""
    judge: Callable[[Intent], None] = lambda _: None
    """Raises Refused where money that was taken is not ours to give back."""

    async def perform(self) -> Receipt:
        """Undone, or `pending`; Refused where a person has to decide."""
        intent, header = await self._read(), self.refund_header
        for _ in range(_LOOKS):
            if intent.status == "canceled":
                return self._of(intent).released(already=True).receipt().model_copy(update={"found": True})
            if intent.captured:
                return await self._give_back(intent, header)
            try:
                await self.payments.cancel(self.ref, self.tags)
            except Refused as refusal:
                if refusal.code != UNEXPECTED_STATE:
                    raise
            else:
                return self._of(intent).released(already=False).receipt()
            intent, header = await self._read(), f"{self.tags.key}:refund"
        raise Refused(
            f"it can be neither cancelled nor refunded ({intent.status})", code=intent.status, remembered=True
        )

    async def find(self) -> Sequence[Sighting]:
        """What of this counter-action stands in the world; also where somebody else did the same."""
        intent = await self._read()
        if intent.status == "canceled":
            return [self._of(intent).released(already=True)]
        if not intent.captured:
            return []
        refunds = await self.payments.refunds(self.ref)
        ours = self._ours(intent, refunds)
        if ours:
            return ours
        return [self._of(intent).refunded_by_others(_live(refunds))] if intent.returned and _live(refunds) else []

    async def _read(self) -> Intent:
        intent = await self.payments.intent(self.ref)
        if not intent.is_of(self.forward_key):
            # A reference that a person typed in may be anybody's payment.
            raise NotSent(f"{self.ref} does not carry the key of the step to undo", code="not_ours", lasting=True)
        if self.at_most and self.at_most.currency != intent.currency:
            raise NotSent(f"{self.ref} is in {intent.currency}", code="another_currency", lasting=True)
        return intent

    async def _give_back(self, intent: Intent, header: str) -> Receipt:
        before = await self._refunds(intent)
        done = self._done(intent, before)
        if done is not None:
            return done.model_copy(update={"found": True})
        self.judge(intent)
        if intent.disputed:
            raise Refused("the customer disputes this charge; Stripe decides on the money", code="charge_disputed")
        left_minor = intent.captured_minor - total(before)
        amount_minor = min(left_minor, self.at_most.amount_minor) if self.at_most else left_minor
        try:
            refund = await self.payments.refund(self.ref, amount_minor, self.tags, reason=self.reason, header=header)
        except Refused as refusal:
            # Somebody may have been faster, or our own answer was lost and the key forgotten.
            intent = await self._read()
            done = self._done(intent, await self._refunds(intent))
            if done is not None:
                return done
            raise Refused(refusal.message, code=refusal.code, status=refusal.status, remembered=True) from None
        return _answer(self._of(intent).refunded(refund, before))

    async def _refunds(self, intent: Intent) -> list[Refund]:
        """Oldest first; not asked for where Stripe says that nothing went back."""
        refunds = await self.payments.refunds(self.ref) if intent.returned_minor else []
        if intent.returned_minor and not _live(refunds):
            raise NotSent("Stripe names an amount refunded and no refund", code="blind")
        return refunds

    def _done(self, intent: Intent, refunds: Sequence[Refund]) -> Receipt | None:
        """The receipt of what is undone already, ours or anybody's."""
        ours = self._ours(intent, refunds)
        if ours:
            return _answer(ours[-1])
        if not refunds or intent.captured_minor > total(refunds):
            return None
        return self._of(intent).refunded_by_others(_live(refunds)).receipt()

    def _ours(self, intent: Intent, refunds: Sequence[Refund]) -> list[Sighting]:
        """Those of our key, oldest first. One that failed says nothing beside one that did not."""
        found = [place for place, each in enumerate(refunds) if each.is_of(self.tags.key)]
        told = [place for place in found if refunds[place].state != "failed"] or found[-1:]
        statement = self._of(intent)
        return [
            statement.refunded(refunds[place], [each for each in refunds[:place] if not each.is_of(self.tags.key)])
            for place in told
        ]

    def _of(self, intent: Intent) -> Statement:
        return Statement(intent=intent, reason=self.reason)


def _live(refunds: Sequence[Refund]) -> list[Refund]:
    return [each for each in refunds if each.state != "failed"]


def _answer(refund: Sighting) -> Receipt:
    """As the provider's answer. Refused where it says that nothing went back: its key is spent then."""
    if refund.state == "failed":
        raise Refused(f"the refund is {refund.result['status']}", code="refund_failed", remembered=True)
    return refund.receipt()
