"""`void_authorisation` against the sandbox's Stripe: a hold is released, and money that was taken is judged first."""

import pytest

from activities.tools.capture_payment import CAPTURE_PAYMENT
from compensations.refund_charge import REFUND_CHARGE, RefundArgs
from compensations.void_authorisation import VOID_AUTHORISATION, VoidArgs
from saga.errors import NotSent, Refused, Unanswered
from saga.tool import Call
from tests.activities.outside import EXECUTION, UNDO_KEY, Outside, call
from tests.activities.paying import (
    CAPTURE_KEY,
    HOLD_KEY,
    LOST,
    NEVER,
    captured_by_hand,
    hold,
    payments,
    reader,
)

RELEASED = {
    "status": "canceled",
    "original_minor": 500,
    "compensated_minor": 500,
    "already_refunded_minor": 0,
    "kept_fee_minor": 0,
    "currency": "eur",
    "reason": "the run that took this was undone",
}


def undo_of(ref: str) -> Call[VoidArgs]:
    """The counter-action on that hold."""
    return call(VoidArgs(authorisation_key=HOLD_KEY), UNDO_KEY, ref=ref)


async def test_the_hold_is_released_under_its_own_key(outside: Outside):
    held, _ = await hold(outside)
    receipt = await VOID_AUTHORISATION.perform(payments(outside), undo_of(held.external_ref))
    assert [(each.kind, each.key, each.state) for each in outside.effects()] == [
        ("charge.authorise", HOLD_KEY, "undone"),
        ("charge.cancel", UNDO_KEY, "standing"),
    ]
    assert (receipt.external_ref, receipt.execution) == (held.external_ref, EXECUTION)
    assert receipt.result == RELEASED


@LOST
async def test_a_lost_answer_is_unknown_is_found_and_is_done_once(outside: Outside, fault: str):
    held, _ = await hold(outside)
    undo = undo_of(held.external_ref)
    outside.arm("payments", "cancel", fault)
    with pytest.raises(Unanswered):
        await VOID_AUTHORISATION.perform(payments(outside), undo)
    (seen,) = await VOID_AUTHORISATION.find(reader(outside), undo)
    assert (seen.external_ref, seen.state) == (held.external_ref, "standing")
    again = await VOID_AUTHORISATION.perform(payments(outside), undo)
    assert again == seen.receipt().model_copy(update={"found": True})
    assert again.result == {**RELEASED, "already": True, "by": "unknown"}
    assert len(outside.effects("charge.cancel")) == 1


@NEVER
async def test_no_answer_and_nothing_done_is_unknown_and_found_absent(outside: Outside, fault: str):
    held, _ = await hold(outside)
    undo = undo_of(held.external_ref)
    outside.arm("payments", "cancel", fault)
    with pytest.raises(Unanswered):
        await VOID_AUTHORISATION.perform(payments(outside), undo)
    assert await VOID_AUTHORISATION.find(reader(outside), undo) == []


async def test_t12_t15_a_key_in_use_is_unknown_and_a_429_was_not_sent(outside: Outside):
    held, _ = await hold(outside)
    undo = undo_of(held.external_ref)
    outside.arm("payments", "cancel", "in_use")
    with pytest.raises(Unanswered):
        await VOID_AUTHORISATION.perform(payments(outside), undo)
    outside.arm("payments", "cancel", "429:3")
    with pytest.raises(NotSent) as error:
        await VOID_AUTHORISATION.perform(payments(outside), undo)
    assert error.value.retry_after_s == 3


async def test_an_expired_hold_is_released_already(outside: Outside):
    held, _ = await hold(outside)
    await outside.act("payments", held.external_ref, "expire")
    receipt = await VOID_AUTHORISATION.perform(payments(outside), undo_of(held.external_ref))
    assert receipt.result == {
        **RELEASED,
        "compensated_minor": 0,
        "already_refunded_minor": 500,
        "already": True,
        "by": "expiry",
    }
    (seen,) = await VOID_AUTHORISATION.find(reader(outside), undo_of(held.external_ref))
    assert seen.receipt().model_copy(update={"found": True}) == receipt
    assert outside.sent("payments") == ["authorise"]


