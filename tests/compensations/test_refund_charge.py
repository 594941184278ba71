"""`refund_charge` against the sandbox's Stripe: never more than is left, and whoever was faster did our work."""

import pytest

from activities.providers.refund import Refund
from activities.tools.authorise_payment import AUTHORISE_PAYMENT
from compensations.refund_charge import REFUND_CHARGE
from saga.errors import NotSent, Unanswered
from tests.activities.outside import EXECUTION, KEY, RUN, UNDO_KEY, Outside, call
from tests.activities.paying import (
    CAPTURE_KEY,
    LOST,
    NEVER,
    PAYMENT,
    REFUND,
    by_hand,
    captured,
    charged,
    payments,
    reader,
    returned_minor,
)

GIVEN_BACK = {
    "status": "succeeded",
    "original_minor": 500,
    "compensated_minor": 500,
    "already_refunded_minor": 0,
    "kept_fee_minor": 45,
    "currency": "eur",
    "reason": REFUND.reason,
}
"""What is said of it however it is found out."""


async def test_it_gives_back_what_was_taken_under_its_own_key(outside: Outside):
    charge, undo = await charged(outside)
    receipt = await REFUND_CHARGE.perform(payments(outside), undo)
    taken, back = outside.effects()
    assert (taken.ref, taken.state) == (charge.external_ref, "undone")
    assert (back.kind, back.key, back.run, back.execution) == ("charge.refund", UNDO_KEY, RUN, EXECUTION)
    assert (back.amount_minor, back.ref) == (500, receipt.external_ref)
    assert (receipt.pending, receipt.execution) == (False, EXECUTION)
    assert receipt.result == GIVEN_BACK
    assert outside.sent("payments", "GET") == ["read"]
    assert outside.sent("payments") == ["capture", "refund"]


async def test_a_captured_hold_is_refunded_by_the_key_that_captured_it(outside: Outside):
    taken = await captured(outside)
    undo = call(REFUND.model_copy(update={"charge_key": CAPTURE_KEY}), UNDO_KEY, ref=taken.external_ref)
    await REFUND_CHARGE.perform(payments(outside), undo)
    assert returned_minor(outside) == 500


@LOST
async def test_a_lost_answer_is_unknown_is_found_and_is_done_once(outside: Outside, fault: str):
    _, undo = await charged(outside)
    outside.arm("payments", "refund", fault)
    with pytest.raises(Unanswered):
        await REFUND_CHARGE.perform(payments(outside), undo)
    (seen,) = await REFUND_CHARGE.find(reader(outside), undo)
    assert (seen.state, seen.execution) == ("standing", EXECUTION)
    again = await REFUND_CHARGE.perform(payments(outside), undo)
    assert again == seen.receipt().model_copy(update={"found": True})
    assert again.result == GIVEN_BACK
    assert returned_minor(outside) == 500


@NEVER
async def test_no_answer_and_nothing_done_is_unknown_and_found_absent(outside: Outside, fault: str):
    _, undo = await charged(outside)
    outside.arm("payments", "refund", fault)
    with pytest.raises(Unanswered):
        await REFUND_CHARGE.perform(payments(outside), undo)
    assert await REFUND_CHARGE.find(reader(outside), undo) == []
    assert returned_minor(outside) == 0


@pytest.mark.parametrize("fault", ["before:503", "after:reset", "after:blank200", "refuse:500", "429:2"])
async def test_a_look_that_fails_before_it_sent_nothing(outside: Outside, fault: str):
    _, undo = await charged(outside)
    outside.arm("payments", "read", fault, times=2)
    with pytest.raises(NotSent):
        await REFUND_CHARGE.perform(payments(outside), undo)
    with pytest.raises(NotSent):
        await REFUND_CHARGE.find(reader(outside), undo)
    assert outside.sent("payments") == ["capture"]


