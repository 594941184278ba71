"""`refund_charge` where others have their hands on the same money: people, banks, and the state itself."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from activities.tools.authorise_payment import AUTHORISE_PAYMENT
from compensations.refund_charge import REFUND_CHARGE, RefundArgs
from saga.errors import Refused
from saga.outcome import Receipt
from saga.tool import Call
from tests.activities.outside import UNDO_KEY, Outside, call
from tests.activities.paying import PAYMENT, REFUND, by_hand, charged, payments, reader, returned_minor


async def _found_and_answered_again(outside: Outside, undo: Call[RefundArgs], receipt: Receipt) -> None:
    """The same is said of the undo, however it is found out."""
    (seen,) = await REFUND_CHARGE.find(reader(outside), undo)
    assert seen.receipt() == receipt
    again = await REFUND_CHARGE.perform(payments(outside), undo)
    assert again == receipt.model_copy(update={"found": True})


async def test_t25_what_a_person_refunded_is_refunded(outside: Outside):
    charge, undo = await charged(outside)
    await outside.act("payments", charge.external_ref, "refund")
    receipt = await REFUND_CHARGE.perform(payments(outside), undo)
    assert (receipt.result["already"], receipt.result["by"]) == (True, "somebody_else")
    money = [receipt.result[f"{name}_minor"] for name in ("original", "compensated", "already_refunded", "kept_fee")]
    assert money == [500, 0, 500, 45]
    assert receipt.execution is None
    (seen,) = await REFUND_CHARGE.find(reader(outside), undo)
    assert seen.receipt().model_copy(update={"found": True}) == receipt
    assert outside.sent("payments") == ["capture"]


async def test_t25_t39_of_what_others_refunded_in_part_only_the_rest_goes_back(outside: Outside):
    charge, undo = await charged(outside)
    await by_hand(outside, charge.external_ref, 120)
    assert await REFUND_CHARGE.find(reader(outside), undo) == []
    receipt = await REFUND_CHARGE.perform(payments(outside), undo)
    assert receipt.result == {
        "status": "succeeded",
        "original_minor": 500,
        "compensated_minor": 380,
        "already_refunded_minor": 120,
        "kept_fee_minor": 45,
        "currency": "eur",
        "reason": REFUND.reason,
    }
    await _found_and_answered_again(outside, undo, receipt)
    assert returned_minor(outside) == 500


async def test_t25_a_person_who_is_faster_between_our_look_and_our_asking(outside: Outside, monkeypatch):
    charge, undo = await charged(outside)
    service = payments(outside)
    ask = service.refund

    async def late(*args, **kwargs):
        await outside.act("payments", charge.external_ref, "refund")
        return await ask(*args, **kwargs)

    monkeypatch.setattr(service, "refund", late)
    receipt = await REFUND_CHARGE.perform(service, undo)
    assert receipt.result["by"] == "somebody_else"
    assert returned_minor(outside) == 500


async def test_t40_a_part_refunded_between_our_look_and_our_asking_spends_the_key(outside: Outside, monkeypatch):
    charge, undo = await charged(outside)
    service = payments(outside)
    ask = service.refund

    async def late(*args, **kwargs):
        await by_hand(outside, charge.external_ref, 120)
        return await ask(*args, **kwargs)

    monkeypatch.setattr(service, "refund", late)
    with pytest.raises(Refused) as refused:
        await REFUND_CHARGE.perform(service, undo)
    assert refused.value.remembered
    assert await REFUND_CHARGE.find(reader(outside), undo) == []
    later = call(REFUND, "d" * 32, ref=charge.external_ref)
    await REFUND_CHARGE.perform(payments(outside), later)
    assert returned_minor(outside) == 500


async def test_t25_a_disputed_charge_is_a_persons_matter(outside: Outside):
    charge, undo = await charged(outside)
    await outside.act("payments", charge.external_ref, "dispute")
    with pytest.raises(Refused) as refused:
        await REFUND_CHARGE.perform(payments(outside), undo)
    assert refused.value.code == "charge_disputed"
    assert outside.sent("payments") == ["capture"]


async def test_t26_a_pending_refund_is_pending_until_it_settles(outside: Outside):
    _, undo = await charged(outside, "pm_card_pendingRefund")
    receipt = await REFUND_CHARGE.perform(payments(outside), undo)
    assert (receipt.pending, receipt.result["status"]) == (True, "pending")
    (seen,) = await REFUND_CHARGE.find(reader(outside), undo)
    assert seen.state == "pending"
    await _found_and_answered_again(outside, undo, receipt)
    outside.advance(61)
    (seen,) = await REFUND_CHARGE.find(reader(outside), undo)
    assert (seen.state, seen.external_ref) == ("standing", receipt.external_ref)
    assert seen.result == {**receipt.result, "status": "succeeded"}


async def test_t26_t40_a_refund_that_fails_days_later_is_failed_and_needs_a_key_of_its_own(outside: Outside):
    charge, undo = await charged(outside)
    receipt = await REFUND_CHARGE.perform(payments(outside), undo)
    await outside.act("payments", receipt.external_ref, "fail_refund")
    (seen,) = await REFUND_CHARGE.find(reader(outside), undo)
    assert seen.state == "failed"
    assert (seen.result["status"], seen.result["compensated_minor"]) == ("failed", 0)
    later = call(REFUND, "d" * 32, ref=charge.external_ref)
    again = await REFUND_CHARGE.perform(payments(outside), later)
    assert again.external_ref != receipt.external_ref
    assert (again.result["compensated_minor"], again.result["already_refunded_minor"]) == (500, 0)
    assert returned_minor(outside) == 500


async def test_a_failed_refund_of_ours_beside_anothers_spends_the_key(outside: Outside):
    charge, undo = await charged(outside)
    receipt = await REFUND_CHARGE.perform(payments(outside), undo)
    await outside.act("payments", receipt.external_ref, "fail_refund")
    await by_hand(outside, charge.external_ref, 120)
    with pytest.raises(Refused) as refused:
        await REFUND_CHARGE.perform(payments(outside), undo)
    assert (refused.value.code, refused.value.remembered) == ("refund_failed", True)


async def test_t24_captured_between_our_look_and_our_cancel_is_refunded(outside: Outside, monkeypatch):
    held = await AUTHORISE_PAYMENT.perform(payments(outside), call(PAYMENT))
    service = payments(outside)
    ask = service.cancel

    async def late(*args, **kwargs):
        await service._intents.capture_async(held.external_ref)
        return await ask(*args, **kwargs)

    monkeypatch.setattr(service, "cancel", late)
    undo = call(REFUND, UNDO_KEY, ref=held.external_ref)
    receipt = await REFUND_CHARGE.perform(service, undo)
    assert receipt.result["compensated_minor"] == 500
    (back,) = outside.effects("charge.refund")
    assert back.key == UNDO_KEY
    (seen,) = await REFUND_CHARGE.find(reader(outside), undo)
    assert seen.external_ref == receipt.external_ref


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(parts=st.lists(st.integers(min_value=1, max_value=300), max_size=4))
async def test_t39_never_more_than_was_taken_whatever_others_gave_back(outside: Outside, parts: list[int]):
    outside.sandbox.world.reset()
    outside.sandbox.install()
    charge, undo = await charged(outside)
    left = 500
    for part in parts:
        if part <= left:
            await by_hand(outside, charge.external_ref, part)
            left -= part
    for _ in range(2):
        await REFUND_CHARGE.perform(payments(outside), undo)
    assert returned_minor(outside) == 500
