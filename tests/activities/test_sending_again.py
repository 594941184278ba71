"""From the second attempt on: what an earlier one may have done decides what an answer is worth."""

from datetime import UTC, datetime

import pytest

from activities.sending import UNANSWERED
from saga.draft import Grade
from saga.errors import NotSent, Refused, Unanswered
from saga.row import Half
from tests.activities.shelf import Life, Shelf
from tests.build import OTHER_EXECUTION, PACE, make_facts, make_row

KEYED = pytest.mark.parametrize("grade", ["key_and_lookup", "key"])
DONE = pytest.mark.parametrize("done", [False, True], ids=["not done", "done"])
RESET, REFUSED, SHUT = Unanswered("connection reset"), Refused("no room", code="full"), NotSent("connection refused")


async def lost(grade: Grade = "key_and_lookup", *, done: bool, half: Half = "call") -> Life:
    """A half of which one attempt was made, and nobody knows what came of it."""
    life = Life(Shelf(honours_keys="key" in grade), grade, half=half)
    life.shelf.strike(RESET, done=done)
    await life.unknown()
    return life


# A provider that honours keys


@KEYED
@DONE
async def test_the_same_key_again_puts_one_box_and_never_two(grade, done):
    life = await lost(grade, done=done)
    answer = await life.answer()
    assert (answer.kind, answer.attempts, answer.how) == ("confirmed", 2, "replayed")
    assert len(life.shelf.boxes) == 1
    assert set(life.shelf.sent) == {life.key}


@KEYED
async def test_a_worker_that_died_without_a_word_is_the_worst_case(grade):
    life = Life(shelf := Shelf(), grade)
    life.die()
    assert (await life.answer()).attempts == 2
    life = Life(shelf := Shelf(), grade)
    life.die()
    shelf.strike(SHUT)
    assert (await life.silence()).type == UNANSWERED


@pytest.mark.parametrize("grade", ["key_and_lookup", "lookup", "key", "neither"])
async def test_arguments_that_no_longer_fit_say_nothing_of_an_earlier_attempt(grade):
    life = Life(shelf := Shelf(), grade, row=make_row(args={"shelf": "A1", "colour": "red"}))
    shelf.put(life.key)
    life.die()
    assert (await life.silence()).type == UNANSWERED
    assert shelf.sent == []


@KEYED
@DONE
@pytest.mark.parametrize(
    "shut",
    [SHUT, NotSent("not allowed", status=401, lasting=True), NotSent("slow down", status=429, retry_after_s=3)],
    ids=["connection refused", "401", "429"],
)
async def test_a_door_shut_in_our_face_says_nothing_of_an_earlier_attempt(grade, done, shut):
    life = await lost(grade, done=done)
    life.shelf.strike(shut)
    error = await life.silence()
    assert (error.type, error.details[0]) == (UNANSWERED, 2)
    assert len(life.shelf.boxes) == done


async def test_a_key_that_is_said_to_be_in_use_or_to_carry_other_arguments_leaves_it_unknown():
    """T13."""
    life = await lost(done=True)
    for code in ("idempotency_key_in_use", "idempotency_error"):
        life.shelf.strike(Unanswered("about another request", code=code))
        error = await life.silence()
        assert (error.type, error.details[1]) == (UNANSWERED, code)


async def test_a_refusal_that_stands_under_this_key_counts_whenever_it_comes():
    life = await lost(done=False)
    life.shelf.strike(Refused("no room", code="full", remembered=True))
    answer = await life.answer()
    assert (answer.kind, answer.attempts) == ("refused", 2)


async def test_a_refusal_of_this_request_alone_says_nothing_of_the_one_before_it():
    life = await lost(done=True)
    life.shelf.strike(REFUSED)
    error = await life.silence()
    assert (error.type, error.details) == (UNANSWERED, (2, "full"))


async def test_an_answer_that_speaks_of_another_executions_effect_is_not_ours():
    life = Life(shelf := Shelf())
    shelf.put(life.key, execution=OTHER_EXECUTION)
    life.die()
    assert (await life.answer()).kind == "foreign"


@KEYED
async def test_after_as_many_silent_attempts_as_the_tool_allows_it_is_left_unknown(grade):
    life = Life(shelf := Shelf(), grade)
    ends: list[bool] = []
    for _ in range(PACE.tries):
        shelf.strike(RESET)
        ends.append((await life.unknown()).non_retryable)
    assert ends == [False, False, True]


async def test_attempts_that_sent_nothing_use_up_no_patience():
    life = Life(shelf := Shelf())
    for _ in range(PACE.tries):
        shelf.strike(SHUT)
        await life.silence()
    shelf.strike(RESET)
    assert not (await life.unknown()).non_retryable


async def test_a_clean_attempt_after_a_silent_one_does_not_make_it_clean():
    life = await lost(done=True)
    for _ in range(2):
        life.shelf.strike(SHUT)
        assert (await life.silence()).type == UNANSWERED
    assert life.number == 3


