"""`Idempotency-Key` as Stripe keeps it: what is repeated, what is refused, what is remembered or forgotten."""

from typing import Any

import pytest

from tests.sandbox.paying import CHARGE, arm, quiet, refused

pytestmark = quiet

KEY = {"idempotency_key": "a" * 32}


async def create(pay, **change):
    return await pay.v1.payment_intents.create_async({**CHARGE, **change}, KEY)


def replayed(said: Any) -> bool:
    headers: Any = said.headers if hasattr(said, "headers") else said.last_response.headers
    return headers.get("idempotent-replayed") == "true"


async def test_the_same_request_gets_the_same_answer(sandbox, pay):
    first, again = await create(pay), await create(pay)
    assert (again.to_dict(), replayed(first), replayed(again)) == (first.to_dict(), False, True)
    assert again.last_response.headers["original-request"] == first.last_response.request_id
    assert len(sandbox.world.effects()) == 1


async def test_the_stored_answer_is_what_was_said_then(pay):
    first = await create(pay, capture_method="manual")
    await pay.v1.payment_intents.capture_async(first.id)
    again = await create(pay, capture_method="manual")
    assert (again.status, replayed(again)) == ("requires_capture", True)


async def test_other_parameters_or_another_endpoint_under_the_key_are_refused(sandbox, pay):
    first = await create(pay)
    for call in (create(pay, amount=4901), pay.v1.refunds.create_async({"payment_intent": first.id}, KEY)):
        error = await refused(call)
        assert type(error).__name__ == "IdempotencyError"
        assert (error.http_status, error.error.type) == (400, "idempotency_error")
    assert len(sandbox.world.effects()) == 1


async def test_a_key_in_use_is_told_by_the_errors_code(sandbox, pay):
    arm(sandbox, "in_use")
    error = await refused(create(pay))
    assert (error.http_status, error.code, error.error.code) == (409, None, "idempotency_key_in_use")
    assert not replayed(await create(pay))


async def test_a_decline_is_remembered(pay):
    declined = {"payment_method": "pm_card_chargeDeclined"}
    first, again = await refused(create(pay, **declined)), await refused(create(pay, **declined))
    assert (first.code, replayed(first)) == ("card_declined", False)
    assert (again.code, replayed(again)) == ("card_declined", True)
    assert again.error.payment_intent.id == first.error.payment_intent.id


async def test_a_wrong_state_is_remembered_though_the_state_changes(sandbox, pay, raw):
    made = await pay.v1.payment_intents.create_async(CHARGE)
    back = await pay.v1.refunds.create_async({"payment_intent": made.id})
    for expected in (False, True):
        error = await refused(pay.v1.refunds.create_async({"payment_intent": made.id}, KEY))
        assert (error.code, replayed(error)) == ("charge_already_refunded", expected)
        await raw.post("/world/acts", json={"system": "payments", "ref": back.id, "act": "fail_refund"})
    assert (await pay.v1.refunds.create_async({"payment_intent": made.id})).status == "succeeded"


async def test_bad_parameters_are_not_remembered(pay):
    await refused(create(pay, amount=0))
    assert not replayed(await create(pay))


@pytest.mark.parametrize(
    ("fault", "remembered"),
    [
        ("refuse:400", False), ("refuse:401", False), ("refuse:402", True), ("refuse:403", False),
        ("refuse:404", False), ("refuse:409", False), ("refuse:429", False), ("refuse:500", True),
        ("refuse:503", False), ("429:1", False), ("before:500", False), ("before:503", False), ("outage:60", False),
    ],
)  # fmt: skip
async def test_of_faults_only_what_the_endpoint_itself_says_is_remembered(sandbox, pay, fault, remembered):
    arm(sandbox, fault)
    await refused(create(pay))
    sandbox.world.advance(61)
    assert sandbox.world.effects() == []
    if remembered:
        error = await refused(create(pay))
        assert replayed(error)
        assert error.http_status == int(fault[-3:])
    else:
        assert not replayed(await create(pay))


async def test_an_own_error_after_the_deed_is_remembered_for_ever(sandbox, pay):
    arm(sandbox, "after:500")
    for expected in (False, True, True):
        error = await refused(create(pay))
        assert (error.http_status, replayed(error)) == (500, expected)
    assert [effect.kind for effect in sandbox.world.effects()] == ["charge.capture"]


@pytest.mark.parametrize("lost", ["502", "504", "reset", "truncate", "blank200", "204"])
async def test_an_answer_lost_on_its_way_is_repeated(sandbox, pay, lost):
    arm(sandbox, f"after:{lost}")
    error = await refused(create(pay))
    assert error.http_status in {None, 200, 204, 502, 504}
    again = await create(pay)
    assert replayed(again)
    assert [effect.ref for effect in sandbox.world.effects()] == [again.id]


async def test_a_refusal_does_not_overwrite_what_the_key_already_holds(sandbox, pay):
    first = await create(pay)
    for fault in ("refuse:500", "after:500"):
        arm(sandbox, fault)
        assert (await refused(create(pay))).http_status == 500
        assert (await create(pay)).id == first.id


async def test_keys_are_forgotten_after_a_day(sandbox, pay):
    first = await create(pay)
    sandbox.world.advance(86_300)
    assert (await create(pay)).id == first.id
    sandbox.world.advance(200)
    again = await create(pay)
    assert (again.id == first.id, replayed(again)) == (False, False)


async def test_forget_keys_makes_it_sooner(sandbox, pay):
    first = await create(pay)
    arm(sandbox, "forget_keys:0", "*")
    assert (await create(pay)).id != first.id
    assert len(sandbox.world.effects()) == 2


async def test_captures_cancels_and_refunds_are_repeated_too(sandbox, pay):
    held = await pay.v1.payment_intents.create_async({**CHARGE, "capture_method": "manual"})
    other = await pay.v1.payment_intents.create_async({**CHARGE, "capture_method": "manual"})
    calls = (
        lambda: pay.v1.payment_intents.capture_async(held.id, {}, {"idempotency_key": "c" * 32}),
        lambda: pay.v1.payment_intents.cancel_async(other.id, {}, {"idempotency_key": "d" * 32}),
        lambda: pay.v1.refunds.create_async({"payment_intent": held.id}, {"idempotency_key": "e" * 32}),
    )
    for call in calls:
        first, again = await call(), await call()
        assert (again.id, replayed(first), replayed(again)) == (first.id, False, True)
    assert len(sandbox.world.effects()) == 5


async def test_a_key_has_a_longest_length(pay):
    params = pay.v1.payment_intents.create_async(CHARGE, {"idempotency_key": "k" * 256})
    assert (await refused(params)).http_status == 400


async def test_an_error_names_its_request(pay):
    error = await refused(create(pay, amount=0))
    assert error.request_id.startswith("req_")
    assert error.error.request_log_url.endswith(error.request_id)