async def test_t12_t15_a_key_in_use_is_unknown_and_a_429_was_not_sent(outside: Outside):
    _, undo = await charged(outside)
    outside.arm("payments", "refund", "in_use")
    with pytest.raises(Unanswered):
        await REFUND_CHARGE.perform(payments(outside), undo)
    outside.arm("payments", "refund", "429:3")
    with pytest.raises(NotSent) as error:
        await REFUND_CHARGE.perform(payments(outside), undo)
    assert error.value.retry_after_s == 3


async def test_t29_t11_twice_is_once_even_where_the_key_was_forgotten(outside: Outside):
    _, undo = await charged(outside)
    outside.arm("payments", "*", "forget_keys:0")
    first = await REFUND_CHARGE.perform(payments(outside), undo)
    second = await REFUND_CHARGE.perform(payments(outside), undo)
    assert second.external_ref == first.external_ref
    assert returned_minor(outside) == 500


async def test_delivered_twice_is_one_refund(outside: Outside):
    _, undo = await charged(outside)
    outside.arm("payments", "refund", "duplicate")
    await REFUND_CHARGE.perform(payments(outside), undo)
    assert len(outside.effects("charge.refund")) == 1


async def test_t24_what_was_never_taken_is_cancelled(outside: Outside):
    held = await AUTHORISE_PAYMENT.perform(payments(outside), call(PAYMENT))
    undo = call(REFUND, UNDO_KEY, ref=held.external_ref)
    receipt = await REFUND_CHARGE.perform(payments(outside), undo)
    assert (receipt.result["status"], receipt.result["compensated_minor"]) == ("canceled", 500)
    assert (receipt.result["already_refunded_minor"], receipt.result["kept_fee_minor"]) == (0, 0)
    assert [(each.kind, each.key, each.state) for each in outside.effects()] == [
        ("charge.authorise", KEY, "undone"),
        ("charge.cancel", UNDO_KEY, "standing"),
    ]
    again = await REFUND_CHARGE.perform(payments(outside), undo)
    assert again.result["already"] is True


async def test_a_payment_that_is_not_this_steps_is_left_alone(outside: Outside):
    undo = call(REFUND, UNDO_KEY, ref="pi_order_1182")
    with pytest.raises(NotSent) as error:
        await REFUND_CHARGE.perform(payments(outside), undo)
    assert (error.value.code, error.value.lasting) == ("not_ours", True)
    with pytest.raises(NotSent):
        await REFUND_CHARGE.find(reader(outside), undo)
    assert outside.effects() == []


async def test_without_the_charges_reference_nothing_is_sent(outside: Outside):
    with pytest.raises(NotSent) as error:
        await REFUND_CHARGE.perform(payments(outside), call(REFUND, UNDO_KEY))
    assert error.value.lasting
    with pytest.raises(NotSent):
        await REFUND_CHARGE.find(reader(outside), call(REFUND, UNDO_KEY))


async def test_a_blind_look_is_never_an_absence(outside: Outside):
    _, undo = await charged(outside)
    await REFUND_CHARGE.perform(payments(outside), undo)
    outside.arm("payments", "list", "blind")
    with pytest.raises(NotSent):
        await REFUND_CHARGE.find(reader(outside), undo)
    with pytest.raises(NotSent):
        await REFUND_CHARGE.perform(payments(outside), undo)
    assert returned_minor(outside) == 500


async def test_an_amount_that_went_back_and_no_refund_to_be_seen_sends_nothing(outside: Outside, monkeypatch):
    charge, undo = await charged(outside)
    await by_hand(outside, charge.external_ref, 120)
    service = payments(outside)

    async def nothing(_: str) -> list[Refund]:
        return []

    monkeypatch.setattr(service, "refunds", nothing)
    with pytest.raises(NotSent) as error:
        await REFUND_CHARGE.perform(service, undo)
    assert error.value.code == "blind"
    assert returned_minor(outside) == 120
