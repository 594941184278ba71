"""What a person is shown at the pivot, the order it will run in, and the digest that binds their yes to it."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saga.draft import AUDIENCES, reach
from saga.proposal import build, call_of, commit_order, seal
from saga.row import Row, Waiver
from tests.build import START, at, make_facts, make_log, make_row, money

NONCE, DEADLINE = "6f0f3d1c", at(86_400)


def queued(idx: int, *depends_on: int, to: str = "agent", refusable: bool = False, **changes: Any) -> Row:
    """A call that waits for approval."""
    facts = make_facts(refusable=refusable, cost=changes.pop("cost", None), tells=changes.pop("tells", False))
    return make_row(idx, "QUEUED", depends_on=depends_on, audience=(to,), facts=facts, **changes)


def order_of(*rows: Row) -> list[int]:
    return [row.step_idx for row in commit_order(rows)]


# The order


def test_what_can_still_be_refused_is_committed_first():
    assert order_of(queued(0, to="agent"), queued(1, to="customer", refusable=True)) == [1, 0]


def test_then_what_colleagues_see_and_last_what_a_customer_sees():
    rows = [queued(0, to="customer"), queued(1, to="finance"), queued(2, to="support_team"), queued(3, to="public")]
    assert order_of(*rows) == [2, 1, 0, 3]


def test_words_come_after_what_they_announce_but_before_a_larger_circle():
    assert order_of(queued(0, to="customer", tells=True), queued(1, to="customer"), queued(2, to="public")) == [1, 0, 2]


def test_among_equals_the_earlier_step_goes_first():
    assert order_of(queued(2), queued(0), queued(1)) == [0, 1, 2]


def test_nothing_is_committed_before_what_it_depends_on():
    assert order_of(queued(0, 1, to="agent"), queued(1, to="customer")) == [1, 0]
    assert order_of(queued(0, 1, refusable=True), queued(1, to="customer")) == [1, 0]


def test_what_a_commit_depends_on_and_does_not_wait_with_it_holds_nothing_up():
    assert order_of(queued(5, 0, 1), queued(6, 5)) == [5, 6]


@st.composite
def queues(draw: st.DrawFn, *, circles: bool) -> list[Row]:
    count = draw(st.integers(0, 6))
    rows: list[Row] = []
    for idx in range(count):
        others = [each for each in range(count) if each != idx and (circles or each < idx)]
        refers = draw(st.sets(st.sampled_from(others))) if others else set[int]()
        rows.append(queued(idx, *sorted(refers), to=draw(st.sampled_from(AUDIENCES)), refusable=draw(st.booleans())))
    return draw(st.permutations(rows))


@settings(deadline=None)
@given(queues(circles=False))
def test_the_order_keeps_dependencies_and_is_the_designs_wherever_they_leave_a_choice(rows):
    ordered = commit_order(rows)
    assert sorted(row.step_idx for row in ordered) == sorted(row.step_idx for row in rows)
    for place, row in enumerate(ordered):
        before = {each.step_idx for each in ordered[:place]}
        assert set(row.depends_on) <= before
        free = [each for each in ordered[place:] if set(each.depends_on) <= before]
        ranks = [(not each.facts.refusable, reach(each.audience), each.step_idx) for each in free]
        assert (not row.facts.refusable, reach(row.audience), row.step_idx) == min(ranks)


@settings(deadline=None)
@given(queues(circles=True))
def test_a_circle_of_references_loses_no_commit_and_doubles_none(rows):
    assert sorted(order_of(*rows)) == sorted(row.step_idx for row in rows)


# What is shown


def test_a_person_is_shown_what_stands_and_who_can_see_it_already():
    seen = make_row(0, "CONFIRMED", audience=("agent", "support_team"), external_ref="box-0")
    proposal = build(make_log(seen, make_row(1, "CONFIRMED")), NONCE, DEADLINE)
    assert [(each.step_idx, each.visible, each.undone_by) for each in proposal.staged] == [
        (0, True, "take_box"),
        (1, False, "take_box"),
    ]
    assert proposal.staged[0].external_ref == "box-0"


def test_a_person_is_shown_the_exact_calls_in_the_order_they_will_run_and_what_they_cost():
    rows = [queued(0, to="customer"), queued(1, to="finance", refusable=True, cost=money(4900))]
    proposal = build(make_log(*rows), NONCE, DEADLINE)
    assert [(each.step_idx, each.costs) for each in proposal.commit] == [(1, "49.00 EUR"), (0, None)]
    assert [each.args for each in proposal.commit] == [rows[1].args, rows[0].args]


@pytest.mark.parametrize("status", ["FAILED", "NOT_EXECUTED", "CANCELLED", "COMPENSATED", "INTENDED"])
def test_what_does_not_stand_and_will_not_run_is_not_shown(status):
    proposal = build(make_log(make_row(0, status)), NONCE, DEADLINE)
    assert (proposal.staged, proposal.commit) == ((), ())


def test_a_person_is_shown_what_another_waived_without_knowing():
    waiver = Waiver(by="bob", at=START, note="nobody knows")
    proposal = build(make_log(make_row(0, "UNKNOWN", waived=waiver), queued(1)), NONCE, DEADLINE)
    assert [(each.step_idx, each.status) for each in proposal.staged] == [(0, "UNKNOWN")]


def test_the_earliest_hold_to_end_says_until_when_it_can_be_undone():
    rows = [make_row(0, "CONFIRMED", holds_until=at(900)), make_row(1, "CONFIRMED", holds_until=at(300))]
    gone = make_row(2, "COMPENSATED", holds_until=at(60))
    assert build(make_log(*rows, gone), NONCE, DEADLINE).undo_until == at(300)
    assert build(make_log(make_row(0, "CONFIRMED")), NONCE, DEADLINE).undo_until is None


# The digest


def digest(*rows: Row, nonce: str = NONCE, deadline: Any = DEADLINE, reason: str = "") -> str:
    found = build(make_log(*rows), nonce, deadline, reason).digest
    assert found
    return found


STAGED, WAITING = make_row(0, "CONFIRMED", external_ref="box-0"), queued(1, to="customer", cost=money(100))


def test_the_digest_is_sixteen_hex_digits_and_the_same_for_the_same_thing():
    assert digest(STAGED, WAITING) == digest(STAGED, WAITING)
    assert len(digest(STAGED)) == 16
    assert set(digest(STAGED)) <= set("0123456789abcdef")


@pytest.mark.parametrize(
    "change",
    [
        {"args": {"shelf": "A0", "words": "", "cents": 101}},
        {"target": "shelf B9"},
        {"tool": "paint_box"},
        {"tool_class": "irreversible"},
        {"audience": ("public",)},
        {"compensation": None},
    ],
    ids=lambda change: next(iter(change)),
)
def test_the_digest_changes_with_anything_shown_of_a_step(change):
    """T22."""
    for idx, row in enumerate((STAGED, WAITING)):
        rows = [STAGED, WAITING]
        rows[idx] = row.model_copy(update=change)
        assert digest(*rows) != digest(STAGED, WAITING)


def test_the_digest_changes_with_what_stands_what_it_costs_and_what_is_left_out():
    """T22."""
    whole = digest(STAGED, WAITING)
    assert digest(STAGED.model_copy(update={"external_ref": "box-9"}), WAITING) != whole
    assert digest(STAGED, queued(1, to="customer", cost=money(100, "usd"))) != whole
    assert digest(STAGED, WAITING.move("CANCELLED", START)) != whole
    assert digest(STAGED.move_undo("INTENDED", START), WAITING) != whole


def test_the_digest_changes_with_what_stands_in_for_a_correction():
    """T22."""
    gated = WAITING.model_copy(update={"facts": make_facts(gate="nobody can be untold", cost=money(100))})
    assert build(make_log(gated), NONCE, DEADLINE).commit[0].gate == "nobody can be untold"
    assert digest(gated) != digest(WAITING)


def test_a_proposal_that_has_waited_since_before_there_were_gates_keeps_its_digest():
    """T33: a person may have it written down."""
    assert digest(STAGED, WAITING) == "32a71c594f6f947b"


def test_a_call_by_itself_is_sealed_like_the_whole():
    call = call_of(WAITING)
    assert seal(call, NONCE) == seal(call_of(WAITING), NONCE)
    assert len({seal(call, NONCE), seal(call, "other"), digest(WAITING)}) == 3
    for change in ({"args": {"shelf": "B1"}}, {"audience": ("public",)}, {"target": "B1"}, {"step_idx": 2}):
        assert seal(call_of(WAITING.model_copy(update=change)), NONCE) != seal(call, NONCE)


def test_the_digest_changes_with_hold_and_reason():
    assert digest(STAGED, reason="is this right?") != digest(STAGED)
    assert digest(STAGED.model_copy(update={"holds_until": at(5)})) != digest(STAGED)


def test_the_digest_of_the_same_thing_opened_again_is_another():
    """T20."""
    assert digest(STAGED, WAITING, nonce="other") != digest(STAGED, WAITING)


def test_the_digest_does_not_change_with_the_deadline_which_a_replay_may_reckon_anew():
    assert digest(STAGED, deadline=at(1)) == digest(STAGED)
    assert build(make_log(STAGED), NONCE, at(1)).deadline == at(1)


def test_the_digest_does_not_change_with_what_nobody_is_shown():
    later = STAGED.model_copy(update={"updated_at": at(99), "attempts": 3, "how": "replayed"})
    assert digest(later, WAITING) == digest(STAGED, WAITING)
