"""Refunds through the real `stripe` package: never too much, sometimes late, sometimes taken back."""

import pytest

from tests.sandbox.paying import CHARGE, effects, quiet, refused
from workers.sandbox.payments_refunds import SETTLES_S

pytestmark = quiet

KEY = "b" * 32


async def charged(pay, **change):
    return await pay.v1.payment_intents.create_async({**CHARGE, **change})


async def refund(pay, ref, **params):
    return await pay.v1.refunds.create_async({"payment_intent": ref, **params})


async def act(raw, ref, act):
    return await raw.post("/world/acts", json={"system": "payments", "ref": ref, "act": act})


async def test_a_full_refund_undoes_the_capture(sandbox, pay):
    made = await charged(pay, receipt_email="mara@customers.test")
    metadata = {"saga_key": KEY, "saga_run": "run-1", "saga_execution": "0a1b2c3d4e5f"}
    back = await refund(pay, made.id, metadata=metadata, reason="requested_by_customer")
    assert (back.status, back.amount, back.charge) == ("succeeded", 4900, made.latest_charge)
    assert back.id.startswith("re_")
    assert effects(sandbox) == [("charge.capture", "undone", 4900), ("charge.refund", "standing", 4900)]
    effect = sandbox.world.effects()[1]
    assert (effect.ref, effect.key, effect.run, effect.execution) == (back.id, KEY, "run-1", "0a1b2c3d4e5f")
    assert (effect.about["undoes"], effect.audience) == (made.id, ["customer"])
    charge = await pay.v1.charges.retrieve_async(made.latest_charge)
    assert (charge.refunded, charge.amount_refunded) == (True, 4900)


async def test_parts_are_refunded_up_to_what_was_captured(sandbox, pay):
    made = await charged(pay)
    await refund(pay, made.id, amount=1900)
    assert effects(sandbox)[0] == ("charge.capture", "standing", 4900)
    error = await refused(refund(pay, made.id, amount=3001))
    assert (error.http_status, error.param, error.code) == (400, "amount", None)
    assert "(€30.01) is greater than unrefunded amount on charge (€30.00)" in error.user_message
    await refund(pay, made.id)
    assert effects(sandbox)[0] == ("charge.capture", "undone", 4900)
    for amount in ({}, {"amount": 1}):
        error = await refused(refund(pay, made.id, **amount))
        assert (error.http_status, error.code) == (400, "charge_already_refunded")
    assert [kind for kind, _, _ in effects(sandbox)].count("charge.refund") == 2


async def test_after_a_partial_capture_only_that_part_can_be_refunded(sandbox, pay):
    held = await charged(pay, capture_method="manual")
    await pay.v1.payment_intents.capture_async(held.id, {"amount_to_capture": 2000})
    assert "€20.00" in (await refused(refund(pay, held.id, amount=2001))).user_message
    assert (await refund(pay, held.id)).amount == 2000
    assert effects(sandbox)[1] == ("charge.capture", "undone", 2000)


async def test_what_was_never_taken_cannot_be_refunded(sandbox, pay):
    held = await charged(pay, capture_method="manual")
    assert "cancel the PaymentIntent" in (await refused(refund(pay, held.id))).user_message
    await pay.v1.payment_intents.cancel_async(held.id)
    assert "does not have a successful charge" in (await refused(refund(pay, held.id))).user_message
    unconfirmed = await pay.v1.payment_intents.create_async({"amount": 100, "currency": "eur"})
    assert "does not have a successful charge" in (await refused(refund(pay, unconfirmed.id))).user_message
    assert [kind for kind, _, _ in effects(sandbox)] == ["charge.authorise", "charge.cancel"]


@pytest.mark.parametrize(
    ("params", "status", "param"),
    [
        ({}, 400, None),
        ({"payment_intent": "pi_none"}, 404, "payment_intent"),
        ({"charge": "ch_none"}, 404, "id"),
        ({"payment_intent": "pi_order_1182", "charge": "ch_order_1183"}, 400, "charge"),
        ({"payment_intent": "pi_order_1182", "amount": 0}, 400, "amount"),
        ({"payment_intent": "pi_order_1182", "amount": 12.5}, 400, "amount"),
        ({"payment_intent": "pi_order_1182", "reason": "bored"}, 400, "reason"),
        ({"payment_intent": "pi_order_1182", "currency": "eur"}, 400, "currency"),
    ],
)
async def test_bad_refunds_are_refused(sandbox, pay, params, status, param):
    error = await refused(pay.v1.refunds.create_async(params))
    assert (error.http_status, error.param) == (status, param)
    assert effects(sandbox) == []


