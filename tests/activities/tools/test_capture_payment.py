"""`capture_payment` against the sandbox's Stripe: a hold is taken once, and its own key is on it afterwards."""

import pytest

from activities.tools.authorise_payment import AUTHORISE_PAYMENT
from activities.tools.capture_payment import CAPTURE_PAYMENT
from saga.errors import NotSent, Refused, Unanswered
from saga.keys import OPEN_KEY
from tests.activities.outside import EXECUTION, RUN, Outside, call, look
from tests.activities.paying import (
    CAPTURE_KEY,
    HOLD,
    HOLD_KEY,
    LOST,
    NEVER,
    captured_by_hand,
    hold,
    payments,
    reader,
)


async def test_one_post_and_both_keys_are_on_the_intent(outside: Outside):
    held, commit = await hold(outside)
    receipt = await CAPTURE_PAYMENT.perform(payments(outside), commit)
    assert outside.sent("payments") == ["authorise", "capture"]
    assert outside.sent("payments", "GET") == []
    authorised, captured = outside.effects()
    assert (captured.kind, captured.key, captured.run, captured.execution) == (
        "charge.capture",
        CAPTURE_KEY,
        RUN,
        EXECUTION,
    )
    assert (authorised.key, captured.amount_minor, captured.ref) == (HOLD_KEY, 500, held.external_ref)
    assert (receipt.external_ref, receipt.execution, receipt.holds_until) == (held.external_ref, EXECUTION, None)
    intent = await payments(outside).intent(held.external_ref)
    assert (intent.marks["saga_key"], intent.marks["saga_capture_key"]) == (HOLD_KEY, CAPTURE_KEY)


async def test_the_staged_half_is_still_found_after_the_capture(outside: Outside):
    held, commit = await hold(outside)
    await CAPTURE_PAYMENT.perform(payments(outside), commit)
    (seen,) = await look(AUTHORISE_PAYMENT, reader(outside), call(HOLD, HOLD_KEY))
    assert (seen.external_ref, seen.state) == (held.external_ref, "standing")


async def test_a_hold_that_is_not_captured_is_no_capture(outside: Outside):
    _, commit = await hold(outside)
    assert await look(CAPTURE_PAYMENT, reader(outside), commit) == []


@LOST
async def test_a_lost_answer_is_unknown_is_found_and_is_answered_again(outside: Outside, fault: str):
    held, commit = await hold(outside)
    outside.arm("payments", "capture", fault)
    with pytest.raises(Unanswered):
        await CAPTURE_PAYMENT.perform(payments(outside), commit)
    (seen,) = await look(CAPTURE_PAYMENT, reader(outside), commit)
    assert (seen.external_ref, seen.state, seen.execution) == (held.external_ref, "standing", EXECUTION)
    assert await CAPTURE_PAYMENT.perform(payments(outside), commit) == seen.receipt()
    assert len(outside.effects("charge.capture")) == 1


@NEVER
async def test_no_answer_and_nothing_done_is_unknown_and_found_absent(outside: Outside, fault: str):
    _, commit = await hold(outside)
    outside.arm("payments", "capture", fault)
    with pytest.raises(Unanswered):
        await CAPTURE_PAYMENT.perform(payments(outside), commit)
    assert outside.effects("charge.capture") == []
    assert await look(CAPTURE_PAYMENT, reader(outside), commit) == []


async def test_a_capture_whose_key_was_forgotten_is_recognised_and_not_refused(outside: Outside):
    """T11."""
    held, commit = await hold(outside)
    outside.arm("payments", "capture", "after:504")
    with pytest.raises(Unanswered):
        await CAPTURE_PAYMENT.perform(payments(outside), commit)
    outside.arm("payments", "*", "forget_keys:0")
    receipt = await CAPTURE_PAYMENT.perform(payments(outside), commit)
    assert (receipt.external_ref, receipt.result["status"]) == (held.external_ref, "succeeded")
    assert len(outside.effects("charge.capture")) == 1


