"""Failing on purpose: what a door does about a run's faults, and nothing where it was not started for it."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from activities.find import LOOKUP_FAILED, Find
from activities.perform import Perform
from activities.sending import NOT_SENT, UNANSWERED
from saga.doors import FindOrder, SendOrder
from saga.draft import Pace
from saga.faults import Fault
from saga.outcome import Answer
from tests.activities.shelf import Shelf
from tests.build import PACE, START, make_registry, make_row, make_tool

ROW = make_row()


async def sent(
    shelf: Shelf, *faults: str, attempt: int = 1, inject: bool = True, pace: Pace = PACE, **more: Any
) -> Answer | ApplicationError:
    """What that attempt comes to where these faults strike, each once and in turn."""
    plan = tuple(
        Fault(verb="call", tool="put_box", fault=fault, skip=place, **more)  # type: ignore[arg-type]
        for place, fault in enumerate(faults)
    )
    door = Perform(make_registry(make_tool(pace=pace)), {"shelf": shelf}, inject=inject)
    env = ActivityEnvironment()
    env.info = replace(env.info, attempt=attempt, workflow_run_id="run-a")
    order = SendOrder(row=ROW, scheduled_in="run-a", since=START, faults=plan)
    try:
        return await env.run(door.perform, order)
    except ApplicationError as error:
        return error


@pytest.mark.parametrize(
    ("fault", "type_", "boxes"), [("not_sent", NOT_SENT, 0), ("before", UNANSWERED, 0), ("after", UNANSWERED, 1)]
)
async def test_silence_with_and_without_the_deed(fault: str, type_: str, boxes: int):
    error = await sent(shelf := Shelf(), fault)
    assert isinstance(error, ApplicationError)
    assert error.type == type_
    assert len(shelf.boxes) == boxes


async def test_a_refusal_sends_nothing():
    answer = await sent(shelf := Shelf(), "refuse")
    assert isinstance(answer, Answer)
    assert (answer.kind, answer.error and answer.error.code) == ("refused", "injected")
    assert shelf.sent == []


async def test_delivered_twice_is_two_requests_under_one_key():
    answer = await sent(shelf := Shelf(), "twice")
    assert isinstance(answer, Answer)
    assert (answer.kind, shelf.sent, len(shelf.boxes)) == ("confirmed", [ROW.idempotency_key] * 2, 1)


async def test_hanging_lasts_as_long_as_the_attempt_and_no_longer():
    brief = PACE.model_copy(update={"request_s": 0.02, "attempt_s": 0.05})
    error = await sent(shelf := Shelf(), "hang", pace=brief)
    assert isinstance(error, ApplicationError)
    assert (error.type, len(shelf.boxes)) == (UNANSWERED, 1)


async def test_the_next_attempt_is_struck_by_the_next_fault_and_then_by_none():
    shelf = Shelf()
    first = await sent(shelf, "before", "after", attempt=1)
    second = await sent(shelf, "before", "after", attempt=2)
    third = await sent(shelf, "before", "after", attempt=3)
    assert isinstance(first, ApplicationError)
    assert isinstance(second, ApplicationError)
    assert isinstance(third, Answer)
    assert (third.kind, len(shelf.boxes), len(shelf.sent)) == ("confirmed", 1, 2)


@pytest.mark.parametrize("fault", ["refuse", "not_sent", "before", "after", "twice"])
async def test_a_worker_that_was_not_started_for_it_does_its_work(fault: str):
    answer = await sent(shelf := Shelf(), fault, inject=False)
    assert isinstance(answer, Answer)
    assert (answer.kind, answer.how, len(shelf.sent)) == ("confirmed", "answered", 1)


# Looks


async def looked(
    shelf: Shelf, fault: str, *, attempt: int = 1, after_s: float = 0, inject: bool = True
) -> Sequence[str]:
    """The references that the look of that number found, so long after the row became unknown."""
    door = Find(make_registry(), {"shelf": shelf}, inject=inject)
    env = ActivityEnvironment()
    env.info = replace(env.info, attempt=attempt, started_time=ROW.updated_at + timedelta(seconds=after_s))
    faults = (Fault(verb="lookup", tool="put_box", fault=fault),)  # type: ignore[arg-type]
    finding = await env.run(door.find, FindOrder(row=ROW, half="call", since=START, faults=faults))
    return finding.refs


async def test_a_look_that_is_down_is_an_error_and_the_next_one_sees():
    (shelf := Shelf()).put(ROW.idempotency_key)
    with pytest.raises(ApplicationError) as failed:
        await looked(shelf, "down")
    assert failed.value.type == LOOKUP_FAILED
    assert await looked(shelf, "down", attempt=2) == ("box-0",)


async def test_an_index_that_lags_shows_nothing_until_the_lag_that_the_tool_names_has_passed():
    (shelf := Shelf()).put(ROW.idempotency_key)
    assert await looked(shelf, "lag", after_s=2.9) == ()
    assert await looked(shelf, "lag", after_s=3.0) == ("box-0",)


@pytest.mark.parametrize("fault", ["down", "lag"])
async def test_a_worker_that_was_not_started_for_it_looks(fault: str):
    (shelf := Shelf()).put(ROW.idempotency_key)
    assert await looked(shelf, fault, inject=False) == ("box-0",)
