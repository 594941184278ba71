"""The counter-action `refund_seats`: what has not been used of a purchase goes back; the provider keeps its fee."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from activities.providers.workspaces import INDEX_LAG_S, UNDO_PACE, Workspaces
from activities.reference import StepKey
from compensations.purchase_undo import PurchaseUndo
from saga.errors import NotSent
from saga.money import AmountMinor, Currency, Money
from saga.outcome import Receipt, Sighting
from saga.record import Typed
from saga.tool import Call, CounterTool


class RefundSeatsArgs(Typed):
    """Which purchase, by the key of the step that made it, what it took, and why it goes back."""

    purchase_key: StepKey
    amount_minor: AmountMinor
    currency: Currency
    reason: Annotated[str, Field(min_length=1, max_length=200)]
    """For whoever reads the books; the service takes no more."""


async def _perform(workspaces: Workspaces, call: Call[RefundSeatsArgs]) -> Receipt:
    return await (await _undo(workspaces, call)).perform()


async def _find(workspaces: Workspaces, call: Call[RefundSeatsArgs]) -> Sequence[Sighting]:
    return await (await _undo(workspaces, call)).find()


async def _undo(workspaces: Workspaces, call: Call[RefundSeatsArgs]) -> PurchaseUndo:
    args = call.args
    return PurchaseUndo(
        workspaces=workspaces,
        tags=call.tags,
        ref=call.external_ref or call.ref_of(args.purchase_key) or await _by_key(workspaces, args.purchase_key),
        forward_key=args.purchase_key,
        at_most=Money(amount_minor=args.amount_minor, currency=args.currency),
        reason=args.reason,
    )


async def _by_key(workspaces: Workspaces, key: str) -> str:
    found = await workspaces.carrying("purchases", key)
    if len(found) != 1:
        raise NotSent(f"{len(found)} purchases carry the key to undo", code="target_unclear")
    return found[0].id


REFUND_SEATS = CounterTool(
    name="refund_seats",
    system="workspaces",
    args=RefundSeatsArgs,
    perform=_perform,
    find=_find,
    grade="key_and_lookup",
    index_lag_s=INDEX_LAG_S,
    pace=UNDO_PACE,
)
