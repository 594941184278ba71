"""The counter-action `void_authorisation`: releases a hold. One that is cancelled or expired already is released.

A hold that was captured meanwhile is a person's matter (Refused, `captured`): somebody meant to take that money. Unless
this very run took it: its commit landed after the log had settled that it never would, no row will refund it, and what
the run took goes back.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Annotated

from pydantic import Field

from activities.providers.intent import Intent
from activities.providers.payments import INDEX_LAG_S, KEY_LIFE_S, UNDO_PACE, Payments
from compensations.payment_undo import PaymentUndo
from saga.errors import NotSent, Refused
from saga.outcome import Receipt, Sighting
from saga.record import Typed
from saga.tool import Call, CounterTool, Tags


class VoidArgs(Typed):
    """Which hold, by the key of the step that asked for it."""

    authorisation_key: Annotated[str, Field(min_length=1, max_length=64)]


async def _perform(payments: Payments, call: Call[VoidArgs]) -> Receipt:
    return await _undo(payments, call).perform()


async def _find(payments: Payments, call: Call[VoidArgs]) -> Sequence[Sighting]:
    return await _undo(payments, call).find()


def _undo(payments: Payments, call: Call[VoidArgs]) -> PaymentUndo:
    key = call.args.authorisation_key
    ref = call.external_ref or call.ref_of(key)
    if ref is None:
        raise NotSent("the hold to release is not known yet", code="no_reference", lasting=True)
    return PaymentUndo(
        payments=payments,
        tags=call.tags,
        ref=ref,
        forward_key=key,
        reason="the run that took this was undone",
        # Our key is the cancel's, which can have no other mark, and may be spent on one that came too late.
        refund_header=f"{call.key}:refund",
        judge=partial(_captured, tags=call.tags),
    )


def _captured(intent: Intent, *, tags: Tags) -> None:
    if not intent.captured_by_run(tags):
        raise Refused("the hold was captured by somebody else", code="captured")


VOID_AUTHORISATION = CounterTool(
    name="void_authorisation",
    system="payments",
    args=VoidArgs,
    perform=_perform,
    find=_find,
    grade="key_and_lookup",
    index_lag_s=INDEX_LAG_S,
    key_life_s=KEY_LIFE_S,
    pace=UNDO_PACE,
)
