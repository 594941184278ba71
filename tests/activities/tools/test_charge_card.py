"""`charge_card` and `authorise_payment` against the sandbox's Stripe: one charge, whatever becomes of the answer."""

from datetime import UTC, datetime, timedelta

import pytest

from activities.payment import DECLINES, Payment
from activities.tools.authorise_payment import AUTHORISE_PAYMENT
from activities.tools.charge_card import CHARGE_CARD
from saga.errors import NotSent, Refused, Unanswered
from tests.activities.outside import EXECUTION, KEY, RUN, Outside, call, look
from tests.activities.paying import LOST, NEVER, PAYMENT, payments, reader

PAY = pytest.mark.parametrize("tool", [CHARGE_CARD, AUTHORISE_PAYMENT], ids=lambda tool: tool.name)


async def test_one_post_with_the_key_in_header_and_metadata(outside: Outside):
    receipt = await CHARGE_CARD.perform(payments(outside), call(PAYMENT))
    (effect,) = outside.effects()
    assert (effect.kind, effect.key, effect.run, effect.execution) == ("charge.capture", KEY, RUN, EXECUTION)
    assert (effect.amount_minor, effect.currency, effect.audience) == (500, "eur", ["finance"])
    assert (receipt.external_ref, receipt.execution, receipt.holds_until) == (effect.ref, EXECUTION, None)
    assert receipt.result == {
        "status": "succeeded",
        "amount_minor": 500,
        "currency": "eur",
        "authorised_minor": 500,
        "captured_minor": 500,
        "released_minor": 0,
        "fee_minor": 45,
    }
    intent = await payments(outside).intent(receipt.external_ref)
    assert {name: intent.marks[name] for name in intent.marks if name.startswith("saga_")} == {
        "saga_key": KEY,
        "saga_run": RUN,
        "saga_step": "0",
        "saga_execution": EXECUTION,
    }
    assert outside.sent("payments") == ["capture"]
    assert outside.sent("payments", "GET") == ["read"]


async def test_a_hold_is_no_charge_and_says_when_it_ends(outside: Outside):
    receipt = await AUTHORISE_PAYMENT.perform(payments(outside), call(PAYMENT))
    (effect,) = outside.effects()
    assert (effect.kind, effect.state, effect.audience) == ("charge.authorise", "standing", ["finance"])
    assert receipt.holds_until is not None
    assert abs(receipt.holds_until - datetime.now(UTC) - timedelta(days=7)) < timedelta(minutes=1)
    assert outside.sent("payments", "GET") == []


async def test_a_receipt_goes_to_the_address_that_stripe_has_and_is_seen_by_the_customer(outside: Outside):
    args = PAYMENT.model_copy(update={"receipt": True})
    await CHARGE_CARD.perform(payments(outside), call(args))
    (effect,) = outside.effects()
    assert effect.audience == ["customer"]
    assert CHARGE_CARD.audience(args) == ("customer", "finance")
    assert CHARGE_CARD.audience(PAYMENT) == ("finance",)


async def test_without_an_address_no_receipt_is_promised_and_nothing_is_charged(outside: Outside):
    world = outside.sandbox.world
    with world.transaction():
        customer = world.get("payments", "customer", "cus_1182") or {}
        world.put("payments", "customer", "cus_1182", {**customer, "wire": {**customer["wire"], "email": None}})
    with pytest.raises(NotSent) as error:
        await CHARGE_CARD.perform(payments(outside), call(PAYMENT.model_copy(update={"receipt": True})))
    assert (error.value.code, error.value.lasting) == ("no_receipt_address", True)
    assert outside.sent("payments") == []


@LOST
@PAY
async def test_a_lost_answer_is_unknown_is_found_and_is_answered_again(outside: Outside, tool, fault: str):
    outside.arm("payments", "create", fault)
    with pytest.raises(Unanswered):
        await tool.perform(payments(outside), call(PAYMENT))
    (effect,) = outside.effects()
    (seen,) = await look(tool, reader(outside), call(PAYMENT))
    assert (seen.external_ref, seen.state, seen.execution) == (effect.ref, "standing", EXECUTION)
    again = await tool.perform(payments(outside), call(PAYMENT))
    assert again == seen.receipt()
    assert len(outside.effects()) == 1


@NEVER
@PAY
async def test_no_answer_and_nothing_done_is_unknown_and_found_absent(outside: Outside, tool, fault: str):
    outside.arm("payments", "create", fault)
    with pytest.raises(Unanswered):
        await tool.perform(payments(outside), call(PAYMENT))
    assert outside.effects() == []
    assert await look(tool, reader(outside), call(PAYMENT)) == []


async def test_an_answer_that_outlasts_the_time_limit_is_unknown(outside: Outside):
    outside.arm("payments", "create", "after:slow:20")
    with pytest.raises(Unanswered):
        await CHARGE_CARD.perform(payments(outside, timeout_s=2), call(PAYMENT))
    assert len(outside.effects()) == 1


@PAY
async def test_t13_the_bytes_are_the_same_at_every_attempt(outside: Outside, tool):
    first = await tool.perform(payments(outside), call(PAYMENT))
    outside.advance(3_600)
    second = await tool.perform(payments(outside), call(PAYMENT))
    assert second == first
    assert len(outside.effects()) == 1


