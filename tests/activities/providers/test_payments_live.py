"""The payments provider against Stripe's test mode: charged and refunded, held and captured, held and released.

Needs SAGA_STRIPE_URL, SAGA_STRIPE_KEY (sk_test_…) and SAGA_STRIPE_READ_KEY, a restricted key that reads payment
intents, charges, refunds, balance transactions and customers. It leaves customers and settled test payments behind.
"""

import time
import uuid
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest
import pytest_asyncio

from activities.payment import Hold, Payment
from activities.providers.payments import Payments
from activities.tools.authorise_payment import AUTHORISE_PAYMENT
from activities.tools.capture_payment import CAPTURE_PAYMENT, CaptureArgs
from activities.tools.charge_card import CHARGE_CARD
from compensations.refund_charge import REFUND_CHARGE, RefundArgs
from compensations.void_authorisation import VOID_AUTHORISATION, VoidArgs
from saga.errors import Refused
from saga.tool import Call
from tests.activities.outside import call, look
from workers.settings_providers import Stripe

pytestmark = [
    pytest.mark.live,
    pytest.mark.timeout(180),  # a dozen requests of a second or three each
    pytest.mark.skipif(not Stripe().real, reason="no test account at Stripe: SAGA_STRIPE_URL is not set"),
]


def _key() -> str:
    return uuid.uuid4().hex


def _now(half: Call[Any]) -> Call[Any]:
    return replace(half, since=time.time())


@pytest_asyncio.fixture
async def account() -> AsyncIterator[tuple[Payments, Payments, Payment]]:
    """One key that writes, one that reads, and what is asked of a customer made for this test."""
    writer, reader = (Payments(**Stripe().arguments("", write=write), timeout_s=20) for write in (True, False))
    try:
        customer = await writer._customers.create_async({"email": "test@example.com", "name": "A test of agent-sagas"})
        asked = Payment(order_id="0", customer_id=customer.id, amount_minor=500, currency="eur", reason="a test")
        yield writer, reader, asked
    finally:
        await writer.close()
        await reader.close()


async def test_charged_found_answered_again_refunded_and_found_refunded(account: tuple[Payments, Payments, Payment]):
    writer, reader, asked = account
    charge = _now(call(asked, _key()))
    made = await CHARGE_CARD.perform(writer, charge)
    assert await CHARGE_CARD.perform(writer, charge) == made
    (seen,) = await look(CHARGE_CARD, reader, charge)
    assert seen.receipt() == made
    args = RefundArgs(charge_key=charge.key, amount_minor=500, currency="eur", reason="a test")
    undo = _now(call(args, _key(), ref=made.external_ref))
    await REFUND_CHARGE.perform(writer, undo)
    assert len(await look(REFUND_CHARGE, reader, undo)) == 1
    (seen,) = await look(CHARGE_CARD, reader, charge)
    assert seen.state == "undone"


async def test_a_decline_is_a_refusal_with_stripes_code(account: tuple[Payments, Payments, Payment]):
    writer, reader, asked = account
    charge = _now(call(asked.model_copy(update={"payment_method": "pm_card_chargeDeclined"}), _key()))
    with pytest.raises(Refused) as refused:
        await CHARGE_CARD.perform(writer, charge)
    assert (refused.value.code, refused.value.remembered) == ("card_declined", True)
    (seen,) = await look(CHARGE_CARD, reader, charge)
    assert seen.state == "failed"


async def test_held_captured_and_refunded_under_the_captures_key(account: tuple[Payments, Payments, Payment]):
    writer, reader, asked = account
    hold = _now(call(Hold(**asked.model_dump()), _key()))
    held = await AUTHORISE_PAYMENT.perform(writer, hold)
    assert held.holds_until is not None
    assert AUTHORISE_PAYMENT.commit_args is not None
    args = CaptureArgs.model_validate(AUTHORISE_PAYMENT.commit_args(hold.args, hold.key))
    commit = _now(call(args, _key(), upstream={hold.key: held.external_ref}))
    taken = await CAPTURE_PAYMENT.perform(writer, commit)
    (seen,) = await look(CAPTURE_PAYMENT, reader, commit)
    assert seen.receipt() == taken
    refund = RefundArgs(charge_key=commit.key, amount_minor=500, currency="eur", reason="a test")
    await REFUND_CHARGE.perform(writer, _now(call(refund, _key(), ref=taken.external_ref)))


async def test_held_captured_in_part_and_what_was_taken_refunded(account: tuple[Payments, Payments, Payment]):
    writer, reader, asked = account
    hold = _now(call(Hold(**asked.model_dump(), capture_minor=300), _key()))
    held = await AUTHORISE_PAYMENT.perform(writer, hold)
    assert AUTHORISE_PAYMENT.commit_args is not None
    args = CaptureArgs.model_validate(AUTHORISE_PAYMENT.commit_args(hold.args, hold.key))
    commit = _now(call(args, _key(), upstream={hold.key: held.external_ref}))
    taken = await CAPTURE_PAYMENT.perform(writer, commit)
    assert (taken.result["captured_minor"], taken.result["released_minor"]) == (300, 200)
    refund = RefundArgs(charge_key=commit.key, amount_minor=300, currency="eur", reason="a test")
    undo = _now(call(refund, _key(), ref=taken.external_ref))
    receipt = await REFUND_CHARGE.perform(writer, undo)
    assert (receipt.result["original_minor"], receipt.result["compensated_minor"]) == (300, 300)
    (seen,) = await look(REFUND_CHARGE, reader, undo)
    assert seen.result == receipt.result


async def test_held_and_released(account: tuple[Payments, Payments, Payment]):
    writer, reader, asked = account
    hold = _now(call(Hold(**asked.model_dump()), _key()))
    held = await AUTHORISE_PAYMENT.perform(writer, hold)
    undo = _now(call(VoidArgs(authorisation_key=hold.key), _key(), ref=held.external_ref))
    await VOID_AUTHORISATION.perform(writer, undo)
    assert len(await look(VOID_AUTHORISATION, reader, undo)) == 1
    (seen,) = await look(AUTHORISE_PAYMENT, reader, hold)
    assert seen.state == "undone"
