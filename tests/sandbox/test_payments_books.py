"""Fees and balance transactions through the real `stripe` package: the fee is of what was taken, and stays taken."""

import pytest

from tests.sandbox.paying import CHARGE, quiet, refused
from workers.sandbox.payments_money import fee
from workers.sandbox.payments_refunds import SETTLES_S

pytestmark = quiet

EXPANDED = {"expand": ["latest_charge.balance_transaction"]}


async def test_a_charge_is_booked_with_its_fee(pay):
    made = await pay.v1.payment_intents.create_async({**CHARGE, **EXPANDED})
    booked = made.latest_charge.balance_transaction
    assert (booked.amount, booked.fee, booked.net, booked.currency) == (4900, 172, 4728, "eur")
    assert (booked.type, booked.source, booked.fee_details[0].type) == ("charge", made.latest_charge.id, "stripe_fee")
    assert (await pay.v1.balance_transactions.retrieve_async(booked.id)).fee == 172
    assert (await refused(pay.v1.balance_transactions.retrieve_async("txn_none"))).code == "resource_missing"


async def test_of_a_hold_nothing_is_booked_until_it_is_captured_and_then_what_was_taken(pay):
    held = await pay.v1.payment_intents.create_async({**CHARGE, "capture_method": "manual", **EXPANDED})
    assert held.latest_charge.balance_transaction is None
    taken = await pay.v1.payment_intents.capture_async(held.id, {"amount_to_capture": 2000, **EXPANDED})
    booked = taken.latest_charge.balance_transaction
    assert (booked.amount, booked.fee) == (2000, 88)


async def test_a_capture_in_part_and_a_cancel_are_no_refunds(pay):
    """Since API version 2025-03-31."""
    part = await pay.v1.payment_intents.create_async({**CHARGE, "capture_method": "manual"})
    await pay.v1.payment_intents.capture_async(part.id, {"amount_to_capture": 2000})
    gone = await pay.v1.payment_intents.create_async({**CHARGE, "capture_method": "manual"})
    await pay.v1.payment_intents.cancel_async(gone.id)
    for ref, captured in ((part.id, 2000), (gone.id, 0)):
        charge = (await pay.v1.payment_intents.retrieve_async(ref, EXPANDED)).latest_charge
        assert (charge.amount_captured, charge.amount_refunded, charge.refunded) == (captured, 0, False)
        assert (await pay.v1.refunds.list_async({"payment_intent": ref})).data == []


async def test_a_refund_gives_none_of_the_fee_back(pay):
    made = await pay.v1.payment_intents.create_async(CHARGE)
    back = await pay.v1.refunds.create_async({"payment_intent": made.id, "expand": ["balance_transaction"]})
    booked = back.balance_transaction
    assert (booked.amount, booked.fee, booked.net, booked.type) == (-4900, 0, -4900, "refund")
    charge = (await pay.v1.payment_intents.retrieve_async(made.id, EXPANDED)).latest_charge
    assert (charge.refunded, charge.balance_transaction.fee) == (True, 172)


async def test_a_refund_is_booked_when_it_is_decided_and_booked_back_when_it_fails(sandbox, pay, raw):
    made = await pay.v1.payment_intents.create_async({**CHARGE, "payment_method": "pm_card_pendingRefund"})
    back = await pay.v1.refunds.create_async({"payment_intent": made.id})
    assert back.balance_transaction is None
    sandbox.world.advance(SETTLES_S + 1)
    listed = await pay.v1.refunds.list_async({"payment_intent": made.id, "expand": ["data.balance_transaction"]})
    assert listed.data[0].balance_transaction.amount == -4900
    await raw.post("/world/acts", json={"system": "payments", "ref": back.id, "act": "fail_refund"})
    failed = await pay.v1.refunds.retrieve_async(back.id, {"expand": ["balance_transaction"]})
    assert failed.balance_transaction.amount == -4900
    again = await pay.v1.balance_transactions.retrieve_async(failed.failure_balance_transaction)
    assert (again.amount, again.fee) == (4900, 0)


@pytest.mark.parametrize(
    ("minor", "code", "kept"),
    [(500, "eur", 45), (300, "eur", 39), (1, "usd", 30), (9800, "jpy", 353), (800, "jpy", 29)],
)
def test_the_fee_is_a_share_and_some_cents_where_there_are_cents(minor: int, code: str, kept: int):
    assert fee(minor, code) == kept
