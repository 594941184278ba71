"""Giving back what a purchase took: never more than is left of it, which is charged less used less given back.

What is left can change between reading and asking: read, ask, and where the service says that it is more than is left,
read again. Whoever gave it back before us did our work.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from activities.providers.thing import Thing
from activities.providers.workspaces import Workspaces
from saga.errors import NotSent, Refused, Unanswered
from saga.money import Money
from saga.outcome import Receipt, Sighting
from saga.record import Json
from saga.tool import Tags

_LOOKS = 2
"""How often what is left may change under our hands. More often, and somebody is at work there."""


@dataclass(frozen=True, kw_only=True)
class PurchaseUndo:
    """One counter-action on one purchase, under one key."""

    workspaces: Workspaces
    tags: Tags
    ref: str
    forward_key: str
    at_most: Money
    """What the forward step took."""
    reason: str

    async def perform(self) -> Receipt:
        """Given back, or `pending`; Refused where a person has to decide."""
        for look in range(_LOOKS):
            books = await self._read()
            done = books.done(self.tags.key)
            if done is not None:
                return done.receipt().model_copy(update={"found": look == 0})
            if books.left_minor <= 0:
                raise Refused("all of it has been used; nothing is left to give back", code="nothing_left")
            amount_minor = min(books.left_minor, self.at_most.amount_minor)
            try:
                refund = await self.workspaces.make(
                    "refunds", self.tags, purchase_id=self.ref, amount_minor=amount_minor, reason=self.reason
                )
            except Refused as refusal:
                if refusal.code != "over_refund":
                    raise
            else:
                return books.adding(refund).settled(refund).receipt()
        raise Refused("what is left of it changes all the time", code="over_refund")

    async def find(self) -> Sequence[Sighting]:
        """What of this counter-action stands in the world; also where somebody else did the same."""
        books = await self._read()
        ours = [each for each in books.refunds if each.key == self.tags.key]
        if ours:
            # One that failed says nothing beside one that did not.
            return [books.sighting(each) for each in _live(ours) or ours[-1:]]
        done = books.done(self.tags.key)
        return [done] if done is not None else []

    async def _read(self) -> Books:
        purchase = await self.workspaces.one("purchases", self.ref)
        if purchase is None:
            raise NotSent("the purchase is gone", code="gone", lasting=True)
        if not purchase.carries(self.forward_key):
            # A reference that a person typed in may be anybody's purchase.
            raise NotSent(f"{self.ref} does not carry the key of the step to undo", code="not_ours", lasting=True)
        if purchase.fields.get("currency") != self.at_most.currency:
            raise NotSent(f"{self.ref} is not in {self.at_most.currency}", code="another_currency", lasting=True)
        refunds = await self.workspaces.refunds(self.ref)
        if _amount(purchase, "refunded_minor") > sum(_amount(each, "amount_minor") for each in _live(refunds)):
            raise NotSent("the service names more given back than it shows refunds for", code="blind")
        return Books(purchase=purchase, refunds=tuple(refunds), reason=self.reason)


@dataclass(frozen=True, kw_only=True)
class Books:
    """A purchase with all its refunds, as they were read together."""

    purchase: Thing
    refunds: tuple[Thing, ...]
    reason: str
    """Why it is given back."""

    @property
    def returned_minor(self) -> int:
        """What went back or is on its way."""
        return sum(_amount(each, "amount_minor") for each in _live(self.refunds))

    @property
    def left_minor(self) -> int:
        """What may still go back."""
        return _amount(self.purchase, "amount_minor") - _amount(self.purchase, "used_minor") - self.returned_minor

    def adding(self, refund: Thing) -> Books:
        """With one more refund."""
        others = tuple(each for each in self.refunds if each.id != refund.id)
        return Books(purchase=self.purchase, refunds=(*others, refund), reason=self.reason)

    def done(self, key: str) -> Sighting | None:
        """What is given back already, by this key or, all that was left, by anybody. Refused: this key's has failed."""
        ours = [each for each in self.refunds if each.key == key]
        if ours:
            return self.settled((_live(ours) or ours)[-1])
        theirs = _live(self.refunds)
        if not theirs or self.left_minor > 0:
            return None
        # One that is on its way may still fail, and then not all of it went back.
        last = next((each for each in theirs if each.meaning == "pending"), theirs[-1])
        return self.sighting(last, already=True, by="somebody_else").model_copy(update={"execution": None})

    def settled(self, refund: Thing) -> Sighting:
        """A refund of ours. Refused where it has failed: its key names it for ever."""
        if refund.meaning == "failed":
            raise Refused("the refund has failed", code="refund_failed", remembered=True)
        return self.sighting(refund)

    def sighting(self, refund: Thing, **more: str | bool) -> Sighting:
        """A refund with the whole reckoning beside it: what was taken, used and kept, and what went back in all."""
        kept = refund if "fee_kept_minor" in refund.fields else self.purchase
        reckoning: Json = {
            "original_minor": _amount(self.purchase, "amount_minor"),
            "compensated_minor": self.returned_minor,
            "used_minor": _amount(self.purchase, "used_minor"),
            "kept_fee_minor": _amount(kept, "fee_kept_minor" if kept is refund else "fee_minor"),
            "currency": self.purchase.fields["currency"],
            "reason": self.reason,
            **more,
        }
        return refund.sighting(**reckoning)


def _live(refunds: Sequence[Thing]) -> list[Thing]:
    return [each for each in refunds if each.meaning != "failed"]


def _amount(thing: Thing, field: str) -> int:
    try:
        return thing.number(field)
    except Unanswered as error:  # read, not written: nothing was sent
        raise NotSent(error.message, code=error.code) from None
