"""The door `check`: what the world would not take, before there is a row; silence says nothing."""

from typing import Any

import pytest
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from activities.check import NOT_ASKED, Check
from saga.doors import CheckOrder
from saga.errors import BadInput, NotSent, Refused, Unanswered
from saga.outcome import Problem
from tests.build import make_pure, make_registry, make_tool


async def ask(error: Exception | None = None, tool: str = "put_box", args: Any = None) -> Problem | None:
    """The answer where the tool's own look ends with that error."""

    async def look(reader: Any, typed: Any) -> None:
        assert (reader, typed.shelf) == ("reader", "A1")
        if error is not None:
            raise error

    door = Check(make_registry(make_tool(check=look), make_tool("bare"), make_pure()), {"shelf": "reader"})
    order = CheckOrder(tool=tool, args={"shelf": "A1"} if args is None else args)
    return await ActivityEnvironment().run(door.check, order)


async def test_what_the_world_would_take_is_no_problem():
    assert await ask() is None


async def test_what_it_would_not_take_is_named_with_what_is_allowed():
    problem = await ask(BadInput("shelf", "must be one that is empty"))
    assert problem == Problem(code="arguments", message="shelf: must be one that is empty")


@pytest.mark.parametrize("tool", ["bare", "count_boxes", "gone"])
async def test_a_tool_that_has_no_check_here_goes_on(tool):
    assert await ask(BadInput("shelf", "full"), tool=tool) is None


@pytest.mark.parametrize(
    ("error", "final"),
    [
        (Unanswered("no answer"), False),
        (NotSent("too many", retry_after_s=1), False),
        (NotSent("not let in", lasting=True), True),
        (Refused("no such shelf", code="not_found"), True),
        (ValueError("Authorization: Bearer secret"), True),
    ],
)
async def test_where_it_does_not_say_nothing_is_concluded_and_waiting_may_help(error, final, caplog):
    with pytest.raises(ApplicationError) as raised:
        await ask(error)
    assert (raised.value.type, raised.value.non_retryable) == (NOT_ASKED, final)
    assert "secret" not in str(raised.value)
    caplog.clear()


async def test_arguments_that_this_worker_does_not_take_are_not_asked_about():
    with pytest.raises(ApplicationError) as raised:
        await ask(args={"shelf": 7})
    assert raised.value.non_retryable
