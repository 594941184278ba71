"""`refund_seats` against the sandbox: what is left goes back, once, and is done when the bank says so."""

import pytest

from activities.providers.workspaces import Workspaces
from compensations.refund_seats import REFUND_SEATS, RefundSeatsArgs
from saga.errors import NotSent, Refused, Unanswered
from tests.activities.outside import EXECUTION, RUN, UNDO_KEY, Outside, call, look
from tests.activities.seats import (
    LOST,
    NEVER,
    PURCHASE_KEY,
    READS,
    SEATS_KEY,
    SETTLED_S,
    bought,
    returned_minor,
)

LATER_KEY = "9" * 32


async def test_all_of_it_goes_back_and_is_done_once_the_bank_says_so(outside: Outside):
    paid = await bought(outside)
    assert await look(REFUND_SEATS, outside.workspaces(READS), paid.undo) == []
    receipt = await REFUND_SEATS.perform(outside.workspaces(), paid.undo)
    (effect,) = outside.effects("seats.refund")
    assert (effect.ref, effect.key, effect.run, effect.execution) == (receipt.external_ref, UNDO_KEY, RUN, EXECUTION)
    assert (effect.amount_minor, effect.state, receipt.pending) == (50_000, "pending", True)
    (seen,) = await look(REFUND_SEATS, outside.workspaces(READS), paid.undo)
    assert seen.state == "pending"
    outside.advance(SETTLED_S)
    (seen,) = await look(REFUND_SEATS, outside.workspaces(READS), paid.undo)
    assert (seen.state, seen.external_ref) == ("standing", receipt.external_ref)
    assert "seats.purchase" not in outside.standing()


async def test_t39_of_500_charged_and_200_used_300_go_back_and_the_books_say_so(outside: Outside):
    paid = await bought(outside)
    await outside.act("workspaces", paid.ref, "use", amount_minor=20_000)
    receipt = await REFUND_SEATS.perform(outside.workspaces(), paid.undo)
    assert returned_minor(outside) == 30_000
    assert {name: receipt.result[name] for name in receipt.result if name not in ("refund", "state")} == {
        "original_minor": 50_000,
        "compensated_minor": 30_000,
        "used_minor": 20_000,
        "kept_fee_minor": 1_480,
        "currency": "usd",
        "reason": "the run that bought 40 seats was undone",
    }
    outside.advance(SETTLED_S)
    (seen,) = await look(REFUND_SEATS, outside.workspaces(READS), paid.undo)
    assert (seen.state, seen.result["compensated_minor"]) == ("standing", 30_000)


async def test_t39_never_a_negative_or_an_empty_refund(outside: Outside):
    paid = await bought(outside)
    await outside.act("workspaces", paid.ref, "use", amount_minor=50_000)
    with pytest.raises(Refused) as error:
        await REFUND_SEATS.perform(outside.workspaces(), paid.undo)
    assert error.value.code == "nothing_left"
    assert await look(REFUND_SEATS, outside.workspaces(READS), paid.undo) == []
    assert "refund" not in outside.sent("workspaces")


async def test_t29_twice_is_once(outside: Outside):
    paid = await bought(outside)
    first = await REFUND_SEATS.perform(outside.workspaces(), paid.undo)
    again = await REFUND_SEATS.perform(outside.workspaces(), paid.undo)
    assert (again.external_ref, again.found, first.found) == (first.external_ref, True, False)
    assert returned_minor(outside) == 50_000
    assert outside.sent("workspaces").count("refund") == 1


async def test_delivered_twice_is_one_refund(outside: Outside):
    paid = await bought(outside)
    outside.arm("workspaces", "refund", "duplicate")
    await REFUND_SEATS.perform(outside.workspaces(), paid.undo)
    assert len(outside.effects("seats.refund")) == 1


@LOST
async def test_a_lost_answer_is_unknown_is_found_and_is_done_once(outside: Outside, fault: str):
    paid = await bought(outside)
    outside.arm("workspaces", "refund", fault)
    with pytest.raises(Unanswered):
        await REFUND_SEATS.perform(outside.workspaces(), paid.undo)
    (seen,) = await look(REFUND_SEATS, outside.workspaces(READS), paid.undo)
    again = await REFUND_SEATS.perform(outside.workspaces(), paid.undo)
    assert (again.external_ref, again.found) == (seen.external_ref, True)
    assert returned_minor(outside) == 50_000


@NEVER
async def test_no_answer_and_nothing_done_is_unknown_and_found_absent(outside: Outside, fault: str):
    paid = await bought(outside)
    outside.arm("workspaces", "refund", fault)
    with pytest.raises(Unanswered):
        await REFUND_SEATS.perform(outside.workspaces(), paid.undo)
    if not fault.startswith("outage"):
        assert await look(REFUND_SEATS, outside.workspaces(READS), paid.undo) == []
    assert returned_minor(outside) == 0


