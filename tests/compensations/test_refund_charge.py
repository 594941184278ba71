"""`refund_charge` against the sandbox's Stripe: never more than is left, and whoever was faster did our work."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from activities.providers.payments import Payments
from activities.providers.refund import Refund
from activities.tools.authorise_payment import AUTHORISE_PAYMENT
from activities.tools.charge_card import CHARGE_CARD
from compensations.refund_charge import REFUND_CHARGE, RefundArgs
from saga.errors import NotSent, Refused, Unanswered
from saga.outcome import Receipt
from saga.tool import Call
from tests.activities.outside import EXECUTION, KEY, RUN, UNDO_KEY, Outside, call
from tests.activities.paying import CAPTURE_KEY, LOST, NEVER, PAYMENT, by_hand, captured, payments, reader

ARGS = RefundArgs(charge_key=KEY, amount_minor=500, currency="eur", reason="the run was undone")


async def charged(outside: Outside, method: str = "pm_card_visa") -> tuple[Receipt, Call[RefundArgs]]:
    """A charge, and the counter-action on it."""
    charge = await CHARGE_CARD.perform(payments(outside), call(PAYMENT.model_copy(update={"payment_method": method})))
    return charge, call(ARGS, UNDO_KEY, ref=charge.external_ref)


def returned_minor(outside: Outside) -> int:
    """What went back, and did not come again."""
    refunds = outside.effects("charge.refund")
    return sum(each.amount_minor or 0 for each in refunds if each.state != "failed")


async def test_it_gives_back_what_was_taken_under_its_own_key(outside: Outside):
    charge, undo = await charged(outside)
    receipt = await REFUND_CHARGE.perform(payments(outside), undo)
    taken, back = outside.effects()
    assert (taken.ref, taken.state) == (charge.external_ref, "undone")
    assert (back.kind, back.key, back.run, back.execution) == ("charge.refund", UNDO_KEY, RUN, EXECUTION)
    assert (back.amount_minor, back.ref) == (500, receipt.external_ref)
    assert (receipt.pending, receipt.execution) == (False, EXECUTION)
    assert "already" not in receipt.result
    assert outside.sent("payments", "GET") == ["read"]
    assert outside.sent("payments") == ["capture", "refund"]


async def test_a_captured_hold_is_refunded_by_the_key_that_captured_it(outside: Outside):
    taken = await captured(outside)
    undo = call(ARGS.model_copy(update={"charge_key": CAPTURE_KEY}), UNDO_KEY, ref=taken.external_ref)
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
    assert again.external_ref == seen.external_ref
    assert (again.result["already"], again.result["by"]) == (True, "this_step")
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


async def test_t25_what_a_person_refunded_is_refunded(outside: Outside):
    charge, undo = await charged(outside)
    await outside.act("payments", charge.external_ref, "refund")
    receipt = await REFUND_CHARGE.perform(payments(outside), undo)
    assert (receipt.result["already"], receipt.result["by"]) == (True, "somebody_else")
    assert receipt.execution is None
    (seen,) = await REFUND_CHARGE.find(reader(outside), undo)
    assert seen.receipt().model_copy(update={"found": True}) == receipt
    assert outside.sent("payments") == ["capture"]


async def test_t25_t39_of_what_others_refunded_in_part_only_the_rest_goes_back(outside: Outside):
    charge, undo = await charged(outside)
    await by_hand(outside, charge.external_ref, 120)
    assert await REFUND_CHARGE.find(reader(outside), undo) == []
    receipt = await REFUND_CHARGE.perform(payments(outside), undo)
    assert receipt.result["amount_minor"] == 380
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
    later = call(ARGS, "d" * 32, ref=charge.external_ref)
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
    assert receipt.pending
    (seen,) = await REFUND_CHARGE.find(reader(outside), undo)
    assert seen.state == "pending"
    assert (await REFUND_CHARGE.perform(payments(outside), undo)).pending
    outside.advance(61)
    (seen,) = await REFUND_CHARGE.find(reader(outside), undo)
    assert (seen.state, seen.external_ref) == ("standing", receipt.external_ref)


async def test_t26_t40_a_refund_that_fails_days_later_is_failed_and_needs_a_key_of_its_own(outside: Outside):
    charge, undo = await charged(outside)
    receipt = await REFUND_CHARGE.perform(payments(outside), undo)
    await outside.act("payments", receipt.external_ref, "fail_refund")
    (seen,) = await REFUND_CHARGE.find(reader(outside), undo)
    assert seen.state == "failed"
    later = call(ARGS, "d" * 32, ref=charge.external_ref)
    again = await REFUND_CHARGE.perform(payments(outside), later)
    assert again.external_ref != receipt.external_ref
    assert returned_minor(outside) == 500


async def test_a_failed_refund_of_ours_beside_anothers_spends_the_key(outside: Outside):
    charge, undo = await charged(outside)
    receipt = await REFUND_CHARGE.perform(payments(outside), undo)
    await outside.act("payments", receipt.external_ref, "fail_refund")
    await by_hand(outside, charge.external_ref, 120)
    with pytest.raises(Refused) as refused:
        await REFUND_CHARGE.perform(payments(outside), undo)
    assert (refused.value.code, refused.value.remembered) == ("refund_failed", True)


async def test_t24_what_was_never_taken_is_cancelled(outside: Outside):
    held = await AUTHORISE_PAYMENT.perform(payments(outside), call(PAYMENT))
    undo = call(ARGS, UNDO_KEY, ref=held.external_ref)
    receipt = await REFUND_CHARGE.perform(payments(outside), undo)
    assert receipt.result == {"status": "canceled"}
    assert [(each.kind, each.key, each.state) for each in outside.effects()] == [
        ("charge.authorise", KEY, "undone"),
        ("charge.cancel", UNDO_KEY, "standing"),
    ]
    again = await REFUND_CHARGE.perform(payments(outside), undo)
    assert again.result["already"] is True


async def test_t24_captured_between_our_look_and_our_cancel_is_refunded(outside: Outside, monkeypatch):
    held = await AUTHORISE_PAYMENT.perform(payments(outside), call(PAYMENT))
    service = payments(outside)
    ask = service.cancel

    async def late(*args, **kwargs):
        await service._intents.capture_async(held.external_ref)
        return await ask(*args, **kwargs)

    monkeypatch.setattr(service, "cancel", late)
    undo = call(ARGS, UNDO_KEY, ref=held.external_ref)
    receipt = await REFUND_CHARGE.perform(service, undo)
    assert receipt.result["amount_minor"] == 500
    (back,) = outside.effects("charge.refund")
    assert back.key == UNDO_KEY
    (seen,) = await REFUND_CHARGE.find(reader(outside), undo)
    assert seen.external_ref == receipt.external_ref


async def test_a_payment_that_is_not_this_steps_is_left_alone(outside: Outside):
    undo = call(ARGS, UNDO_KEY, ref="pi_order_1182")
    with pytest.raises(NotSent) as error:
        await REFUND_CHARGE.perform(payments(outside), undo)
    assert (error.value.code, error.value.lasting) == ("not_ours", True)
    with pytest.raises(NotSent):
        await REFUND_CHARGE.find(reader(outside), undo)
    assert outside.effects() == []


async def test_without_the_charges_reference_nothing_is_sent(outside: Outside):
    with pytest.raises(NotSent) as error:
        await REFUND_CHARGE.perform(payments(outside), call(ARGS, UNDO_KEY))
    assert error.value.lasting
    with pytest.raises(NotSent):
        await REFUND_CHARGE.find(reader(outside), call(ARGS, UNDO_KEY))


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


def test_the_provider_is_the_payments(outside: Outside):
    assert REFUND_CHARGE.system == CHARGE_CARD.system == "payments"
    assert isinstance(payments(outside), Payments)