async def test_a_refund_of_an_orders_payment_is_an_effect(sandbox, pay):
    back = await pay.v1.refunds.create_async({"charge": "ch_order_1187", "amount": 800})
    assert (back.currency, back.payment_intent) == ("jpy", "pi_order_1187")
    assert effects(sandbox) == [("charge.refund", "standing", 800)]
    assert "¥9,001" in (await refused(refund(pay, "pi_order_1187", amount=9001))).user_message


async def test_a_pending_refund_settles_in_time(sandbox, pay, raw):
    made = await charged(pay, payment_method="pm_card_pendingRefund")
    back = await refund(pay, made.id)
    assert back.status == "pending"
    assert effects(sandbox) == [("charge.capture", "standing", 4900), ("charge.refund", "pending", 4900)]
    assert (await refused(refund(pay, made.id))).code == "charge_already_refunded"
    await raw.post("/world/clock", json={"advance_s": SETTLES_S + 1})
    assert (await pay.v1.refunds.retrieve_async(back.id)).status == "succeeded"
    assert effects(sandbox) == [("charge.capture", "undone", 4900), ("charge.refund", "standing", 4900)]


@pytest.mark.parametrize("card", ["pm_card_visa", "pm_card_pendingRefund"])
async def test_a_refund_that_fails_gives_the_money_back_to_the_charge(sandbox, pay, raw, card):
    made = await charged(pay, payment_method=card)
    back = await refund(pay, made.id)
    assert (await act(raw, back.id, "fail_refund")).json()["status"] == "failed"
    failed = await pay.v1.refunds.retrieve_async(back.id)
    assert (failed.status, failed.failure_reason) == ("failed", "lost_or_stolen_card")
    charge = await pay.v1.charges.retrieve_async(made.latest_charge)
    assert (charge.refunded, charge.amount_refunded) == (False, 0)
    assert effects(sandbox) == [("charge.capture", "standing", 4900), ("charge.refund", "failed", 4900)]
    sandbox.world.advance(SETTLES_S + 1)
    assert (await pay.v1.refunds.retrieve_async(back.id)).status == "failed"
    assert (await act(raw, back.id, "fail_refund")).status_code == 400
    await refund(pay, made.id)
    assert effects(sandbox)[0][1] == ("standing" if card == "pm_card_pendingRefund" else "undone")


async def test_the_newest_refund_of_an_intent_can_be_failed_by_the_intent(sandbox, pay, raw):
    made = await charged(pay)
    await refund(pay, made.id, amount=1000)
    newest = await refund(pay, made.id, amount=2000)
    assert (await act(raw, made.id, "fail_refund")).json()["id"] == newest.id


async def test_a_card_may_fail_its_refund_by_itself(sandbox, pay):
    made = await charged(pay, payment_method="pm_card_refundFail")
    back = await refund(pay, made.id)
    assert back.status == "succeeded"
    sandbox.world.advance(SETTLES_S + 1)
    assert (await pay.v1.refunds.retrieve_async(back.id)).status == "failed"


async def test_a_person_refunds_in_the_dashboard(sandbox, pay, raw):
    made = await charged(pay)
    assert (await act(raw, made.id, "refund")).json()["amount"] == 4900
    effect = sandbox.world.effects()[1]
    assert (effect.kind, effect.key, effect.run) == ("charge.refund", None, None)
    assert (await refused(refund(pay, made.id))).code == "charge_already_refunded"
    assert (await act(raw, made.id, "refund")).status_code == 400


async def test_a_disputed_charge_cannot_be_refunded(sandbox, pay, raw):
    made = await charged(pay)
    assert (await act(raw, made.latest_charge, "dispute")).json()["disputed"] is True
    error = await refused(refund(pay, made.id))
    assert (error.http_status, error.code) == (400, "charge_disputed")
    assert effects(sandbox) == [("charge.capture", "standing", 4900)]


async def test_refunds_are_listed_by_intent_and_charge(pay):
    made = await charged(pay)
    refs = [(await refund(pay, made.id, amount=100 + n)).id for n in range(3)]
    await refund(pay, "pi_order_1182", amount=1)
    for by in ({"payment_intent": made.id}, {"charge": made.latest_charge}):
        page = await pay.v1.refunds.list_async({**by, "limit": 2})
        assert ([back.id for back in page.data], page.has_more) == ([refs[2], refs[1]], True)
        page = await pay.v1.refunds.list_async({**by, "starting_after": refs[1], "created": {"gte": 5}})
        assert ([back.id for back in page.data], page.has_more) == ([refs[0]], False)
    expanded = await pay.v1.refunds.list_async({"limit": 1, "expand": ["data.charge"]})
    assert expanded.data[0].charge.id == "ch_order_1182"
