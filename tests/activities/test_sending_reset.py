"""After a reset: the branch that was thrown away may have sent this step, so every half is looked up before it goes."""

from typing import Any

import pytest

from activities.sending import UNANSWERED
from saga.draft import Grade
from saga.errors import NotSent, Refused, Unanswered
from saga.row import Half, Row
from tests.activities.shelf import Life, Shelf
from tests.build import OTHER_EXECUTION, at, make_row

# Scheduled before the reset and sent again by the server itself; or scheduled after it by the same run.
RESENT: dict[str, Any] = {"run": "run-b", "scheduled_in": "run-a"}
AFTER: dict[str, Any] = {"run": "run-b", "scheduled_in": "run-b", "after_reset": True}
RESETS = pytest.mark.parametrize("reset", [RESENT, AFTER], ids=["pending at the reset", "scheduled after it"])
LOOKED_UP = pytest.mark.parametrize("grade", ["key_and_lookup", "lookup"])
HALVES = pytest.mark.parametrize("half", ["call", "compensation"])


def born(grade: Grade, reset: dict[str, Any], half: Half = "call", row: Row | None = None) -> Life:
    """A half that is about to be sent for the first time in this branch."""
    return Life(Shelf(honours_keys="key" in grade), grade, half=half, row=row, **reset)


def key_of(life: Life, half: Half) -> str:
    undo = life.row.compensation
    return undo.idempotency_key if half == "compensation" and undo else life.key


async def test_without_a_reset_nothing_is_looked_up_first():
    life = Life(Shelf(), run="run-b", scheduled_in="run-b")
    await life.answer()
    assert (life.shelf.looked, len(life.shelf.sent)) == ([], 1)


@RESETS
@LOOKED_UP
@HALVES
async def test_what_the_other_branch_did_is_found_and_not_done_again(reset, grade, half):
    """T34."""
    life = born(grade, reset, half)
    life.shelf.put(key_of(life, half))
    answer = await life.answer()
    assert (answer.kind, answer.how) == ("confirmed", "looked_up")
    assert (life.shelf.sent, len(life.shelf.boxes)) == ([], 1)


@RESETS
@HALVES
async def test_what_is_not_seen_goes_once_under_its_key_where_keys_are_honoured(reset, half):
    life = born("key_and_lookup", reset, half)
    life.shelf.put(key_of(life, half))
    life.shelf.lags = True
    assert (await life.answer()).kind == "confirmed"
    assert (len(life.shelf.looked), len(life.shelf.sent), len(life.shelf.boxes)) == (1, 1, 1)


@RESETS
@HALVES
async def test_what_is_not_seen_is_left_to_be_found_out_where_no_key_is_honoured(reset, half):
    life = born("lookup", reset, half)
    life.shelf.put(key_of(life, half))
    life.shelf.lags = True
    error = await life.silence()
    assert (error.type, error.non_retryable) == (UNANSWERED, True)
    assert (life.shelf.sent, len(life.shelf.boxes)) == ([], 1)


@RESETS
@pytest.mark.parametrize("grade", ["key", "neither"])
async def test_what_cannot_be_looked_up_is_a_persons(reset, grade):
    life = born(grade, reset)
    assert (await life.silence()).type == UNANSWERED
    assert life.shelf.sent == []


@RESETS
@LOOKED_UP
async def test_two_of_one_key_are_left_to_be_found_out(reset, grade):
    life = born(grade, reset)
    life.shelf.put(life.key)
    life.shelf.put(life.key)
    assert (await life.silence()).type == UNANSWERED
    assert life.shelf.sent == []


@RESETS
@LOOKED_UP
async def test_an_effect_of_another_execution_is_not_ours(reset, grade):
    life = born(grade, reset)
    life.shelf.put(life.key, execution=OTHER_EXECUTION)
    assert (await life.answer()).kind == "foreign"
    assert life.shelf.sent == []


@RESETS
@LOOKED_UP
@pytest.mark.parametrize(
    "error",
    [
        Unanswered("connection reset"),
        Refused("no such search here", status=400),
        NotSent("not allowed", status=401, lasting=True),
        NotSent("connection refused"),
    ],
    ids=["reset", "refused", "401", "connection refused"],
)
async def test_a_look_that_fails_is_no_absence_and_no_failure_of_the_step(reset, grade, error):
    life = born(grade, reset)
    life.shelf.put(life.key)
    life.shelf.look_error = error
    assert (await life.silence()).type == UNANSWERED
    assert (life.shelf.sent, len(life.shelf.boxes)) == ([], 1)


@RESETS
@pytest.mark.parametrize(
    "error", [NotSent("connection refused"), NotSent("not allowed", status=401, lasting=True)], ids=["shut", "401"]
)
async def test_a_door_shut_in_our_face_says_nothing_of_the_other_branch(reset, error):
    life = born("key_and_lookup", reset)
    life.shelf.put(life.key)
    life.shelf.lags = True
    life.shelf.strike(error)
    assert (await life.silence()).type == UNANSWERED


@RESETS
@pytest.mark.parametrize(
    ("state", "grade", "half"),
    [("undone", "key_and_lookup", "call"), ("failed", "lookup", "call"), ("failed", "key_and_lookup", "compensation")],
)
async def test_what_the_other_branch_undid_or_failed_at_is_not_answered_as_if_it_stood(reset, state, grade, half):
    life = born(grade, reset, half)
    life.shelf.put(key_of(life, half), state=state)
    assert (await life.silence()).type == UNANSWERED
    assert life.shelf.sent == []


@RESETS
async def test_what_was_refused_in_the_other_branch_is_asked_again_under_its_key_and_refused_as_it_was(reset):
    life = born("key_and_lookup", reset)
    life.shelf.put(life.key, state="failed")
    life.shelf.strike(Refused("card declined", code="card_declined", remembered=True))
    answer = await life.answer()
    assert (answer.kind, answer.error and answer.error.code) == ("refused", "card_declined")


SECOND_TRY = make_row(tries=2, attempts=1)


@RESETS
async def test_a_second_try_that_the_other_branch_made_too_is_found_and_not_made_again(reset):
    life = born("lookup", reset, row=SECOND_TRY)
    life.shelf.put(life.key)
    assert (await life.answer()).how == "looked_up"
    assert (life.shelf.sent, len(life.shelf.boxes)) == ([], 1)


async def test_a_second_try_that_was_pending_at_the_reset_is_not_sent_blindly():
    life = born("lookup", RESENT, row=SECOND_TRY)
    life.shelf.put(life.key)
    life.shelf.lags = True
    assert (await life.silence()).type == UNANSWERED
    assert len(life.shelf.boxes) == 1


async def test_a_second_try_after_proof_that_the_first_did_not_happen_goes_once():
    life = born("lookup", AFTER, row=SECOND_TRY)
    assert (await life.answer()).kind == "confirmed"
    assert len(life.shelf.boxes) == 1


def undone_again() -> Row:
    """A counter-action that is tried a second time, after proof that the first try had no effect."""
    row = make_row(0, "CONFIRMED", external_ref="box-0")
    for step in ("INTENDED", "UNKNOWN", "NOT_EXECUTED", "INTENDED"):
        row = row.move_undo(step, at(1))
    return row


async def test_a_counter_action_that_is_proven_not_to_have_happened_goes_once_after_a_reset():
    life = born("lookup", AFTER, "compensation", row=undone_again())
    assert (await life.answer()).kind == "confirmed"
    assert len(life.shelf.boxes) == 1
