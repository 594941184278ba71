"""Sending one half: what each kind of answer comes to, on the first attempt and on those after it."""

from datetime import timedelta

import pytest
from temporalio.api.failure.v1 import Failure
from temporalio.converter import DataConverter
from temporalio.exceptions import ApplicationErrorCategory

from activities.sending import NOT_SENT, RESULT_LIMIT, UNANSWERED
from saga.errors import NotSent, Refused, Unanswered
from tests.activities.shelf import Life, Shelf
from tests.build import OTHER_EXECUTION, make_row

GRADES = pytest.mark.parametrize("grade", ["key_and_lookup", "lookup", "key", "neither"])
KEYED = pytest.mark.parametrize("grade", ["key_and_lookup", "key"])
RESET, REFUSED, SHUT = Unanswered("connection reset"), Refused("no room", code="full"), NotSent("connection refused")


# The first attempt


@GRADES
async def test_an_answered_call_is_sent_once_and_confirmed(grade):
    life = Life(shelf := Shelf(), grade)
    answer = await life.answer()
    assert (answer.kind, answer.attempts, answer.how) == ("confirmed", 1, "answered")
    assert [(box.key, box.ref) for box in shelf.boxes] == [(life.key, answer.receipt and answer.receipt.external_ref)]
    assert (shelf.sent, shelf.looked) == ([life.key], [])


@GRADES
async def test_a_refusal_by_the_provider_is_an_answer(grade):
    (shelf := Shelf()).strike(REFUSED)
    answer = await Life(shelf, grade).answer()
    assert (answer.kind, answer.attempts, answer.remembered) == ("refused", 1, False)
    assert answer.error
    assert (answer.error.code, answer.error.message) == ("full", "no room")
    assert shelf.boxes == []


async def test_a_remembered_refusal_says_that_this_key_will_never_pass():
    (shelf := Shelf()).strike(Refused("card declined", code="card_declined", remembered=True))
    assert (await Life(shelf).answer()).remembered


@GRADES
async def test_a_door_shut_in_our_face_is_tried_again_and_leaves_nothing_unknown(grade):
    (shelf := Shelf()).strike(SHUT)
    error = await Life(shelf, grade).silence()
    assert (error.type, error.non_retryable) == (NOT_SENT, False)
    assert error.category == ApplicationErrorCategory.BENIGN
    assert shelf.boxes == []


async def test_a_provider_that_names_its_time_is_not_asked_before_it():
    """T15."""
    (shelf := Shelf()).strike(NotSent("too many requests", status=429, retry_after_s=7.5))
    assert (await Life(shelf).silence()).next_retry_delay == timedelta(seconds=7.5)
    shelf.strike(SHUT)
    assert (await Life(shelf).silence()).next_retry_delay is None


@pytest.mark.parametrize("status", [401, 403])
async def test_a_credential_that_waiting_will_not_mend_is_a_no_with_nothing_sent(status):
    (shelf := Shelf()).strike(NotSent("not allowed", status=status, lasting=True))
    answer = await Life(shelf).answer()
    assert (answer.kind, answer.attempts) == ("refused", 0)
    assert shelf.boxes == []


@KEYED
@pytest.mark.parametrize("done", [False, True], ids=["not done", "done"])
async def test_silence_is_unknown_and_the_same_key_may_go_again(grade, done):
    (shelf := Shelf()).strike(RESET, done=done)
    error = await Life(shelf, grade).silence()
    assert (error.type, error.non_retryable, error.details[0]) == (UNANSWERED, False, 1)


@pytest.mark.parametrize("grade", ["lookup", "neither"])
@pytest.mark.parametrize("done", [False, True], ids=["not done", "done"])
async def test_without_a_key_silence_is_unknown_and_nothing_goes_again_blindly(grade, done):
    (shelf := Shelf(honours_keys=False)).strike(RESET, done=done)
    error = await Life(shelf, grade).silence()
    assert (error.type, error.non_retryable, error.details[0]) == (UNANSWERED, True, 1)


async def test_an_error_that_will_be_repeated_for_ever_is_not_asked_for_again():
    """T14."""
    (shelf := Shelf()).strike(Unanswered("500, replayed", remembered=True))
    error = await Life(shelf).silence()
    assert (error.type, error.non_retryable, list(error.details)) == (UNANSWERED, True, [1, "remembered"])


