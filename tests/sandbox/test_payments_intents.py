"""Payment intents through the real `stripe` package: states, captures, holds, declines, lists."""

import asyncio
from typing import Any, cast

import pytest
import stripe

from tests.sandbox.paying import CHARGE, effects, quiet, refused
from workers.sandbox.payments_record import HOLD_S

pytestmark = quiet

KEY = "a" * 32
SAGA = {"saga_key": KEY, "saga_run": "run-1", "saga_step": "3", "saga_execution": "0a1b2c3d4e5f"}
CHARGED = {**CHARGE, "customer": "cus_1182", "metadata": SAGA}
HOLD = {**CHARGED, "capture_method": "manual"}


async def create(pay, params, key=None):
    return await pay.v1.payment_intents.create_async(params, {"idempotency_key": key} if key else {})


async def test_a_charge_is_taken_at_once_and_remembered_as_ours(sandbox, pay):
    made = await create(pay, CHARGED)
    assert (made.status, made.amount_received, made.amount_capturable) == ("succeeded", 4900, 0)
    assert made.id.startswith("pi_")
    assert made.latest_charge.startswith("ch_")
    assert made.metadata["saga_key"] == KEY
    [effect] = sandbox.world.effects()
    assert (effect.system, effect.kind, effect.ref, effect.state) == ("payments", "charge.capture", made.id, "standing")
    assert (effect.key, effect.run, effect.execution) == (KEY, "run-1", "0a1b2c3d4e5f")
    assert (effect.amount_minor, effect.currency, effect.audience) == (4900, "eur", ["finance"])
    assert made.last_response.headers["stripe-version"] == stripe.api_version
    assert made.last_response.request_id.startswith("req_")


async def test_the_synchronous_client_is_understood_too(sandbox):
    client = stripe.StripeClient(
        "sk_test_sandbox", base_addresses={"api": sandbox.url}, http_client=stripe.RequestsClient(timeout=5)
    )
    made = await asyncio.to_thread(client.v1.payment_intents.create, cast("Any", CHARGED))
    assert (await asyncio.to_thread(client.v1.payment_intents.retrieve, made.id)).status == "succeeded"


async def test_a_receipt_makes_the_customer_see_it(sandbox, pay):
    await create(pay, {**CHARGED, "receipt_email": "mara@customers.test"})
    held = await create(pay, {**HOLD, "receipt_email": "mara@customers.test"})
    await pay.v1.payment_intents.capture_async(held.id)
    audiences = [(effect.kind, effect.audience) for effect in sandbox.world.effects()]
    assert audiences == [
        ("charge.capture", ["customer"]), ("charge.authorise", ["finance"]), ("charge.capture", ["customer"]),
    ]  # fmt: skip


async def test_a_hold_is_captured_under_a_key_of_its_own(sandbox, pay):
    held = await create(pay, {**HOLD, "expand": ["latest_charge"]})
    assert (held.status, held.amount_capturable, held.amount_received) == ("requires_capture", 4900, 0)
    until = held.latest_charge.payment_method_details.card.capture_before
    assert until == held.created + HOLD_S
    assert effects(sandbox) == [("charge.authorise", "standing", 4900)]
    taken = await pay.v1.payment_intents.capture_async(held.id, {}, {"idempotency_key": "b" * 32})
    assert (taken.status, taken.amount_received, taken.amount_capturable) == ("succeeded", 4900, 0)
    assert effects(sandbox) == [("charge.authorise", "standing", 4900), ("charge.capture", "standing", 4900)]
    capture = sandbox.world.effects()[1]
    assert (capture.key, capture.run, capture.ref) == ("b" * 32, "run-1", held.id)


async def test_a_part_is_captured_and_the_rest_released(sandbox, pay):
    held = await create(pay, HOLD)
    taken = await pay.v1.payment_intents.capture_async(held.id, {"amount_to_capture": 2000})
    assert (taken.status, taken.amount, taken.amount_received, taken.amount_capturable) == ("succeeded", 4900, 2000, 0)
    charge = await pay.v1.charges.retrieve_async(taken.latest_charge)
    assert (charge.captured, charge.amount_captured, charge.amount_refunded) == (True, 2000, 0)
    assert effects(sandbox)[1] == ("charge.capture", "standing", 2000)


async def test_more_than_is_held_is_not_captured(sandbox, pay):
    held = await create(pay, HOLD)
    error = await refused(pay.v1.payment_intents.capture_async(held.id, {"amount_to_capture": 4901}))
    assert (error.http_status, error.code, error.param) == (400, "amount_too_large", "amount_to_capture")
    assert len(effects(sandbox)) == 1