async def test_delivered_twice_is_one_capture(outside: Outside):
    _, commit = await hold(outside)
    outside.arm("payments", "capture", "duplicate")
    await CAPTURE_PAYMENT.perform(payments(outside), commit)
    assert len(outside.effects("charge.capture")) == 1


async def test_t12_t15_a_key_in_use_is_unknown_and_a_429_was_not_sent(outside: Outside):
    _, commit = await hold(outside)
    outside.arm("payments", "capture", "in_use")
    with pytest.raises(Unanswered):
        await CAPTURE_PAYMENT.perform(payments(outside), commit)
    outside.arm("payments", "capture", "429:3")
    with pytest.raises(NotSent) as error:
        await CAPTURE_PAYMENT.perform(payments(outside), commit)
    assert error.value.retry_after_s == 3
    assert outside.effects("charge.capture") == []


async def test_t23_a_hold_that_expired_is_a_refusal_that_says_so(outside: Outside):
    held, commit = await hold(outside)
    outside.advance(8 * 86_400)
    with pytest.raises(Refused) as refused:
        await CAPTURE_PAYMENT.perform(payments(outside), commit)
    assert (refused.value.code, refused.value.remembered) == ("authorisation_expired", True)
    assert await look(CAPTURE_PAYMENT, reader(outside), commit) == []
    (effect,) = outside.effects()
    assert (effect.ref, effect.state) == (held.external_ref, "expired")


async def test_what_somebody_else_captured_is_not_ours(outside: Outside):
    held, commit = await hold(outside)
    await captured_by_hand(outside, held.external_ref)
    with pytest.raises(Refused) as refused:
        await CAPTURE_PAYMENT.perform(payments(outside), commit)
    assert refused.value.code == "captured_elsewhere"
    assert await look(CAPTURE_PAYMENT, reader(outside), commit) == []


async def test_the_hold_is_found_by_its_key_where_its_reference_is_not_given(outside: Outside):
    held, commit = await hold(outside)
    bare = call(commit.args, CAPTURE_KEY)
    receipt = await CAPTURE_PAYMENT.perform(payments(outside), bare)
    assert receipt.external_ref == held.external_ref
    (seen,) = await look(CAPTURE_PAYMENT, reader(outside), bare)
    assert seen.external_ref == held.external_ref


async def test_a_hold_that_nobody_knows_is_not_captured(outside: Outside):
    _, commit = await hold(outside)
    bare = call(commit.args.model_copy(update={"authorisation_key": "f" * 32}), CAPTURE_KEY)
    with pytest.raises(NotSent) as error:
        await CAPTURE_PAYMENT.perform(payments(outside), bare)
    assert error.value.lasting
    assert outside.sent("payments") == ["authorise"]


@pytest.mark.parametrize("fault", ["before:503", "after:reset", "after:blank200", "refuse:500"])
async def test_a_look_that_gets_no_answer_is_never_an_absence(outside: Outside, fault: str):
    _, commit = await hold(outside)
    outside.arm("payments", "read", fault)
    with pytest.raises(NotSent):
        await look(CAPTURE_PAYMENT, reader(outside), commit)


def test_the_commit_half_names_the_staged_key_and_its_receipt_decides_who_sees_it():
    assert AUTHORISE_PAYMENT.commit_args is not None
    args = CAPTURE_PAYMENT.args.model_validate(AUTHORISE_PAYMENT.commit_args(HOLD, OPEN_KEY))
    assert args.authorisation_key == OPEN_KEY
    assert CAPTURE_PAYMENT.audience(args) == ("finance",)
    assert CAPTURE_PAYMENT.audience(args.model_copy(update={"receipt": True})) == ("customer", "finance")
    assert CAPTURE_PAYMENT.compensate is not None
    undo = CAPTURE_PAYMENT.compensate(args, OPEN_KEY)
    assert undo is not None
    assert (undo.tool, undo.args["charge_key"], undo.args["amount_minor"]) == ("refund_charge", OPEN_KEY, 500)


PART = HOLD.model_copy(update={"capture_minor": 300})


