"""`refund_order` against the sandbox's Stripe: the order's own payment, once, in its own currency."""

import pytest

from activities.tools.refund_order import REFUND_ORDER, RefundOrderArgs
from saga.errors import NotSent, Refused, Unanswered
from saga.keys import OPEN_KEY
from tests.activities.outside import EXECUTION, KEY, RUN, Outside, call, look
from tests.activities.paying import LOST, NEVER, by_hand, payments, reader

ARGS = RefundOrderArgs(
    order_id="1182",
    payment_intent="pi_order_1182",
    amount_minor=4900,
    currency="eur",
    reason="the lamp arrived broken",
    customer_email="mara.lindqvist@customers.test",
)


async def test_one_look_and_one_post(outside: Outside):
    receipt = await REFUND_ORDER.perform(payments(outside), call(ARGS))
    (effect,) = outside.effects()
    assert (effect.kind, effect.key, effect.run, effect.execution) == ("charge.refund", KEY, RUN, EXECUTION)
    assert (effect.ref, effect.amount_minor) == (receipt.external_ref, 4900)
    assert (receipt.pending, receipt.execution) == (False, EXECUTION)
    assert outside.sent("payments") == ["refund"]
    assert outside.sent("payments", "GET") == ["read"]


@LOST
async def test_a_lost_answer_is_unknown_is_found_and_is_answered_again(outside: Outside, fault: str):
    outside.arm("payments", "refund", fault)
    with pytest.raises(Unanswered):
        await REFUND_ORDER.perform(payments(outside), call(ARGS))
    (seen,) = await look(REFUND_ORDER, reader(outside), call(ARGS))
    assert (seen.state, seen.execution) == ("standing", EXECUTION)
    assert await REFUND_ORDER.perform(payments(outside), call(ARGS)) == seen.receipt()
    assert len(outside.effects()) == 1


@NEVER
async def test_no_answer_and_nothing_done_is_unknown_and_found_absent(outside: Outside, fault: str):
    """T10."""
    outside.arm("payments", "refund", fault)
    with pytest.raises(Unanswered):
        await REFUND_ORDER.perform(payments(outside), call(ARGS))
    assert outside.effects() == []
    assert await look(REFUND_ORDER, reader(outside), call(ARGS)) == []


async def test_delivered_twice_is_one_refund(outside: Outside):
    outside.arm("payments", "refund", "duplicate")
    await REFUND_ORDER.perform(payments(outside), call(ARGS))
    assert len(outside.effects()) == 1


async def test_t11_two_refunds_under_a_forgotten_key_are_both_seen(outside: Outside):
    outside.arm("payments", "*", "forget_keys:0")
    half = ARGS.model_copy(update={"amount_minor": 1000})
    first = await REFUND_ORDER.perform(payments(outside), call(half))
    second = await REFUND_ORDER.perform(payments(outside), call(half))
    seen = await look(REFUND_ORDER, reader(outside), call(half))
    assert [each.external_ref for each in seen] == [first.external_ref, second.external_ref]


async def test_t38_more_than_there_is_is_refused(outside: Outside):
    with pytest.raises(Refused):
        await REFUND_ORDER.perform(payments(outside), call(ARGS.model_copy(update={"amount_minor": 5000})))
    assert outside.effects() == []


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"currency": "jpy"}, "another_currency"),
        ({"payment_intent": "pi_order_1183"}, "another_order"),
        ({"payment_intent": "pi_none"}, "resource_missing"),
    ],
)
async def test_t38_another_currency_order_or_payment_is_not_sent_at_all(outside: Outside, changed, code: str):
    with pytest.raises(NotSent) as error:
        await REFUND_ORDER.perform(payments(outside), call(ARGS.model_copy(update=changed)))
    assert (error.value.code, error.value.lasting) == (code, True)
    assert outside.sent("payments") == []


async def test_t39_what_is_left_is_what_stripe_says_is_left(outside: Outside):
    await by_hand(outside, "pi_order_1182", 1000)
    with pytest.raises(Refused):
        await REFUND_ORDER.perform(payments(outside), call(ARGS))
    assert await look(REFUND_ORDER, reader(outside), call(ARGS)) == []


@pytest.mark.parametrize("fault", ["before:503", "after:reset", "refuse:500", "after:html200"])
async def test_a_look_that_fails_sent_nothing(outside: Outside, fault: str):
    outside.arm("payments", "read", fault)
    with pytest.raises(NotSent):
        await REFUND_ORDER.perform(payments(outside), call(ARGS))
    assert outside.sent("payments") == []


async def test_a_blind_look_is_never_an_absence(outside: Outside):
    await REFUND_ORDER.perform(payments(outside), call(ARGS))
    outside.arm("payments", "list", "blind")
    with pytest.raises(NotSent) as error:
        await look(REFUND_ORDER, reader(outside), call(ARGS))
    assert error.value.code == "blind"


async def test_a_refund_that_fails_later_is_seen_as_failed(outside: Outside):
    receipt = await REFUND_ORDER.perform(payments(outside), call(ARGS))
    await outside.act("payments", receipt.external_ref, "fail_refund")
    (seen,) = await look(REFUND_ORDER, reader(outside), call(ARGS))
    assert seen.state == "failed"


def test_the_correction_needs_somebody_to_tell():
    assert REFUND_ORDER.correct is not None
    letter = REFUND_ORDER.correct(ARGS)
    assert letter is not None
    assert (letter.tool, letter.args["original_key"], letter.args["to"]) == (
        "send_correction",
        OPEN_KEY,
        "mara.lindqvist@customers.test",
    )
    assert "49.00 EUR" in str(letter.args["text"])
    assert REFUND_ORDER.correct(ARGS.model_copy(update={"customer_email": None})) is None