async def test_a_cancelled_hold_is_undone_and_cannot_be_captured(sandbox, pay):
    held = await create(pay, HOLD)
    gone = await pay.v1.payment_intents.cancel_async(
        held.id, {"cancellation_reason": "requested_by_customer"}, {"idempotency_key": "b" * 32}
    )
    assert (gone.status, gone.amount_capturable) == ("canceled", 0)
    assert gone.cancellation_reason == "requested_by_customer"
    assert effects(sandbox) == [("charge.authorise", "undone", 4900), ("charge.cancel", "standing", 4900)]
    cancel = sandbox.world.effects()[1]
    assert (cancel.key, cancel.run, cancel.about["undoes"]) == ("b" * 32, "run-1", held.id)
    for again in (pay.v1.payment_intents.capture_async, pay.v1.payment_intents.cancel_async):
        error = await refused(again(held.id))
        assert (error.http_status, error.code) == (400, "payment_intent_unexpected_state")
        assert error.error.payment_intent.status == "canceled"
    assert len(effects(sandbox)) == 2


async def test_a_captured_payment_cannot_be_cancelled_or_captured_again(sandbox, pay):
    made = await create(pay, CHARGED)
    for again in (pay.v1.payment_intents.capture_async, pay.v1.payment_intents.cancel_async):
        error = await refused(again(made.id))
        assert error.code == "payment_intent_unexpected_state"
        assert error.error.payment_intent.status == "succeeded"
    assert effects(sandbox) == [("charge.capture", "standing", 4900)]


async def test_a_hold_expires_after_seven_days_of_the_worlds_clock(sandbox, pay, raw):
    held = await create(pay, HOLD)
    sandbox.world.advance(HOLD_S - 60)
    assert (await pay.v1.payment_intents.retrieve_async(held.id)).status == "requires_capture"
    await raw.post("/world/clock", json={"advance_s": 120})
    assert effects(sandbox) == [("charge.authorise", "expired", 4900)]
    gone = await pay.v1.payment_intents.retrieve_async(held.id)
    assert (gone.status, gone.cancellation_reason) == ("canceled", "expired")
    assert (await refused(pay.v1.payment_intents.capture_async(held.id))).code == "payment_intent_unexpected_state"


async def test_a_hold_that_was_captured_does_not_expire(sandbox, pay):
    held = await create(pay, HOLD)
    await pay.v1.payment_intents.capture_async(held.id)
    sandbox.world.advance(HOLD_S * 2)
    assert (await pay.v1.payment_intents.retrieve_async(held.id)).status == "succeeded"


async def test_a_hold_can_be_made_to_expire(sandbox, pay, raw):
    held = await create(pay, HOLD)
    act = {"system": "payments", "ref": held.id, "act": "expire"}
    assert (await raw.post("/world/acts", json=act)).json()["status"] == "canceled"
    assert effects(sandbox) == [("charge.authorise", "expired", 4900)]
    assert (await raw.post("/world/acts", json=act)).status_code == 400


@pytest.mark.parametrize(
    ("card", "code", "decline_code"),
    [
        ("pm_card_chargeDeclined", "card_declined", "generic_decline"),
        ("pm_card_chargeDeclinedInsufficientFunds", "card_declined", "insufficient_funds"),
        ("pm_card_chargeDeclinedExpiredCard", "expired_card", None),
    ],
)
async def test_a_decline_is_a_card_error_with_the_intent_in_it(sandbox, pay, card, code, decline_code):
    error = await refused(create(pay, {**HOLD, "payment_method": card}))
    assert type(error).__name__ == "CardError"
    assert (error.http_status, error.code) == (402, code)
    assert error.json_body["error"].get("decline_code") == decline_code
    intent = error.error.payment_intent
    assert (intent.status, intent.last_payment_error.code) == ("requires_payment_method", code)
    assert effects(sandbox) == []
    assert (await pay.v1.payment_intents.retrieve_async(intent.id)).metadata["saga_key"] == KEY
    assert (await pay.v1.charges.retrieve_async(error.error.charge)).status == "failed"


