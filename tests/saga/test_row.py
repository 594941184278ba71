"""A row moves only as the contract says, and says so when somebody tries otherwise."""

from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saga.errors import IllegalTransition
from saga.outcome import Problem
from saga.row import Repeat, Row, Status, Waiver
from tests.build import at, make_approval, make_receipt, make_row

STATUSES = get_args(Status)

# The contract's own moves, written down a second time on purpose.
LEGAL = {
    *(("QUEUED", "INTENDED"), ("QUEUED", "CANCELLED")),
    *(("INTENDED", "CONFIRMED"), ("INTENDED", "FAILED"), ("INTENDED", "UNKNOWN")),
    *(("UNKNOWN", "CONFIRMED"), ("UNKNOWN", "FAILED"), ("UNKNOWN", "NOT_EXECUTED")),
    ("NOT_EXECUTED", "INTENDED"),
    ("CONFIRMED", "COMPENSATION_REQUESTED"),
    ("COMPENSATION_REQUESTED", "COMPENSATED"),
    ("COMPENSATION_REQUESTED", "COMPENSATION_FAILED"),
    ("COMPENSATION_FAILED", "COMPENSATION_REQUESTED"),
    ("COMPENSATION_FAILED", "COMPENSATED"),
    ("COMPENSATED", "COMPENSATION_FAILED"),
}
OPEN = {"INTENDED", "UNKNOWN", "COMPENSATION_REQUESTED", "COMPENSATION_FAILED"}


@pytest.mark.parametrize(("was", "to"), sorted(LEGAL))
def test_every_move_of_the_contract_is_allowed(was, to):
    moved = make_row(3, was).move(to, at(1))
    assert (moved.status, moved.updated_at, moved.created_at) == (to, at(1), at(0))


@pytest.mark.parametrize(("was", "to"), sorted({(a, b) for a in STATUSES for b in STATUSES} - LEGAL))
def test_every_other_move_is_refused_naming_the_step_and_both_states(was, to):
    row = make_row(3, was)
    with pytest.raises(IllegalTransition, match=f"step 3: {was} cannot become {to}"):
        row.move(to, at(1))
    assert row == make_row(3, was)


@settings(deadline=None)
@given(st.lists(st.sampled_from(STATUSES), max_size=40))
def test_no_sequence_of_moves_gets_around_the_contract(wishes):
    row = make_row(0, "QUEUED")
    for wish in wishes:
        if (row.status, wish) in LEGAL:
            row = row.move(wish, at(1))
            assert row.status == wish
        else:
            with pytest.raises(IllegalTransition):
                row.move(wish, at(1))


def test_a_failed_or_cancelled_step_never_moves_again():
    for status in ("FAILED", "CANCELLED"):
        assert not [to for was, to in LEGAL if was == status]


@pytest.mark.parametrize("status", STATUSES)
def test_a_row_is_settled_when_neither_half_is_open(status):
    assert make_row(0, status).settled == (status not in OPEN)


@pytest.mark.parametrize("status", sorted(OPEN))
def test_a_half_that_a_person_waived_is_settled_and_keeps_its_status_and_their_name(status):
    waived = make_row(0, status).waive(Waiver(by="bob", at=at(5), note="seen it"), at(5))
    assert waived.settled
    assert waived.status == status
    assert waived.waived
    assert waived.waived.by == "bob"


@pytest.mark.parametrize("status", STATUSES)
def test_only_a_confirmed_row_stands(status):
    assert make_row(0, status).stands == (status == "CONFIRMED")


def test_confirming_keeps_what_the_provider_said_and_clears_the_error():
    row = make_row(0, "INTENDED").move("UNKNOWN", at(1), error=Problem(code="reset", message="gone"), attempts=1)
    receipt = make_receipt("box-7", result={"shelf": "A1"}, holds_until=at(900))
    confirmed = row.confirm(receipt, at(2), how="found by lookup", attempts=1)
    assert (confirmed.status, confirmed.external_ref, confirmed.result) == ("CONFIRMED", "box-7", {"shelf": "A1"})
    assert (confirmed.error, confirmed.attempts, confirmed.how) == (None, 2, "found by lookup")
    assert confirmed.holds_until == at(900)


def test_a_confirmed_row_is_not_confirmed_twice():
    confirmed = make_row().confirm(make_receipt(), at(1), how="answered")
    with pytest.raises(IllegalTransition):
        confirmed.confirm(make_receipt("box-2"), at(2), how="answered")


def test_once_unknown_a_row_remembers_that_it_was_doubted():
    row = make_row(0, "INTENDED").move("UNKNOWN", at(1))
    assert row.doubted
    assert row.confirm(make_receipt(), at(2), how="found by lookup").doubted
    assert not make_row(0, "INTENDED").confirm(make_receipt(), at(1), how="answered").doubted


def test_a_call_that_was_not_executed_goes_again_under_the_same_key_and_counts():
    first = make_row(0, "INTENDED").move("UNKNOWN", at(1)).move("NOT_EXECUTED", at(2))
    again = first.again(at(3))
    assert (again.status, again.tries, again.error) == ("INTENDED", 2, None)
    assert again.idempotency_key == first.idempotency_key
    assert again.args == first.args


def test_a_call_does_not_go_again_more_than_twice():
    row = make_row(0, "NOT_EXECUTED", tries=3)
    with pytest.raises(IllegalTransition):
        row.again(at(1))


def test_a_queued_call_does_not_begin_by_going_again():
    with pytest.raises(IllegalTransition):
        make_row(0, "QUEUED").again(at(1))


@pytest.mark.parametrize("status", ["FAILED", "CONFIRMED", "UNKNOWN", "INTENDED", "CANCELLED"])
def test_nothing_but_a_step_that_was_not_executed_goes_again(status):
    with pytest.raises(IllegalTransition):
        make_row(0, status).again(at(1))


def test_a_queued_row_runs_with_the_name_of_who_let_it():
    row = make_row(0, "QUEUED").move("INTENDED", at(1), approved_by=make_approval("bob"))
    assert row.approved_by
    assert (row.approved_by.by, row.approved_by.digest) == ("bob", "0123456789abcdef")


def test_a_repeat_is_noted_and_changes_nothing_else():
    row = make_row(0, "UNKNOWN")
    noted = row.repeat(Repeat(turn=2, args={"shelf": "A0", "words": "please!"}), at(4))
    assert [(each.turn, each.args["words"]) for each in noted.repeats] == [(2, "please!")]
    assert noted.model_copy(update={"repeats": (), "updated_at": row.updated_at}) == row


def test_a_row_cannot_be_changed_in_place():
    row: Row = make_row()
    with pytest.raises(ValueError, match="frozen"):
        row.status = "CONFIRMED"  # pyright: ignore[reportAttributeAccessIssue]
