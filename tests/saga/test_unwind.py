"""What an unwind must bring back, what it waits for, and what it leaves alone."""

from typing import Any

import pytest

from saga.draft import Audience
from saga.row import Row, Waiver
from saga.unwind import NEUTRAL, circles, dependants, ready, to_undo
from tests.build import START, make_facts, make_row

WAIVER = Waiver(by="bob", at=START, note="left as it is")
CLEAN = {"FAILED", "NOT_EXECUTED", "CANCELLED", "COMPENSATED"}


def done(idx: int, *depends_on: int, to: Audience = "agent", **changes: object) -> Row:
    """A confirmed step that can be undone."""
    return make_row(idx, "CONFIRMED", depends_on=depends_on, audience=(to,), **changes)  # pyright: ignore[reportArgumentType]


def test_what_never_happened_or_is_undone_is_neutral():
    assert set(NEUTRAL) == CLEAN


@pytest.mark.parametrize("status", ["INTENDED", "UNKNOWN", "CONFIRMED", "COMPENSATION_REQUESTED"])
def test_what_stands_or_may_stand_must_be_brought_back(status):
    assert to_undo([make_row(0, status)]) == [make_row(0, status)]


@pytest.mark.parametrize("status", ["QUEUED", *sorted(CLEAN)])
def test_what_never_happened_or_is_undone_is_not_brought_back(status):
    assert to_undo([make_row(0, status)]) == []


def test_an_undo_that_failed_late_must_be_brought_back():
    """T26."""
    late = make_row(0, "COMPENSATED", undo="CONFIRMED").move_undo("FAILED", START)
    assert ready([late], running=()) == [0]


def test_what_nothing_takes_back_is_left_alone():
    assert to_undo([make_row(0, "CONFIRMED", undoable=False)]) == []


def test_a_call_without_a_counter_action_is_still_found_out_about():
    assert ready([make_row(0, "UNKNOWN", undoable=False)], running=()) == [0]


@pytest.mark.parametrize("status", ["UNKNOWN", "CONFIRMED", "COMPENSATION_REQUESTED"])
def test_what_a_person_waived_is_left_alone(status):
    assert to_undo([make_row(0, status, waived=WAIVER)]) == []


def test_a_step_is_undone_before_what_it_refers_to():
    rows = [done(0), done(1, 0), done(2, 1)]
    assert ready(rows, running=()) == [2]
    assert ready([done(0), done(1, 0), make_row(2, "COMPENSATED", depends_on=(1,))], running=()) == [1]


def test_a_step_that_refers_to_a_later_one_is_undone_before_it():
    assert ready([done(0, 1), done(1)], running=()) == [0]


def test_a_step_that_refers_to_itself_waits_for_nobody():
    assert ready([done(0, 0)], running=()) == [0]


@pytest.mark.parametrize("status", ["UNKNOWN", "COMPENSATION_REQUESTED", "COMPENSATION_FAILED"])
def test_nothing_is_undone_while_what_refers_to_it_may_stand(status):
    undo: Any = {"COMPENSATION_REQUESTED": "PENDING", "COMPENSATION_FAILED": "FAILED"}.get(status)
    rows = [done(0), make_row(1, status, depends_on=(0,), undo=undo)]
    assert 0 not in ready(rows, running=(1,))


@pytest.mark.parametrize("status", sorted(CLEAN))
def test_what_is_neutral_is_waited_for_by_nobody(status):
    assert ready([done(0), make_row(1, status, depends_on=(0,))], running=()) == [0]


def test_what_nothing_takes_back_does_not_strand_what_it_stands_on():
    assert ready([done(0), make_row(1, "CONFIRMED", undoable=False, depends_on=(0,))], running=()) == [0]


def test_what_a_person_waived_does_not_strand_what_it_stands_on():
    assert ready([done(0), make_row(1, "UNKNOWN", depends_on=(0,), waived=WAIVER)], running=()) == [0]


def test_among_what_is_free_the_smaller_circle_goes_first():
    rows = [done(0, to="customer"), done(1, to="agent"), done(2, to="finance"), done(3, to="agent")]
    assert ready(rows, running=()) == [1, 3]


