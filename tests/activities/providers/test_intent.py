"""What a payment intent and a refund say, read from Stripe's objects."""

from datetime import UTC, datetime
from typing import Any

import pytest

from activities.providers.intent import HOLD_S, Intent
from activities.providers.refund import Refund
from saga.errors import Refused, Unanswered
from saga.tool import Tags

TAGS = Tags(key="k", run_id="run", step_idx=3, execution="e1")
CREATED = 1_800_000_000


def said(**more: Any) -> dict[str, Any]:
    """A hold, as Stripe shows it, with changes."""
    return {
        "id": "pi_1", "status": "requires_capture", "currency": "eur", "amount": 500, "created": CREATED, **more
    }  # fmt: skip


@pytest.mark.parametrize(
    ("status", "state"),
    [
        ("requires_capture", "standing"),
        ("succeeded", "standing"),
        ("processing", "pending"),
        ("canceled", "undone"),
        ("requires_payment_method", "failed"),
        ("requires_confirmation", "failed"),
        ("requires_action", "failed"),
    ],
)
def test_every_status_is_a_state(status: str, state: str):
    intent = Intent.of(said(status=status))
    assert intent.state == state
    if state == "failed":
        with pytest.raises(Refused):
            intent.receipt()
    else:
        assert intent.receipt().pending is (state == "pending")


def test_a_hold_ends_when_the_card_says_so_else_after_the_shortest_time_that_cards_have():
    card = {"payment_method_details": {"card": {"capture_before": CREATED + 7 * 86_400}}}
    assert Intent.of(said(latest_charge=card)).holds_until == datetime.fromtimestamp(CREATED + 7 * 86_400, UTC)
    for unsaid in (None, "ch_1", {}, {"payment_method_details": None}, {"payment_method_details": {"card": None}}):
        assert Intent.of(said(latest_charge=unsaid)).holds_until == datetime.fromtimestamp(CREATED + HOLD_S, UTC)


def test_only_what_is_taken_in_full_and_given_back_in_full_is_undone():
    charge = {"amount_refunded": 500, "refunded": True}
    assert Intent.of(said(status="succeeded", amount_received=500, latest_charge=charge)).state == "undone"
    charge = {"amount_refunded": 499, "refunded": False}
    assert Intent.of(said(status="succeeded", amount_received=500, latest_charge=charge)).state == "standing"


@pytest.mark.parametrize(
    ("marks", "status", "ours"),
    [
        ({"saga_run": "run", "saga_execution": "e1", "saga_capture_key": "x"}, "succeeded", True),
        ({"saga_run": "run", "saga_execution": "e1"}, "succeeded", False),
        ({"saga_run": "other", "saga_execution": "e1", "saga_capture_key": "x"}, "succeeded", False),
        ({"saga_run": "run", "saga_execution": "e0", "saga_capture_key": "x"}, "succeeded", False),
        ({"saga_run": "run", "saga_execution": "e1", "saga_capture_key": "x"}, "requires_capture", False),
    ],
)
def test_only_a_capture_under_a_key_of_this_execution_is_this_runs(marks, status: str, ours: bool):
    assert Intent.of(said(status=status, metadata=marks)).captured_by_run(TAGS) is ours


@pytest.mark.parametrize("field", ["id", "status", "currency", "amount", "created"])
@pytest.mark.parametrize("value", [None, "", {}])
def test_an_object_that_lacks_what_counts_is_no_answer(field: str, value):
    """T9."""
    with pytest.raises(Unanswered):
        Intent.of(said(**{field: value}))


@pytest.mark.parametrize(
    ("status", "state"),
    [
        ("succeeded", "standing"),
        ("pending", "pending"),
        ("requires_action", "pending"),
        ("a_status_of_tomorrow", "pending"),
        ("failed", "failed"),
        ("canceled", "failed"),
    ],
)
def test_every_status_of_a_refund_is_a_state(status: str, state: str):
    refund = Refund.of({"id": "re_1", "status": status, "amount": 5, "currency": "eur", "metadata": {"saga_key": "k"}})
    assert refund.state == state
    assert refund.is_of("k")
    if state == "failed":
        with pytest.raises(Refused) as refused:
            refund.receipt()
        assert refused.value.remembered
    else:
        assert refund.receipt().pending is (state == "pending")


@pytest.mark.parametrize(
    "body", [{}, {"id": "re_1"}, {"id": "", "status": "succeeded", "amount": 5, "currency": "eur"}]
)
def test_a_refund_without_an_id_is_no_answer(body):
    """T9."""
    with pytest.raises(Unanswered):
        Refund.of(body)


def taken(booked: Any, **more: Any) -> Intent:
    """300 of a hold of 500, with this balance transaction."""
    charge = {"balance_transaction": booked, "amount_refunded": 0, "refunded": False}
    return Intent.of(said(status="succeeded", amount_received=300, latest_charge={**charge, **more}))


def test_what_was_taken_released_and_kept_is_told_apart():
    result = taken({"fee": 39, "currency": "eur"}).receipt().result
    assert [result[each] for each in ("authorised_minor", "captured_minor", "released_minor", "fee_minor")] == [
        *(500, 300, 200, 39),
    ]
    assert "fee_currency" not in result


@pytest.mark.parametrize("booked", [None, "txn_1"])
def test_a_fee_that_is_not_booked_yet_is_unknown_and_not_nothing(booked: Any):
    """Where a capture is asynchronous Stripe books it up to an hour later."""
    intent = taken(booked)
    assert intent.fee is None
    assert intent.receipt().result["fee_minor"] is None


def test_a_fee_in_the_currency_that_the_account_is_paid_out_in_says_so():
    result = taken({"fee": 42, "currency": "usd"}).receipt().result
    assert (result["currency"], result["fee_minor"], result["fee_currency"]) == ("eur", 42, "usd")


@pytest.mark.parametrize("booked", [{"fee": None, "currency": "eur"}, {"currency": "eur"}, {"fee": "much"}])
def test_a_fee_that_cannot_be_read_is_no_answer(booked: Any):
    """T9."""
    with pytest.raises(Unanswered):
        taken(booked)


@pytest.mark.parametrize(
    ("status", "reason", "expired"),
    [
        ("canceled", "expired", True),
        ("canceled", "automatic", True),  # API versions before 2025-03-31
        ("canceled", "requested_by_customer", False),
        ("canceled", None, False),
        ("requires_capture", None, False),
    ],
)
def test_a_hold_that_ran_out_is_told_from_one_that_was_cancelled(status: str, reason: str | None, expired: bool):
    assert Intent.of(said(status=status, cancellation_reason=reason)).expired is expired