async def test_t13_another_amount_under_the_key_is_unknown_and_no_refusal(outside: Outside):
    await CHARGE_CARD.perform(payments(outside), call(PAYMENT))
    with pytest.raises(Unanswered) as error:
        await CHARGE_CARD.perform(payments(outside), call(PAYMENT.model_copy(update={"amount_minor": 600})))
    assert error.value.code == "idempotency_error"
    assert len(outside.effects()) == 1


async def test_t13_another_execution_under_the_key_is_unknown_and_its_owner_is_seen(outside: Outside):
    await CHARGE_CARD.perform(payments(outside), call(PAYMENT, execution="another"))
    with pytest.raises(Unanswered):
        await CHARGE_CARD.perform(payments(outside), call(PAYMENT))
    (seen,) = await look(CHARGE_CARD, reader(outside), call(PAYMENT))
    assert seen.execution == "another"


async def test_t12_a_key_in_use_is_unknown(outside: Outside):
    outside.arm("payments", "capture", "in_use")
    with pytest.raises(Unanswered) as error:
        await CHARGE_CARD.perform(payments(outside), call(PAYMENT))
    assert error.value.code == "idempotency_key_in_use"


@pytest.mark.parametrize(("fault", "least", "most"), [("429:7", 7, 7), ("429:date", 0, 2)])
async def test_t15_a_429_was_not_sent_and_says_for_how_long(outside: Outside, fault: str, least: float, most: float):
    outside.arm("payments", "capture", fault)
    with pytest.raises(NotSent) as error:
        await CHARGE_CARD.perform(payments(outside), call(PAYMENT))
    assert error.value.retry_after_s is not None
    assert least <= error.value.retry_after_s <= most
    assert not error.value.lasting
    assert outside.effects() == []


@pytest.mark.parametrize(
    ("method", "code"),
    [
        ("pm_card_chargeDeclined", "card_declined"),
        ("pm_card_chargeDeclinedInsufficientFunds", "card_declined"),
        ("pm_card_chargeDeclinedExpiredCard", "expired_card"),
    ],
)
@PAY
async def test_a_decline_is_a_refusal_kept_under_the_key_and_may_be_corrected(outside: Outside, tool, method, code):
    args = PAYMENT.model_copy(update={"payment_method": method})
    for _ in range(2):
        with pytest.raises(Refused) as refused:
            await tool.perform(payments(outside), call(args))
        assert (refused.value.code, refused.value.remembered) == (code, True)
        assert code in tool.correctable
    (seen,) = await look(tool, reader(outside), call(args))
    assert seen.state == "failed"
    assert outside.effects() == []


@pytest.mark.parametrize("status", ["400", "402", "404", "422"])
async def test_stripes_own_no_to_the_write_is_a_refusal(outside: Outside, status: str):
    outside.arm("payments", "create", f"refuse:{status}")
    with pytest.raises(Refused):
        await CHARGE_CARD.perform(payments(outside), call(PAYMENT))
    assert await look(CHARGE_CARD, reader(outside), call(PAYMENT)) == []


@pytest.mark.parametrize("status", ["401", "403"])
async def test_a_key_that_is_not_accepted_sent_nothing_and_waiting_does_not_mend_it(outside: Outside, status: str):
    outside.arm("payments", "create", f"refuse:{status}")
    with pytest.raises(NotSent) as error:
        await CHARGE_CARD.perform(payments(outside), call(PAYMENT))
    assert error.value.lasting


@pytest.mark.parametrize("status", ["409", "500", "503"])
async def test_a_conflict_or_stripes_own_trouble_is_unknown(outside: Outside, status: str):
    outside.arm("payments", "create", f"refuse:{status}")
    with pytest.raises(Unanswered):
        await CHARGE_CARD.perform(payments(outside), call(PAYMENT))


async def test_t14_an_error_kept_under_the_key_is_unknown_and_says_that_it_is_kept(outside: Outside):
    outside.arm("payments", "create", "after:500")
    for kept in (False, True):
        with pytest.raises(Unanswered) as error:
            await CHARGE_CARD.perform(payments(outside), call(PAYMENT))
        assert error.value.remembered is kept
    (seen,) = await look(CHARGE_CARD, reader(outside), call(PAYMENT))
    assert seen.state == "standing"


async def test_delivered_twice_under_one_key_is_one_charge(outside: Outside):
    outside.arm("payments", "create", "duplicate")
    receipt = await CHARGE_CARD.perform(payments(outside), call(PAYMENT))
    (effect,) = outside.effects()
    assert effect.ref == receipt.external_ref


def test_the_identity_is_the_order_and_every_decline_may_be_corrected():
    assert CHARGE_CARD.identity == AUTHORISE_PAYMENT.identity == ("order_id",)
    assert CHARGE_CARD.correctable == AUTHORISE_PAYMENT.correctable == DECLINES
    assert Payment.model_validate({**CHARGE_CARD.example, "order_id": " #1182"}).order_id == "1182"


def test_t38_a_charge_costs_its_amount_and_a_hold_nothing_yet():
    assert CHARGE_CARD.cost is not None
    assert str(CHARGE_CARD.cost(PAYMENT)) == "5.00 EUR"
    assert AUTHORISE_PAYMENT.cost is None


@pytest.mark.parametrize(
    "change",
    [
        {"amount_minor": 5.0},
        {"amount_minor": "500"},
        {"amount_minor": 0},
        {"currency": "EUR"},
        {"reason": ""},
        {"more": 1},
    ],
)
def test_t38_amounts_are_whole_and_typed(change):
    with pytest.raises(ValueError, match=next(iter(change))):
        Payment.model_validate({**CHARGE_CARD.example, **change})
