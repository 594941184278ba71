"""The recovery table, one test a line."""

import pytest

from saga.recovery import decide

PIVOT = pytest.mark.parametrize("committed", [False, True], ids=["before the pivot", "after the pivot"])
KEEP = pytest.mark.parametrize("keep", [False, True], ids=["keep nothing", "keep"])


@PIVOT
@KEEP
def test_an_unknown_outcome_is_found_out_about_before_anything_is_decided(committed, keep):
    assert decide("unknown", committed=committed, keep=keep) == "reconcile"


@PIVOT
@KEEP
def test_a_passing_trouble_goes_forward(committed, keep):
    assert decide("transient", committed=committed, keep=keep) == "forward"


@KEEP
def test_a_definite_no_before_the_pivot_is_undone(keep):
    assert decide("permanent", committed=False, keep=keep) == "undo"


@KEEP
def test_a_definite_no_after_the_pivot_is_a_persons_and_nothing_is_undone(keep):
    assert decide("permanent", committed=True, keep=keep) == "person"


def test_a_cancel_before_the_pivot_is_undone():
    assert decide("cancelled", committed=False) == "undo"


def test_a_cancel_before_the_pivot_keeps_what_the_canceller_asked_to_keep():
    assert decide("cancelled", committed=False, keep=True) == "keep"


@KEEP
def test_a_cancel_after_the_pivot_changes_nothing(keep):
    assert decide("cancelled", committed=True, keep=keep) == "forward"


@KEEP
def test_a_policy_failure_before_the_pivot_is_undone_and_the_model_gets_no_other_turn(keep):
    assert decide("policy", committed=False, keep=keep) == "undo_and_stop"


@KEEP
def test_a_policy_failure_after_the_pivot_is_a_persons_and_nothing_is_undone(keep):
    assert decide("policy", committed=True, keep=keep) == "person"


@pytest.mark.parametrize("trouble", ["transient", "permanent", "cancelled", "policy", "unknown"])
@KEEP
def test_nothing_is_ever_undone_after_the_pivot(trouble, keep):
    assert decide(trouble, committed=True, keep=keep) not in ("undo", "undo_and_stop", "keep")
