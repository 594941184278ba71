"""The scoreboard: zeros for a right world, and each of the seven moves, alone, when exactly that is planted."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from saga.row import Approval
from tests.workers.endings import APPROVED, DIGEST, NOON, UNDONE, Committed, Unwound, effect, line, row, undo_key
from workers.consent import Consent
from workers.holding import Holding
from workers.scoreboard import NUMBERS, count


def assert_only(board, number, times=1):
    assert board.counts == {**dict.fromkeys(NUMBERS, 0), number: times}, board.sentences
    assert len(board.sentences) == times
    assert not board.clean


@pytest.mark.parametrize("world", [Unwound, Committed])
def test_a_right_world_is_all_zeros_and_says_so_in_one_line(world):
    board = world().board()
    assert board.sentences == []
    assert board.clean
    assert board.line == (
        "scoreboard: duplicates=0 lost=0 orphans=0 wrongly_undone=0 wrong_clean=0 "
        "irreversible_before_pivot=0 wrong_apologies=0"
    )


def test_a_second_effect_of_one_key_is_a_duplicate():
    world = Committed()
    world.effects.append(world.effects[1].model_copy(update={"ref": "pi_2"}))
    assert_only(world.board(), "duplicates")


def test_one_more_than_the_story_wants_is_a_duplicate_under_whatever_key():
    world = Committed()
    world.rows.append(row(3, "charge_card", "CONFIRMED", approved=True))
    key = world.rows[3].idempotency_key
    world.effects.append(effect("charge.capture", "pi_2", key, 11.0, amount_minor=500, currency="eur"))
    assert_only(world.board(), "duplicates")


def test_a_duplicate_that_was_healed_is_one_still():
    world = Unwound()
    again = world.effects[1].model_copy(update={"ref": "pi_2"})
    back = world.effects[2].model_copy(update={"ref": "re_2", "key": None, "run": None, "about": {"undoes": "pi_2"}})
    world.effects += [again, back]
    assert_only(world.board(), "duplicates")


def test_what_should_be_there_and_is_not_is_lost():
    world = Committed()
    del world.effects[1], world.rows[1]
    assert_only(world.board(), "lost")


def test_an_undo_that_should_have_been_and_was_not_is_lost():
    world = Unwound()
    world.effects.pop(3)
    world.effects[0] = world.effects[0].model_copy(update={"state": "expired"})
    assert_only(world.board(), "lost")


def test_another_amount_is_a_charge_lost_and_one_too_many():
    world = Committed()
    world.change(1, amount_minor=700)
    assert {name for name, number in world.board().counts.items() if number} == {"duplicates", "lost"}


def test_a_standing_effect_that_no_row_explains_is_an_orphan():
    world = Committed()
    world.rows.pop(0)
    assert_only(world.board(), "orphans")


def test_what_has_nobodys_name_on_it_is_an_orphan_from_the_moment_on_that_counts():
    world = Committed()
    nameless = effect("charge.capture", "pi_9", "f" * 32, 5.0).model_copy(update={"run": None})
    world.effects.append(nameless)
    assert world.board().clean
    assert_only(world.board(since=nameless.at), "orphans")
    assert world.board(since=nameless.at + 1).clean


def test_what_another_run_did_is_not_this_ones_orphan():
    world = Committed()
    theirs = effect("charge.capture", "pi_9", "f" * 32).model_copy(update={"run": "another"})
    world.effects.append(theirs)
    assert world.board(since=0.0).clean


def test_an_undo_of_what_should_stand_is_wrong():
    world = Committed()
    world.rows[1] = row(1, "charge_card", "COMPENSATED", undo="refund_charge", undo_status="CONFIRMED")
    key = undo_key(world.rows[1])
    world.change(1, state="undone")
    world.effects.append(effect("charge.refund", "re_1", key, 13.0, amount_minor=500, about={"undoes": "pi_1"}))
    assert_only(world.board(), "wrongly_undone")


def test_an_undo_by_more_than_was_taken_is_wrong():
    world = Unwound()
    world.change(2, amount_minor=700)
    assert_only(world.board(), "wrongly_undone")


def test_an_undo_twice_is_wrong_whoever_did_the_second():
    world = Unwound()
    world.effects.append(world.effects[2].model_copy(update={"ref": "re_2", "key": None, "run": None}))
    assert_only(world.board(), "wrongly_undone")


def test_an_undo_that_failed_and_was_done_again_is_not():
    world = Unwound()
    failed = world.effects[2].model_copy(update={"ref": "re_0", "state": "failed", "key": "e" * 32})
    world.effects.insert(2, failed)
    assert world.board().clean


def test_a_row_that_is_compensated_while_the_charge_stands_is_a_wrong_clean():
    world = Unwound()
    world.change(1, state="standing")
    world.change(2, state="pending")
    assert_only(world.board(), "wrong_clean")


def test_a_row_that_failed_while_the_charge_stands_is_a_wrong_clean():
    world = Committed()
    world.rows[1] = row(1, "charge_card", "FAILED", approved=True)
    assert_only(world.board(), "wrong_clean")


def test_a_row_that_is_confirmed_of_nothing_is_a_wrong_clean():
    world = Committed()
    world.rows.append(row(3, "charge_card", "CONFIRMED", external_ref="pi_2"))
    assert_only(world.board(), "wrong_clean")


def test_a_closed_run_whose_waived_row_stands_is_a_wrong_clean_and_an_open_one_is_not():
    world = Unwound()
    world.change(0, state="standing")
    assert_only(world.board(), "wrong_clean")
    world.rows[0] = row(0, "create_ticket", "COMPENSATION_REQUESTED", undo="close_ticket", undo_status="UNKNOWN")
    assert world.board(closed=False).clean


def test_a_mail_before_the_approval_is_too_early():
    world = Committed()
    world.change(2, at=NOON.timestamp() + 9)
    assert_only(world.board(), "irreversible_before_pivot")


def test_a_mail_approved_by_another_digest_is_too_early():
    world = Committed()
    world.consents = [Consent(kind="pivot", at=NOON, by="lead", digest="f" * 16)]
    assert_only(world.board(), "irreversible_before_pivot")


def test_a_mail_of_a_branch_that_a_reset_threw_away_was_approved_there():
    world = Committed()
    later = Consent(kind="pivot", at=NOON + timedelta(seconds=60), by="lead", digest="f" * 16)
    world.consents.append(later)
    thrown_away, again = world.rows[2], Approval(by="lead", at=later.at, digest="f" * 16)
    world.rows[2] = thrown_away.model_copy(update={"approved_by": again})
    assert_only(world.board(), "irreversible_before_pivot")
    assert count([replace(world.end(), earlier=(thrown_away,))], world.effects, ()).clean


def test_a_refund_of_an_order_that_nobody_approved_is_too_early():
    world = Unwound()
    world.rows.append(row(2, "refund_order", "CONFIRMED"))
    key = world.rows[2].idempotency_key
    world.effects.append(effect("charge.refund", "re_9", key, about={"undoes": "pi_order_1182"}))
    world.must_hold = (*UNDONE, Holding(kind="charge.refund"))
    assert_only(world.board(), "irreversible_before_pivot")


def test_a_gate_lets_exactly_its_own_step_happen():
    world = Committed()
    yes = Consent(kind="gate", at=APPROVED, by="lead", step_idx=2, digest=DIGEST)
    world.consents = [yes]
    assert world.board().clean
    for other in ({"step_idx": 1}, {"digest": "f" * 16}, {"digest": None}):
        world.consents = [replace(yes, **other)]
        assert_only(world.board(), "irreversible_before_pivot")


@pytest.mark.parametrize(("ahead_s", "early"), [(86_400, 1), (86_398, 0)])
def test_a_world_whose_clock_was_moved_on_is_compared_by_the_walls(ahead_s, early):
    world, sent_s = Committed(), 9 + 86_400
    world.change(2, at=NOON.timestamp() + sent_s)
    board = world.board(calls=[line(0.5), line(sent_s + 0.1, ahead_s)])
    assert board.counts["irreversible_before_pivot"] == early


def test_a_correction_that_was_approved_is_no_wrong_apology():
    world = Committed()
    world.correct()
    assert world.board().clean


def test_a_correction_of_what_no_customer_saw_is_a_wrong_apology():
    world = Committed()
    world.correct(audience=["support_team"])
    assert_only(world.board(), "wrong_apologies")


@pytest.mark.parametrize("approved_s", [21.0, 3_600.0])
def test_a_correction_before_anybody_approved_it_is_a_wrong_apology(approved_s):
    world = Committed()
    world.correct(approved_s=approved_s)
    assert_only(world.board(), "wrong_apologies")