async def test_a_silent_attempt_after_a_clean_one_is_the_one_that_counts():
    life = Life(shelf := Shelf())
    shelf.strike(SHUT)
    shelf.strike(RESET, done=True)
    await life.silence()
    await life.unknown()
    answer = await life.answer()
    assert (answer.attempts, answer.how, len(shelf.boxes)) == (2, "replayed", 1)


# A provider that honours none


@DONE
async def test_without_a_key_a_second_attempt_looks_and_does_not_send(done):
    life = await lost("lookup", done=done)
    if done:
        answer = await life.answer()
        assert (answer.kind, answer.attempts, answer.how) == ("confirmed", 1, "looked_up")
    else:
        error = await life.silence()
        assert (error.type, error.non_retryable) == (UNANSWERED, True)
    assert (len(life.shelf.sent), len(life.shelf.looked), len(life.shelf.boxes)) == (1, 1, int(done))


async def test_a_list_that_lags_does_not_make_a_second_box():
    life = await lost("lookup", done=True)
    life.shelf.lags = True
    assert (await life.silence()).type == UNANSWERED
    assert (len(life.shelf.sent), len(life.shelf.boxes)) == (1, 1)


async def test_two_of_one_key_are_not_answered_as_one():
    life = await lost("lookup", done=True)
    life.shelf.put(life.key)
    assert (await life.silence()).type == UNANSWERED
    assert len(life.shelf.sent) == 1


async def test_a_box_of_another_execution_found_before_sending_is_not_ours():
    life = Life(shelf := Shelf(honours_keys=False), "lookup")
    shelf.put(life.key, execution=OTHER_EXECUTION)
    life.die()
    assert (await life.answer()).kind == "foreign"
    assert shelf.sent == []


async def test_without_key_and_lookup_a_second_attempt_sends_nothing_and_asks_nobody():
    life = Life(shelf := Shelf(honours_keys=False), "neither")
    life.die()
    error = await life.silence()
    assert (error.type, error.non_retryable, shelf.sent, shelf.looked) == (UNANSWERED, True, [], [])


LOOK_ERRORS = pytest.mark.parametrize(
    "error",
    [
        RESET,
        REFUSED,
        NotSent("not allowed", status=401, lasting=True),
        NotSent("slow down", status=429, retry_after_s=3),
        KeyError("page"),
    ],
    ids=["reset", "refused", "401", "429", "unrecognised"],
)


@LOOK_ERRORS
async def test_a_look_that_fails_is_no_absence_and_no_refusal(error):
    life = await lost("lookup", done=True)
    life.shelf.look_error = error
    assert (await life.silence()).type == UNANSWERED
    assert len(life.shelf.boxes) == 1


@pytest.mark.parametrize("state", ["undone", "failed"])
async def test_an_effect_that_is_gone_again_is_not_answered_as_if_it_stood(state):
    life = await lost("lookup", done=True)
    life.shelf.boxes[0].state = state
    assert (await life.silence()).type == UNANSWERED
    assert len(life.shelf.sent) == 1


async def test_a_try_after_proof_that_the_one_before_did_not_happen_is_sent_once():
    life = Life(shelf := Shelf(honours_keys=False), "lookup", row=make_row(tries=2, attempts=1))
    answer = await life.answer()
    assert (answer.kind, answer.attempts, len(shelf.boxes), shelf.looked) == ("confirmed", 1, 1, [])


LONG_AGO = datetime(1960, 1, 1, tzinfo=UTC)
"""Before the attempts of an activity environment, which begin in 1970."""


async def test_a_forgotten_key_with_nothing_to_look_at_is_sent_again_on_a_persons_word_alone():
    """T11: where nothing can be looked up, nobody but a person can have let a row be tried again."""
    facts = make_facts(handling=make_facts().handling.model_copy(update={"key_life_s": 60}))
    said = make_row(tries=2, attempts=1, begun_at=LONG_AGO, facts=facts)
    life = Life(shelf := Shelf(), "key", row=said)
    assert ((await life.answer()).attempts, len(shelf.boxes)) == (1, 1)
    life = Life(shelf := Shelf(), "key", row=said)
    life.die()
    assert ((await life.silence()).type, shelf.sent) == (UNANSWERED, [])


# Counter-actions go the same way


@pytest.mark.parametrize("grade", ["key_and_lookup", "lookup"])
@DONE
async def test_a_counter_action_is_never_done_twice_either(grade, done):
    """T29."""
    life = await lost(grade, done=done, half="compensation")
    await life.attempt()
    undo = life.row.compensation
    assert undo
    assert set(life.shelf.sent) == {undo.idempotency_key}
    assert len(life.shelf.boxes) == (1 if done or grade == "key_and_lookup" else 0)