def test_a_larger_circle_waits_while_something_of_a_smaller_one_is_being_undone():
    rows = [done(0, to="customer"), make_row(1, "COMPENSATION_REQUESTED", undo="INTENDED")]
    assert ready(rows, running=(1,)) == []


@pytest.mark.parametrize("undo", ["UNKNOWN", "PENDING"])
def test_an_undo_that_is_being_found_out_about_holds_only_itself_and_what_it_stands_on(undo):
    rows = [
        done(0, to="customer"),
        make_row(1, "COMPENSATION_REQUESTED", undo=undo, depends_on=(2,)),
        done(2, to="agent"),
    ]
    assert ready(rows, running=(1,)) == [0]


def test_dependencies_come_before_circles():
    rows = [done(0, to="agent"), done(1, 0, to="public")]
    assert ready(rows, running=()) == [1]


def test_finding_out_stands_in_nobodys_way():
    rows = [done(0, to="customer"), make_row(1, "UNKNOWN", audience=("public",))]
    assert ready(rows, running=()) == [1, 0]


def test_what_is_running_is_not_begun_again():
    rows = [make_row(0, "UNKNOWN"), done(1), done(2)]
    assert ready(rows, running=(0, 1)) == [2]


def test_a_failed_undo_that_a_person_has_now_lets_the_others_go_on():
    stuck = make_row(1, "COMPENSATION_FAILED", undo="FAILED", depends_on=(0,))
    rows = [done(0, to="customer"), stuck, done(2, to="finance")]
    assert ready(rows, running=(1,), given_up=(1,)) == [2]
    assert ready([rows[0], stuck], running=(1,), given_up=(1,)) == [0]


def test_a_failed_undo_that_waits_for_its_next_try_lets_the_others_go_on():
    pausing = make_row(1, "COMPENSATION_FAILED", undo="FAILED")
    assert ready([done(0, to="customer"), pausing], running=(1,)) == [0]


def test_a_step_that_says_it_must_waits_even_for_what_a_person_has_now():
    stuck = make_row(1, "COMPENSATION_FAILED", undo="FAILED", depends_on=(0,))
    waiting = done(0, facts=make_facts(undo_waits=True))
    assert ready([waiting, stuck], running=(1,), given_up=(1,)) == []
    for settled in ({"status": "COMPENSATED"}, {"waived": WAIVER}):
        assert ready([waiting, stuck.model_copy(update=settled)], running=()) == [0]


def test_an_unknown_call_that_a_person_has_now_is_not_begun_again():
    assert ready([make_row(0, "UNKNOWN")], running=(), given_up=(0,)) == []


def test_a_row_that_depends_on_a_step_that_is_not_there_stops_nothing():
    assert ready([done(0, 7)], running=()) == [0]


def test_only_what_lies_on_a_circle_of_references_is_told_as_one():
    def told(*needs: tuple[int, ...]) -> list[list[int]]:
        return circles([make_row(idx, "CONFIRMED", depends_on=each) for idx, each in enumerate(needs)])

    assert told((1,), (0,), (0,), (2,)) == [[0, 1]]
    assert told((), (0,), (1,)) == []
    assert told((1,), ()) == []
    assert told((0,), (1,)) == []
    assert told((3,), (2,), (1,), (4,), (0,)) == [[0, 3, 4], [1, 2]]


def test_a_circle_of_references_is_undone_in_reverse_step_order():
    rows = [done(0, 2), done(1, 0), done(2, 1)]
    assert ready(rows, running=()) == [2]
    assert dependants(rows) == {0: {1, 2}, 1: {2}, 2: set()}


def test_so_is_one_in_which_only_the_last_refers_to_an_earlier_step():
    """Without a rule 1 would be as free as 3."""
    rows = [done(idx, (idx + 1) % 4) for idx in range(4)]
    assert dependants(rows) == {0: {1, 2, 3}, 1: {2, 3}, 2: {3}, 3: set()}
    assert ready(rows, running=()) == [3]


def test_a_step_on_a_circle_keeps_its_references_out_of_the_circle():
    rows = [done(0, 1, 2), done(1, 0), done(2)]
    assert dependants(rows) == {0: {1}, 1: set(), 2: {0}}