@pytest.mark.parametrize(
    "error", [KeyError("Set-Cookie: 4242"), TimeoutError("4242"), ValueError("Authorization: 4242")], ids=repr
)
@pytest.mark.parametrize("done", [False, True], ids=["not done", "done"])
async def test_an_error_that_nobody_recognises_is_unknown_and_never_a_failure(error, done):
    (shelf := Shelf()).strike(error, done=done)
    failure = await Life(shelf).silence()
    assert (failure.type, failure.details[1]) == (UNANSWERED, "unrecognised")
    assert "4242" not in str(failure)


@pytest.mark.parametrize("kind", [KeyError, Unanswered, NotSent], ids=lambda kind: kind.__name__)
async def test_the_text_of_a_vendors_error_does_not_reach_history(kind):
    """T37."""
    error = kind("it broke")
    error.__cause__ = ValueError("Authorization: Bearer 4242")
    (shelf := Shelf()).strike(error if kind is not KeyError else KeyError("Set-Cookie: 4242"))
    failure = Failure()
    await DataConverter.default.encode_failure(await Life(shelf).silence(), failure)
    assert "4242" not in str(failure)


async def test_arguments_that_the_tool_no_longer_takes_are_a_no_with_nothing_sent():
    """T33."""
    life = Life(shelf := Shelf(), row=make_row(args={"shelf": "A1", "colour": "red"}))
    answer = await life.answer()
    assert answer.error
    assert (answer.kind, answer.error.code) == ("refused", "arguments_no_longer_fit")
    assert "colour" in answer.error.message
    assert (shelf.sent, shelf.looked, shelf.boxes) == ([], [], [])


async def test_arguments_that_no_longer_fit_count_no_request():
    assert (await Life(Shelf(), row=make_row(args={})).answer()).attempts == 0


@GRADES
async def test_an_effect_of_another_execution_under_our_key_is_not_ours(grade):
    life = Life(shelf := Shelf(), grade)
    shelf.put(life.key, execution=OTHER_EXECUTION)
    answer = await life.answer()
    assert answer.kind == "foreign"
    assert answer.error
    assert answer.error.code == "foreign_execution"
    assert "box-0" in answer.error.message


async def test_a_tool_that_finds_it_there_has_sent_nothing():
    life = Life(shelf := Shelf(honours_keys=False), "lookup")
    shelf.looks_itself = True
    shelf.put(life.key)
    answer = await life.answer()
    assert (answer.kind, answer.attempts, answer.how, len(shelf.boxes)) == ("confirmed", 0, "looked_up", 1)


async def test_an_answer_too_large_for_history_is_confirmed_all_the_same_without_its_result():
    """T32."""
    life = Life(shelf := Shelf())
    shelf.result = {"text": "x" * RESULT_LIMIT}
    answer = await life.answer()
    assert answer.receipt
    assert (answer.kind, answer.receipt.external_ref, len(shelf.boxes)) == ("confirmed", "box-0", 1)
    assert len(answer.model_dump_json()) < RESULT_LIMIT


async def test_an_effect_that_names_no_owner_is_taken_for_ours():
    life = Life(shelf := Shelf())
    shelf.put(life.key, execution=None)
    assert (await life.answer()).kind == "confirmed"


async def test_an_answer_that_says_pending_is_handed_on_as_it_is():
    shelf = Shelf()
    shelf.pending = True
    answer = await Life(shelf, half="compensation").answer()
    assert answer.receipt
    assert answer.receipt.pending


# After a clean attempt


@GRADES
async def test_after_an_attempt_that_sent_nothing_the_next_is_as_the_first(grade):
    (shelf := Shelf(honours_keys=False)).strike(SHUT)
    life = Life(shelf, grade)
    await life.silence()
    answer = await life.answer()
    assert (answer.kind, answer.attempts, answer.how) == ("confirmed", 1, "answered")
    assert (len(shelf.boxes), shelf.looked) == (1, [])


@GRADES
async def test_a_door_that_stays_shut_never_leaves_anything_unknown(grade):
    shelf = Shelf()
    life = Life(shelf, grade)
    for _ in range(5):
        shelf.strike(SHUT)
        assert (await life.silence()).type == NOT_SENT
    assert shelf.boxes == []


async def test_silence_after_clean_attempts_counts_one_request():
    life = Life(shelf := Shelf())
    for error in (SHUT, SHUT, RESET):
        shelf.strike(error)
    await life.silence()
    await life.silence()
    assert (await life.silence()).details[0] == 1
