"""What a call refers to, and the orders of undoing that follow from names alone."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from saga.draft import Owned
from saga.log import Log
from saga.record import Json
from saga.references import depends_on, strings, unfit
from saga.row import Row, Status
from saga.unwind import circles, ready
from tests.build import EXECUTION, RUN, at, make_draft, make_facts, make_log, make_receipt, make_row


def row(idx: int, status: Status = "CONFIRMED", ref: str | None = None, **facts: Any) -> Row:
    return make_row(idx, status, external_ref=ref or f"box-{idx}", facts=make_facts(rules=1, **facts))


def draft(**changes):
    facts = changes.pop("facts", {})
    return make_draft(facts=make_facts(**{"rules": 1, **facts}), **changes)


def test_every_text_is_found_however_deep_and_no_name_of_a_field_is():
    value: Json = {"a": "one", "b": ["two", {"c": "three", "d": 4}], "e": None}
    assert list(strings(value)) == ["one", "two", "three"]


def test_an_argument_that_carries_a_reference_depends_on_it():
    rows = [row(0), row(1), row(2)]
    assert depends_on(rows, draft(args={"deep": [{"at": "box-1"}], "near": "box-10"})) == {1}


def test_a_call_that_was_vetted_under_older_rules_refers_only_to_what_was_declared():
    rows = [row(0), row(1)]
    old = draft(args={"at": "box-1"}, references=("box-0",), facts={"rules": 0})
    assert depends_on(rows, old) == {0}


def test_a_name_is_looked_for_in_both_directions_and_not_where_nothing_stands():
    log = Log(RUN, EXECUTION, [row(0, points_at=("page",)), row(1, "FAILED", names=("page",)), row(2, names=("page",))])
    written = log.write(draft(facts={"names": ("index",), "points_at": ("page",)}), "INTENDED", at(1))
    assert written.depends_on == (2,)
    again = log.write(draft(facts={"names": ("page",)}), "INTENDED", at(2))
    assert again.depends_on == ()
    assert [each.depends_on for each in log] == [(4,), (), (), (2, 4), ()]


def test_a_step_that_names_itself_refers_to_nothing():
    log = make_log()
    assert log.write(draft(facts={"names": ("a",), "points_at": ("a",)}), "INTENDED", at(0)).depends_on == ()


def test_what_referred_to_a_failed_commit_refers_to_its_next_try():
    log = Log(RUN, EXECUTION, [row(0, points_at=("page",))])
    log.write(draft(facts={"names": ("page",)}), "QUEUED", at(1))
    failed = log.put(log[1].move("INTENDED", at(2)).move("FAILED", at(3)))
    log.retry(failed, at(4))
    assert log[0].depends_on == (2,)


def test_an_index_that_nobody_gave_is_unfit_even_where_there_is_such_a_step():
    """A commit half is written by us: the model has not been told of it."""
    log = make_log(row(0), row(1))
    problem = unfit(log, draft(depends_on=(0, 1)), given={0})
    assert problem is not None
    assert problem.message == "depends_on: 1 is no step that you were told of; those are 0"
    assert unfit(log, draft(depends_on=(0,)), given={0}) is None


def test_owned_is_what_stands_and_of_the_tool_that_is_declared():
    log = make_log(row(0), row(1, "COMPENSATED"), row(2, "FAILED"))

    def says(ref, tool=None):
        problem = unfit(log, draft(owned=(Owned(argument="shelf", ref=ref, tool=tool),)), given=())
        return problem and problem.message

    assert says("box-0") is None
    assert says("box-0", "put_box") is None
    for ref, tool in [("box-0", "other"), ("box-1", None), ("box-2", None), ("box-9", None), ("", None)]:
        assert str(says(ref, tool)).startswith("shelf: must be the external_ref of an earlier")


@st.composite
def runs(draw):
    """Up to six steps, each with a name of its own, pointing at any others."""
    count = draw(st.integers(1, 6))
    return [draw(st.sets(st.integers(0, count - 1))) for _ in range(count)]


@settings(deadline=None)
@given(runs())
def test_whatever_points_at_what_is_undone_first_unless_it_is_a_circle(points):
    """The log that is written step by step knows every reference, to later steps too."""
    log = make_log()
    for idx, others in enumerate(points):
        facts = {"names": (f"n{idx}",), "points_at": tuple(f"n{each}" for each in sorted(others))}
        log.write(draft(facts=facts), "INTENDED", at(idx))
        log.put(log[idx].confirm(make_receipt(f"box-{idx}"), at(idx), how="answered"))
    assert [set(each.depends_on) for each in log] == [others - {idx} for idx, others in enumerate(points)]
    ring, order = {idx: circle for circle in circles(log) for idx in circle}, list[int]()
    while free := ready(log, running=()):
        order.append(free[-1])
        log.put(log[free[-1]].move_undo("INTENDED", at(9)).move_undo("CONFIRMED", at(9)))
    assert sorted(order) == list(range(len(points)))
    for idx, others in enumerate(points):
        for each in others - {idx}:
            first, then = (max(idx, each), min(idx, each)) if each in ring.get(idx, ()) else (idx, each)
            assert order.index(first) < order.index(then)