async def test_of_a_hold_the_part_is_taken_that_was_said_and_the_rest_released(outside: Outside):
    held, commit = await hold(outside, PART)
    receipt = await CAPTURE_PAYMENT.perform(payments(outside), commit)
    assert receipt.result == {
        "status": "succeeded",
        "amount_minor": 300,
        "currency": "eur",
        "authorised_minor": 500,
        "captured_minor": 300,
        "released_minor": 200,
        "fee_minor": 39,
    }
    assert held.result == {"status": "requires_capture", "amount_minor": 500, "currency": "eur"}
    amounts = [(each.kind, each.amount_minor, each.state) for each in outside.effects()]
    assert amounts == [("charge.authorise", 500, "standing"), ("charge.capture", 300, "standing")]
    intent = await payments(outside).intent(held.external_ref)
    assert (intent.returned_minor, intent.state) == (0, "standing")


@pytest.mark.parametrize("fault", ["after:reset", "after:504"])
async def test_a_part_that_was_taken_and_not_answered_is_found_and_answered_again_as_it_is(
    outside: Outside, fault: str
):
    _, commit = await hold(outside, PART)
    outside.arm("payments", "capture", fault)
    with pytest.raises(Unanswered):
        await CAPTURE_PAYMENT.perform(payments(outside), commit)
    (seen,) = await look(CAPTURE_PAYMENT, reader(outside), commit)
    again = await CAPTURE_PAYMENT.perform(payments(outside), commit)
    outside.arm("payments", "*", "forget_keys:0")
    forgotten = await CAPTURE_PAYMENT.perform(payments(outside), commit)
    assert seen.receipt() == again == forgotten
    assert [again.result[each] for each in ("captured_minor", "released_minor", "fee_minor")] == [300, 200, 39]
    assert [each.amount_minor for each in outside.effects("charge.capture")] == [300]


def test_both_amounts_are_said_in_words_and_the_part_is_what_it_costs_and_what_can_be_refunded():
    assert AUTHORISE_PAYMENT.target(PART) == (
        "5.00 EUR held from customer cus_1182 for order 1182, of which 3.00 EUR is to be taken"
    )
    assert AUTHORISE_PAYMENT.commit_args is not None
    args = CAPTURE_PAYMENT.args.model_validate(AUTHORISE_PAYMENT.commit_args(PART, OPEN_KEY))
    assert CAPTURE_PAYMENT.target(args) == (
        "3.00 EUR of the 5.00 EUR held, the rest released, from customer cus_1182 for order 1182"
    )
    assert CAPTURE_PAYMENT.cost is not None
    assert str(CAPTURE_PAYMENT.cost(args)) == "3.00 EUR"
    assert CAPTURE_PAYMENT.compensate is not None
    undo = CAPTURE_PAYMENT.compensate(args, OPEN_KEY)
    assert undo is not None
    assert undo.args["amount_minor"] == 300


@pytest.mark.parametrize("capture_minor", [None, 500])
def test_of_a_hold_that_is_taken_whole_nothing_is_said_of_parts(capture_minor: int | None):
    whole = HOLD.model_copy(update={"capture_minor": capture_minor})
    assert AUTHORISE_PAYMENT.target(whole) == "5.00 EUR held from customer cus_1182 for order 1182"
    assert AUTHORISE_PAYMENT.commit_args is not None
    args = CAPTURE_PAYMENT.args.model_validate(AUTHORISE_PAYMENT.commit_args(whole, OPEN_KEY))
    assert CAPTURE_PAYMENT.target(args) == "5.00 EUR from customer cus_1182 for order 1182"


def test_a_row_that_is_older_than_captures_in_part_takes_the_whole_hold():
    args = CAPTURE_PAYMENT.args.model_validate(CAPTURE_PAYMENT.example)
    assert (args.held_minor, args.amount_minor) == (None, 500)
    assert CAPTURE_PAYMENT.target(args) == "5.00 EUR from customer cus_1182 for order 1182"