@pytest.mark.parametrize("fault", ["before:503", "after:reset", "after:blank200", "refuse:500", "429:2"])
@pytest.mark.parametrize("operation", ["read", "list"])
async def test_a_look_that_fails_before_it_sent_nothing(outside: Outside, operation: str, fault: str):
    paid = await bought(outside)
    outside.arm("workspaces", operation, fault, times=2)
    with pytest.raises(NotSent):
        await REFUND_SEATS.perform(outside.workspaces(), paid.undo)
    with pytest.raises(NotSent):
        await look(REFUND_SEATS, outside.workspaces(READS), paid.undo)
    assert "refund" not in outside.sent("workspaces")


async def test_t26_a_refund_that_fails_late_is_no_refund_any_more(outside: Outside):
    paid = await bought(outside)
    receipt = await REFUND_SEATS.perform(outside.workspaces(), paid.undo)
    outside.advance(SETTLED_S)
    await outside.act("workspaces", receipt.external_ref, "fail_refund")
    (seen,) = await look(REFUND_SEATS, outside.workspaces(READS), paid.undo)
    assert (seen.state, seen.result["compensated_minor"]) == ("failed", 0)
    assert returned_minor(outside) == 0


async def test_t40_under_the_key_of_a_failed_refund_nothing_goes_back_under_another_it_does(outside: Outside):
    paid = await bought(outside)
    receipt = await REFUND_SEATS.perform(outside.workspaces(), paid.undo)
    await outside.act("workspaces", receipt.external_ref, "fail_refund")
    with pytest.raises(Refused) as error:
        await REFUND_SEATS.perform(outside.workspaces(), paid.undo)
    assert (error.value.code, error.value.remembered) == ("refund_failed", True)
    assert await look(REFUND_SEATS, outside.workspaces(READS), paid.again(LATER_KEY)) == []
    later = await REFUND_SEATS.perform(outside.workspaces(), paid.again(LATER_KEY))
    assert later.external_ref != receipt.external_ref
    assert returned_minor(outside) == 50_000


async def test_never_more_than_the_step_took(outside: Outside):
    paid = await bought(outside)
    args = paid.undo.args.model_copy(update={"amount_minor": 10_000})
    await REFUND_SEATS.perform(outside.workspaces(), call(args, UNDO_KEY, ref=paid.ref))
    assert returned_minor(outside) == 10_000


async def test_a_purchase_that_is_not_this_steps_is_left_alone(outside: Outside):
    paid = await bought(outside)
    for change, code in (({"purchase_key": SEATS_KEY}, "not_ours"), ({"currency": "eur"}, "another_currency")):
        half = call(paid.undo.args.model_copy(update=change), UNDO_KEY, ref=paid.ref)
        for attempt in (REFUND_SEATS.perform, REFUND_SEATS.find):
            with pytest.raises(NotSent) as error:
                await attempt(outside.workspaces(), half)
            assert (error.value.code, error.value.lasting) == (code, True)
    assert returned_minor(outside) == 0


async def test_without_a_reference_it_is_found_by_the_forward_key_or_not_at_all(outside: Outside):
    paid = await bought(outside)
    args = paid.undo.args.model_copy(update={"purchase_key": "d" * 32})
    with pytest.raises(NotSent) as error:
        await REFUND_SEATS.perform(outside.workspaces(), call(args, UNDO_KEY))
    assert error.value.code == "target_unclear"
    await REFUND_SEATS.perform(outside.workspaces(), call(paid.undo.args, UNDO_KEY))
    assert returned_minor(outside) == 50_000


async def test_a_blind_look_is_never_an_absence(outside: Outside, monkeypatch):
    paid = await bought(outside)
    await REFUND_SEATS.perform(outside.workspaces(), paid.undo)
    monkeypatch.setattr(Workspaces, "refunds", _none)
    for attempt in (REFUND_SEATS.perform, REFUND_SEATS.find):
        with pytest.raises(NotSent) as error:
            await attempt(outside.workspaces(), paid.again(LATER_KEY))
        assert error.value.code == "blind"
    assert returned_minor(outside) == 50_000


async def _none(*_):
    return []


@pytest.mark.parametrize("amount", [0, -1, 1.0, "500", True])
def test_an_amount_is_a_whole_positive_number(amount: object):
    with pytest.raises(ValueError, match="amount_minor"):
        RefundSeatsArgs.model_validate(
            {"purchase_key": PURCHASE_KEY, "amount_minor": amount, "currency": "usd", "reason": "undone"}
        )
