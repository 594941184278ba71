"""The counter-action `refund_charge`: gives back what a step took, as far as it is not back already."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from activities.payment import Reason
from activities.providers.payments import INDEX_LAG_S, KEY_LIFE_S, UNDO_PACE, Payments
from compensations.payment_undo import PaymentUndo
from saga.errors import NotSent
from saga.money import AmountMinor, Currency, Money
from saga.outcome import Receipt, Sighting
from saga.record import Typed
from saga.tool import Call, CounterTool


class RefundArgs(Typed):
    """Which charge, by the key of the step that took it, and how much it took."""

    charge_key: Annotated[str, Field(min_length=1, max_length=64)]
    amount_minor: AmountMinor
    currency: Currency
    reason: Reason


async def _perform(payments: Payments, call: Call[RefundArgs]) -> Receipt:
    return await _undo(payments, call).perform()


async def _find(payments: Payments, call: Call[RefundArgs]) -> Sequence[Sighting]:
    return await _undo(payments, call).find()


def _undo(payments: Payments, call: Call[RefundArgs]) -> PaymentUndo:
    args = call.args
    ref = call.external_ref or call.ref_of(args.charge_key)
    if ref is None:
        raise NotSent("the charge to refund is not known yet", code="no_reference", lasting=True)
    return PaymentUndo(
        payments=payments,
        tags=call.tags,
        ref=ref,
        forward_key=args.charge_key,
        reason=args.reason,
        at_most=Money(amount_minor=args.amount_minor, currency=args.currency),
    )


REFUND_CHARGE = CounterTool(
    name="refund_charge",
    system="payments",
    args=RefundArgs,
    perform=_perform,
    find=_find,
    grade="key_and_lookup",
    index_lag_s=INDEX_LAG_S,
    key_life_s=KEY_LIFE_S,
    pace=UNDO_PACE,
)
