"""What the world must hold, kind by kind and ending by ending."""

import pytest

from workers.chaos.expectation import Ending, Story, must_hold
from workers.chaos.piece import COMMITTED, STAGED, Kind


def held(story):
    return sorted(f"{each.kind} {'undoes' if each.undoes else each.state}" for each in must_hold(story))


def story(kind: Kind = "refund", ending: Ending = "COMMITTED", order_id="1182", **more):
    return Story(kind=kind, order_id=order_id, ending=ending, **more)


ALL_STAGED = {piece.made: "undone" for piece in STAGED["refund"]}


def test_a_refund_that_was_committed_holds_all_eight_once_and_the_fee_in_its_currency():
    assert held(story()) == [
        "charge.authorise standing",
        "charge.capture standing",
        "goods.reserve standing",
        "mail.draft standing",
        "mail.send standing",
        "parcel.send standing",
        "ticket.create standing",
        "ticket.transition standing",
    ]
    money = {each.kind: (each.amount_minor, each.currency) for each in must_hold(story(order_id="1187"))}
    assert money["charge.capture"] == (800, "jpy")
    assert money["mail.send"] == (None, None)


def test_money_that_goes_back_for_an_order_is_the_whole_of_it():
    found = next(each for each in must_hold(story("refund_money", order_id="1184")) if each.kind == "charge.refund")
    assert (found.amount_minor, found.currency, found.undoes) == (12_900, "eur", False)


@pytest.mark.parametrize("kind", list(STAGED))
def test_of_a_run_that_was_stopped_before_its_first_step_nothing_is_held(kind):
    assert held(story(kind, "UNWOUND")) == []
    assert held(story(kind, "KEPT")) == []
    assert held(story(kind, "REFUSED")) == []


def test_whatever_was_staged_is_undone_by_something_and_nothing_irreversible_is_there():
    assert held(story(ending="UNWOUND", seen={**ALL_STAGED, "mail.send": "standing"})) == [
        "charge.authorise undone",
        "charge.cancel undoes",
        "goods.release undoes",
        "goods.reserve undone",
        "mail.delete undoes",
        "mail.draft undone",
        "ticket.create undone",
        "ticket.delete undoes",
    ]


def test_what_somebody_took_away_needs_no_undoing_of_ours_and_neither_does_a_hold_that_ran_out():
    seen = {"ticket.create": "undone", "charge.authorise": "expired"}
    assert held(story(ending="UNWOUND", seen=seen, touched=frozenset({"ticket.create"}))) == [
        "charge.authorise undone",
        "ticket.create undone",
    ]


def test_an_undo_that_a_person_waived_leaves_the_effect_where_it_is():
    waived = frozenset({("charge_card", "compensation")})
    assert held(story("incident", "UNWOUND", seen={"charge.capture": "standing"}, waived=waived)) == [
        "charge.capture standing"
    ]


def test_of_what_a_reviewer_struck_the_staged_half_is_undone():
    kinds = held(story(struck=frozenset({"send_draft"}), seen={"mail.draft": "undone"}))
    assert "mail.draft undone" in kinds
    assert "mail.delete undoes" in kinds
    assert not any(each.startswith("mail.send") for each in kinds)


def test_a_commit_that_was_waived_may_be_missing_and_is_held_where_it_happened():
    waived = frozenset({("publish_ticket", "call")})
    assert "ticket.transition standing" not in held(story(waived=waived))
    assert "ticket.transition standing" in held(story(waived=waived, seen={"ticket.transition": "standing"}))


def test_a_ticket_that_somebody_moved_into_a_queue_need_not_be_published_again():
    assert "ticket.transition standing" not in held(story(moved=True))
    assert "ticket.transition standing" in held(story(moved=True, seen={"ticket.transition": "standing"}))


def test_a_declined_card_leaves_the_money_out_and_of_an_incident_the_goods_too():
    assert not any(each.startswith("charge") for each in held(story(declined=True)))
    assert "parcel.send standing" in held(story(declined=True))
    assert held(story("incident", declined=True)) == ["mail.send standing", "ticket.create standing"]
    assert len(held(story("incident", declined=True, seen={"charge.capture": "standing"}))) == 5


def test_a_cancel_that_keeps_keeps_what_there_is_but_for_what_others_took():
    seen = {"ticket.create": "undone", "mail.draft": "standing"}
    assert held(story(ending="KEPT", seen=seen, touched=frozenset({"ticket.create"}))) == [
        "mail.draft standing",
        "ticket.create undone",
    ]


def test_a_run_that_was_terminated_may_have_done_all_of_it_and_no_more():
    assert held(story(ending="TERMINATED")) == held(story())


@pytest.mark.parametrize("kind", list(STAGED))
def test_only_what_is_staged_has_something_that_takes_it_back_before_the_approval(kind):
    assert all(piece.undone for piece in STAGED[kind])
    assert {piece.staged for piece in COMMITTED[kind] if piece.staged} <= {piece.tool for piece in STAGED[kind]}
