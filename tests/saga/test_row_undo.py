"""A counter-action moves as the contract says, and the row's own status follows from it."""

from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saga.errors import IllegalTransition
from saga.keys import compensation_key
from saga.outcome import Problem
from saga.row import HalfStatus, Row, Status
from tests.build import RUN, at, make_row

HALF_STATUSES = get_args(HalfStatus)
FOLLOWS: dict[str | None, Status] = {
    None: "CONFIRMED",
    "INTENDED": "COMPENSATION_REQUESTED",
    "UNKNOWN": "COMPENSATION_REQUESTED",
    "PENDING": "COMPENSATION_REQUESTED",
    "NOT_EXECUTED": "COMPENSATION_REQUESTED",
    "CONFIRMED": "COMPENSATED",
    "FAILED": "COMPENSATION_FAILED",
}
LEGAL = {
    (None, "INTENDED"),
    *(("INTENDED", each) for each in ("UNKNOWN", "PENDING", "CONFIRMED", "FAILED")),
    *(("UNKNOWN", each) for each in ("PENDING", "CONFIRMED", "FAILED", "NOT_EXECUTED")),
    *(("PENDING", each) for each in ("CONFIRMED", "FAILED", "UNKNOWN")),
    *(("NOT_EXECUTED", each) for each in ("INTENDED", "FAILED")),
    *(("FAILED", each) for each in ("INTENDED", "CONFIRMED")),
    ("CONFIRMED", "FAILED"),
}
EVERY = {(was, to) for was in (None, *HALF_STATUSES) for to in HALF_STATUSES}


def row_with(half: HalfStatus | None) -> Row:
    """A row whose counter-action is in that status."""
    return make_row(2, FOLLOWS[half], undo=half)


@pytest.mark.parametrize(("was", "to"), sorted(LEGAL, key=str))
def test_the_rows_status_follows_its_counter_action(was, to):
    moved = row_with(was).move_undo(to, at(1))
    assert moved.compensation
    assert (moved.compensation.status, moved.status) == (to, FOLLOWS[to])
    assert moved.updated_at == at(1)


@pytest.mark.parametrize(("was", "to"), sorted(EVERY - LEGAL, key=str))
def test_every_other_move_of_a_counter_action_is_refused_and_changes_nothing(was, to):
    row = row_with(was)
    with pytest.raises(IllegalTransition, match="step 2"):
        row.move_undo(to, at(1))
    assert row == row_with(was)


@settings(deadline=None)
@given(st.lists(st.sampled_from(HALF_STATUSES), max_size=40))
def test_whatever_is_tried_the_row_never_contradicts_its_counter_action(wishes):
    row = row_with(None)
    for wish in wishes:
        was = row.compensation and row.compensation.status
        if (was, wish) in LEGAL:
            row = row.move_undo(wish, at(1))
        else:
            with pytest.raises(IllegalTransition):
                row.move_undo(wish, at(1))
        assert row.compensation
        assert row.status == FOLLOWS[row.compensation.status]


@pytest.mark.parametrize("status", ["QUEUED", "INTENDED", "UNKNOWN", "FAILED", "NOT_EXECUTED", "CANCELLED"])
def test_nothing_is_undone_before_its_call_is_confirmed(status):
    with pytest.raises(IllegalTransition):
        make_row(0, status).move_undo("INTENDED", at(1))


def test_a_step_without_a_counter_action_is_not_undone():
    with pytest.raises(IllegalTransition):
        make_row(0, "CONFIRMED", undoable=False).move_undo("INTENDED", at(1))


def test_an_undo_counts_as_done_only_once_the_provider_confirmed_it():
    row = row_with("INTENDED")
    for half in ("PENDING", "UNKNOWN"):
        assert row.move_undo(half, at(1)).status != "COMPENSATED"
    assert row.move_undo("PENDING", at(1)).move_undo("CONFIRMED", at(2)).status == "COMPENSATED"


def test_a_refund_that_fails_late_opens_the_row_again():
    """T26."""
    row = row_with("CONFIRMED")
    assert row.settled
    assert not row.move_undo("FAILED", at(86_400)).settled


def test_a_move_of_the_counter_action_keeps_what_came_back_and_leaves_the_call_alone():
    row = row_with("INTENDED").move_undo("CONFIRMED", at(1), external_ref="gone-1", attempts=2)
    assert row.compensation
    assert (row.compensation.external_ref, row.compensation.attempts) == ("gone-1", 2)
    assert (row.external_ref, row.attempts, row.idempotency_key) == (None, 0, row_with(None).idempotency_key)


@pytest.mark.parametrize("proven", ["FAILED", "NOT_EXECUTED"])
def test_a_later_try_of_an_undo_has_a_key_of_its_own(proven):
    """T40."""
    row = row_with(proven).undo_again(at(1))
    assert row.compensation
    assert row.compensation.idempotency_key == compensation_key(RUN, 2, "put_box", 2)
    assert row.compensation.idempotency_key != compensation_key(RUN, 2, "put_box")
    assert (row.compensation.status, row.status) == ("INTENDED", "COMPENSATION_REQUESTED")
    assert row.compensation.args == {"box_key": row.idempotency_key}


def test_a_later_try_of_an_undo_forgets_the_error_of_the_one_before():
    row = row_with("INTENDED").move_undo("FAILED", at(1), error=Problem(code="locked", message="no"))
    again = row.undo_again(at(2))
    assert again.compensation
    assert again.compensation.error is None


@pytest.mark.parametrize("open_half", ["INTENDED", "UNKNOWN", "PENDING", "CONFIRMED"])
def test_no_other_key_is_taken_before_the_try_before_is_proven_without_effect(open_half):
    """T40."""
    with pytest.raises(IllegalTransition):
        row_with(open_half).undo_again(at(1))
