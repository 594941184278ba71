"""A cancel while a request is under way: the request ends, and its answer is not thrown away."""

import asyncio

import pytest
from temporalio.exceptions import ApplicationError

from activities.sending import UNANSWERED, undisturbed
from saga.draft import Pace
from saga.errors import Refused, Unanswered
from saga.outcome import Answer
from tests.activities.shelf import Life, Shelf


async def cancelled_under_way(life: Life, times: int = 1) -> Answer | ApplicationError:
    """Cancel while the provider holds its answer back; then let it answer."""
    life.shelf.gate = asyncio.Event()
    task = asyncio.create_task(life.attempt())
    await life.shelf.under_way.wait()
    life.env.cancel()
    for _ in range(times):
        for running in list(life.env._activities):
            running.cancel()
        await asyncio.sleep(0.01)
    assert not task.done(), "the request was called back by dropping its answer"
    life.shelf.gate.set()
    return await task


@pytest.mark.parametrize("grade", ["key_and_lookup", "lookup", "key", "neither"])
async def test_the_request_ends_and_its_answer_is_returned(grade):
    """T1."""
    life = Life(Shelf(), grade)
    answer = await cancelled_under_way(life)
    assert isinstance(answer, Answer)
    assert (answer.kind, answer.attempts) == ("confirmed", 1)
    assert (len(life.shelf.boxes), len(life.shelf.sent)) == (1, 1)


async def test_a_second_and_a_third_cancel_change_nothing():
    """T2."""
    life = Life(Shelf())
    answer = await cancelled_under_way(life, times=3)
    assert isinstance(answer, Answer)
    assert answer.kind == "confirmed"


async def test_a_refusal_that_comes_after_the_cancel_is_still_an_answer():
    life = Life(Shelf())
    life.shelf.strike(Refused("no room", code="full"), done=True)
    answer = await cancelled_under_way(life)
    assert isinstance(answer, Answer)
    assert answer.kind == "refused"


async def test_silence_after_the_cancel_is_unknown_and_not_a_cancellation():
    life = Life(Shelf())
    life.shelf.strike(Unanswered("connection reset"), done=True)
    error = await cancelled_under_way(life)
    assert isinstance(error, ApplicationError)
    assert error.type == UNANSWERED


async def test_a_counter_action_is_not_called_back_either():
    life = Life(Shelf(), half="compensation")
    answer = await cancelled_under_way(life)
    assert isinstance(answer, Answer)
    assert answer.kind == "confirmed"


async def test_a_request_that_never_ends_ends_with_the_attempt_and_is_unknown():
    life = Life(Shelf(), pace=Pace(request_s=0.1, attempt_s=0.3, patience_s=60, tries=3))
    life.shelf.gate = asyncio.Event()
    task = asyncio.create_task(life.attempt())
    done, _ = await asyncio.wait({task}, timeout=5)
    life.shelf.gate.set()
    assert done, "it outlived the attempt"
    error = await task
    assert isinstance(error, ApplicationError)
    assert error.type == UNANSWERED


async def test_work_that_is_itself_cancelled_says_so():
    work = asyncio.ensure_future(asyncio.sleep(60))
    asyncio.get_running_loop().call_later(0.01, work.cancel)
    with pytest.raises(asyncio.CancelledError):
        await undisturbed(work)


async def test_work_that_fails_under_a_cancel_fails_as_it_would_have():
    async def fail() -> None:
        await asyncio.sleep(0.05)
        raise ValueError("broken")

    task = asyncio.ensure_future(undisturbed(fail()))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(ValueError, match="broken"):
        await task