async def test_money_that_somebody_else_took_is_a_persons_matter(outside: Outside):
    held, _ = await hold(outside)
    await captured_by_hand(outside, held.external_ref)
    with pytest.raises(Refused) as refused:
        await VOID_AUTHORISATION.perform(payments(outside), undo_of(held.external_ref))
    assert refused.value.code == "captured"
    assert await VOID_AUTHORISATION.find(reader(outside), undo_of(held.external_ref)) == []
    assert outside.effects("charge.refund") == []


async def test_t24_money_that_this_run_took_goes_back(outside: Outside):
    held, commit = await hold(outside)
    await CAPTURE_PAYMENT.perform(payments(outside), commit)
    receipt = await VOID_AUTHORISATION.perform(payments(outside), undo_of(held.external_ref))
    (back,) = outside.effects("charge.refund")
    assert (back.key, back.amount_minor, back.ref) == (UNDO_KEY, 500, receipt.external_ref)
    (seen,) = await VOID_AUTHORISATION.find(reader(outside), undo_of(held.external_ref))
    assert seen.external_ref == receipt.external_ref
    (taken,) = outside.effects("charge.capture")
    assert taken.state == "undone"


async def test_t24_a_commit_that_lands_between_our_look_and_our_cancel_goes_back_too(outside: Outside, monkeypatch):
    held, commit = await hold(outside)
    service = payments(outside)
    ask = service.cancel

    async def late(*args, **kwargs):
        await CAPTURE_PAYMENT.perform(service, commit)
        return await ask(*args, **kwargs)

    monkeypatch.setattr(service, "cancel", late)
    undo = undo_of(held.external_ref)
    outside.arm("payments", "refund", "before:504")
    with pytest.raises(Unanswered):
        await VOID_AUTHORISATION.perform(service, undo)
    # The next attempt reads that it is captured, and its refund is not barred by the key that the cancel has spent.
    receipt = await VOID_AUTHORISATION.perform(payments(outside), undo)
    (back,) = outside.effects("charge.refund")
    assert (back.key, back.ref) == (UNDO_KEY, receipt.external_ref)


async def test_what_its_commits_own_undo_gave_back_is_neutral(outside: Outside):
    held, commit = await hold(outside)
    await CAPTURE_PAYMENT.perform(payments(outside), commit)
    args = RefundArgs(charge_key=CAPTURE_KEY, amount_minor=500, currency="eur", reason="undone")
    await REFUND_CHARGE.perform(payments(outside), call(args, "d" * 32, ref=held.external_ref))
    receipt = await VOID_AUTHORISATION.perform(payments(outside), undo_of(held.external_ref))
    assert (receipt.result["already"], receipt.result["by"]) == (True, "somebody_else")
    assert len(outside.effects("charge.refund")) == 1


async def test_another_steps_hold_is_left_alone(outside: Outside):
    held, _ = await hold(outside)
    undo = call(VoidArgs(authorisation_key="f" * 32), UNDO_KEY, ref=held.external_ref)
    with pytest.raises(NotSent) as error:
        await VOID_AUTHORISATION.perform(payments(outside), undo)
    assert error.value.code == "not_ours"
    assert outside.sent("payments") == ["authorise"]


@pytest.mark.parametrize("fault", ["before:503", "after:reset", "after:204", "refuse:500"])
async def test_a_look_that_gets_no_answer_is_never_an_absence(outside: Outside, fault: str):
    held, _ = await hold(outside)
    outside.arm("payments", "read", fault)
    with pytest.raises(NotSent):
        await VOID_AUTHORISATION.find(reader(outside), undo_of(held.external_ref))
