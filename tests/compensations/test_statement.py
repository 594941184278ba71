"""The statement of an undo, line by line: nothing unknown is called nothing, and no line is below zero."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from activities.providers.intent import Intent
from activities.providers.refund import Refund
from compensations.statement import Statement, total

EURO = {"currency": "eur"}


def intent(captured: int = 500, fee: Any = 45, paid_out_in: str = "eur", **more: Any) -> Intent:
    """A hold of 500, captured as far as is said."""
    booked = None if fee is None else {"fee": fee, "currency": paid_out_in}
    return Intent.of(
        {
            "id": "pi_1",
            "status": "succeeded",
            **EURO,
            "amount": 500,
            "amount_received": captured,
            "created": 1_800_000_000,
            "latest_charge": {"balance_transaction": booked},
            **more,
        }
    )


def refund(minor: int, status: str = "succeeded", fee: int | None = 0, **marks: str) -> Refund:
    """A refund with its own fee."""
    booked = None if fee is None else {"fee": fee, **EURO}
    return Refund.of(
        {"id": "re_1", "status": status, "amount": minor, **EURO, "metadata": marks, "balance_transaction": booked}
    )


def lines(seen: Any) -> list[Any]:
    return [seen.result[f"{name}_minor"] for name in ("original", "compensated", "already_refunded", "kept_fee")]


def test_500_charged_200_given_back_by_others_300_given_back_now_and_the_fee_is_gone():
    seen = Statement(intent=intent(), reason="undone").refunded(refund(300), [refund(200)])
    assert lines(seen) == [500, 300, 200, 45]
    assert (seen.result["currency"], seen.result["reason"]) == ("eur", "undone")


def test_a_refund_that_failed_gave_nothing_back_whoever_asked_for_it():
    seen = Statement(intent=intent(), reason="x").refunded(refund(300, "failed"), [refund(200, "failed")])
    assert (lines(seen), seen.state) == ([500, 0, 0, 45], "failed")


def test_a_fee_that_is_not_booked_is_unknown_and_a_refund_that_is_not_booked_adds_none():
    assert lines(Statement(intent=intent(fee=None), reason="x").refunded(refund(500), []))[3] is None
    assert lines(Statement(intent=intent(), reason="x").refunded(refund(500, "pending", fee=None), []))[3] == 45


def test_an_account_on_other_terms_keeps_what_it_says_that_it_keeps():
    given_back = Statement(intent=intent(), reason="x").refunded(refund(500, fee=-15), [])
    charged_more = Statement(intent=intent(), reason="x").refunded(refund(500, fee=30), [])
    assert (lines(given_back)[3], lines(charged_more)[3]) == (30, 75)


def test_a_fee_in_another_currency_is_not_called_euros():
    result = Statement(intent=intent(fee=52, paid_out_in="usd"), reason="x").refunded(refund(500), []).result
    assert (result["currency"], result["kept_fee_minor"], result["kept_fee_currency"]) == ("eur", 52, "usd")


def test_of_a_hold_nothing_was_taken_and_no_fee_is_kept():
    held = intent(captured=0, fee=None, status="canceled")
    assert lines(Statement(intent=held, reason="x").released(already=False)) == [500, 500, 0, 0]
    ran_out = intent(captured=0, fee=None, status="canceled", cancellation_reason="expired")
    seen = Statement(intent=ran_out, reason="x").released(already=True)
    assert (lines(seen), seen.result["by"]) == ([500, 0, 500, 0], "expiry")


STATUSES = st.sampled_from(["succeeded", "pending", "failed"])


@given(
    captured=st.integers(min_value=1, max_value=500),
    parts=st.lists(st.tuples(st.integers(min_value=1, max_value=500), STATUSES), max_size=6),
    status=STATUSES,
)
def test_t39_the_lines_never_add_up_to_more_than_was_taken(captured: int, parts: list[tuple[int, str]], status: str):
    """Of whatever Stripe lets through, which is never more than was captured."""
    before: list[Refund] = []
    for minor, how in parts:
        if total(before) + minor < captured:
            before.append(refund(minor, how))
    ours = refund(captured - total(before), status)
    statement = Statement(intent=intent(captured), reason="x")
    original, back, already, kept = lines(statement.refunded(ours, before))
    assert min(original, back, already, kept) >= 0
    assert back + already == (original if status != "failed" else total(before))
    if before and total(before):
        assert lines(statement.refunded_by_others(before))[:3] == [captured, 0, total(before)]