@pytest.mark.parametrize(
    ("change", "param", "code"),
    [
        ({"amount": 0}, "amount", "parameter_invalid_integer"),
        ({"amount": -5}, "amount", "parameter_invalid_integer"),
        ({"amount": 49.5}, "amount", "parameter_invalid_integer"),
        ({"amount": "1e3"}, "amount", "parameter_invalid_integer"),
        ({"amount": "lots"}, "amount", "parameter_invalid_integer"),
        ({"amount": 100_000_000}, "amount", "amount_too_large"),
        ({"amount": None}, "amount", "parameter_missing"),
        ({"currency": "euro"}, "currency", None),
        ({"currency": None}, "currency", "parameter_missing"),
        ({"currency": ""}, "currency", "parameter_invalid_empty"),
        ({"customer": "cus_none"}, "customer", "resource_missing"),
        ({"payment_method": "pm_none"}, "payment_method", "resource_missing"),
        ({"payment_method": None}, None, "payment_intent_unexpected_state"),
        ({"capture_method": "later"}, "capture_method", None),
        ({"confirm": "yes"}, "confirm", None),
        ({"receipt_email": "nobody"}, "receipt_email", "email_invalid"),
        ({"colour": "red"}, "colour", "parameter_unknown"),
        ({"metadata": {"k" * 41: "v"}}, f"metadata[{'k' * 41}]", None),
        ({"metadata": {"k": "v" * 501}}, "metadata[k]", None),
        ({"expand": ["colour"]}, "expand", None),
    ],
)
async def test_bad_parameters_are_refused_before_anything_happens(sandbox, pay, change, param, code):
    params = {name: value for name, value in {**CHARGED, **change}.items() if value is not None}
    error = await refused(create(pay, params))
    assert (error.http_status, error.error.type) == (400, "invalid_request_error")
    assert (error.param, error.code) == (param, code)
    assert effects(sandbox) == []
    assert sandbox.world.all("payments", "intent", **{"wire.metadata.saga_key": KEY}) == []


async def test_an_unconfirmed_intent_holds_nothing_and_can_be_cancelled(sandbox, pay):
    made = await create(pay, {"amount": 100, "currency": "EUR", "payment_method": "pm_card_visa"})
    assert (made.status, made.currency) == ("requires_confirmation", "eur")
    assert (await pay.v1.payment_intents.cancel_async(made.id)).status == "canceled"
    assert effects(sandbox) == []


async def test_metadata_is_merged_and_unset_by_an_update(pay):
    made = await create(pay, CHARGED)
    changed = await pay.v1.payment_intents.update_async(made.id, {"metadata": {"note": "x", "saga_step": ""}})
    assert changed.metadata.to_dict() == {**{k: v for k, v in SAGA.items() if k != "saga_step"}, "note": "x"}


async def test_who_may_not_write_or_read_is_told_so(sandbox, pay):
    async def call(key, what):
        client = stripe.StripeClient(
            key, base_addresses={"api": sandbox.url}, http_client=stripe.RequestsClient(timeout=5)
        )
        return await asyncio.to_thread(what, client)

    def write(client):
        return client.v1.payment_intents.create(CHARGED)

    def read(client):
        return client.v1.payment_intents.retrieve("pi_order_1182")

    assert (await call("rk_test_sandbox", read)).amount == 4900
    assert isinstance(await refused(call("rk_test_sandbox", write)), stripe.PermissionError)
    for what in (read, write):
        assert isinstance(await refused(call("sk_live_else", what)), stripe.AuthenticationError)
    assert effects(sandbox) == []


async def test_what_is_not_there_is_missing(pay):
    for call in (
        pay.v1.payment_intents.retrieve_async("pi_none"), pay.v1.payment_intents.capture_async("pi_none"),
        pay.v1.payment_intents.cancel_async("pi_none"), pay.v1.charges.retrieve_async("ch_none"),
        pay.v1.refunds.retrieve_async("re_none"), pay.v1.customers.retrieve_async("cus_none"),
    ):  # fmt: skip
        error = await refused(call)
        assert (error.http_status, error.code) == (404, "resource_missing")


async def test_orders_have_customers_and_captured_payments_that_are_no_effects(sandbox, pay):
    assert (await pay.v1.customers.retrieve_async("cus_1182")).email == "mara.lindqvist@customers.test"
    paid = await pay.v1.payment_intents.retrieve_async("pi_order_1182", {"expand": ["latest_charge"]})
    assert (paid.status, paid.amount_received, paid.currency) == ("succeeded", 4900, "eur")
    assert paid.latest_charge.amount_captured == 4900
    charges = await pay.v1.charges.list_async({"payment_intent": "pi_order_1182"})
    assert [charge.id for charge in charges.data] == [paid.latest_charge.id]
    assert effects(sandbox) == []
