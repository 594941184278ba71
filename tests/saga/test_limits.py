"""The limits of one run: what one more step would break, in words, and what is not counted."""

import pytest

from saga.limits import over_limit
from saga.money import Money
from saga.request import AdmittedLimits
from saga.row import Row, Status
from tests.build import make_draft, make_facts, make_row, money


def limit(rows: list[Row], cost: Money | None = None, *, steps: int = 50, spend: Money | None = None) -> str:
    """What stands in the way of one more step that costs so much."""
    draft = make_draft(facts=make_facts(cost=cost))
    limits = AdmittedLimits.model_validate(
        {"max_steps": steps, "max_model_calls": 60, "max_spend": spend and spend.model_dump()}
    )
    return over_limit(limits, rows, draft)


def costing(
    amount_minor: int, status: Status = "CONFIRMED", *, currency: str = "eur", staged_by: int | None = None
) -> Row:
    return make_row(0, status, facts=make_facts(cost=money(amount_minor, currency)), staged_by=staged_by)


def test_one_step_more_than_allowed_is_over_the_limit_and_the_last_one_is_not():
    rows = [make_row(idx, "CONFIRMED") for idx in range(3)]
    assert limit(rows, steps=4) == ""
    assert limit(rows, steps=3) == "3 steps, the limit"


def test_undone_and_failed_steps_count_as_steps():
    assert limit([make_row(0, "COMPENSATED"), make_row(1, "FAILED")], steps=2)


def test_money_is_added_up_to_the_last_cent():
    assert limit([costing(60)], money(40), spend=money(100)) == ""
    assert limit([costing(60)], money(41), spend=money(100)) == "1.01 EUR in all, over the limit of 1.00 EUR"


@pytest.mark.parametrize("status", ["QUEUED", "INTENDED", "UNKNOWN", "CONFIRMED"])
def test_what_was_taken_may_have_been_or_will_be_counts(status):
    assert limit([costing(60, status)], money(41), spend=money(100))


@pytest.mark.parametrize("status", ["FAILED", "NOT_EXECUTED", "CANCELLED", "COMPENSATED"])
def test_what_was_never_taken_or_given_back_does_not_count(status):
    assert limit([costing(60, status)], money(41), spend=money(100)) == ""


@pytest.mark.parametrize("status", ["COMPENSATION_REQUESTED", "COMPENSATION_FAILED"])
def test_what_could_not_be_given_back_yet_counts(status):
    assert limit([costing(60, status)], money(41), spend=money(100))


def test_a_commit_half_does_not_count_what_its_staged_half_counted():
    assert limit([costing(60), costing(60, "QUEUED", staged_by=0)], money(40), spend=money(100)) == ""


def test_another_currency_than_the_limits_is_not_spent():
    assert limit([], money(1, "usd"), spend=money(100)) == "this run may only spend EUR"
    assert limit([costing(10_000, currency="usd")], money(100), spend=money(100)) == ""


def test_without_a_limit_or_a_cost_nothing_is_over_it():
    assert limit([costing(10**9)], money(10**9)) == ""
    assert limit([costing(10**9)], None, spend=money(1)) == ""
