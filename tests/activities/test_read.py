"""The door `read`: a pure tool's answer, small and clean."""

from typing import Any

import pytest
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from activities.read import RESULT_LIMIT, Read
from saga.doors import ReadOrder
from saga.errors import NotSent, Refused, Unanswered
from saga.record import Json
from tests.build import make_pure, make_registry, make_tool


class Counter:
    """Answers what it is told to, or fails so."""

    def __init__(self, answer: Json | None = None, error: BaseException | None = None) -> None:
        self.asked: list[Any] = []
        self._answer, self._error = answer or {"boxes": 3}, error

    async def read(self, args: Any) -> Json:
        self.asked.append(args)
        if self._error is not None:
            raise self._error
        return self._answer


async def ask(counter: Counter, tool: str = "count_boxes", args: Any = None, system: str | None = "shelf") -> Json:
    door = Read(make_registry(make_tool(), make_pure(system=system)), {"shelf": counter})
    return await ActivityEnvironment().run(door.read, ReadOrder(tool=tool, args=args or {"shelf": "A1"}))


async def failure(counter: Counter, **changes: Any) -> ApplicationError:
    with pytest.raises(ApplicationError) as caught:
        await ask(counter, **changes)
    return caught.value


async def test_a_pure_tool_answers():
    counter = Counter()
    assert await ask(counter) == {"boxes": 3}
    assert [args.shelf for args in counter.asked] == ["A1"]


async def test_a_local_tool_is_handed_no_credential():
    async def nobody(provider: Any, _: Any) -> Json:
        return {"provider": provider}

    door = Read(make_registry(make_tool(), make_pure(system=None, read=nobody)), {})
    order = ReadOrder(tool="count_boxes", args={"shelf": "A1"})
    assert await ActivityEnvironment().run(door.read, order) == {"provider": None}


@pytest.mark.parametrize("tool", ["put_box", "take_box", "burn_box", ""])
async def test_nothing_with_effects_can_be_run_as_if_it_were_pure(tool):
    error = await failure(counter := Counter(), tool=tool)
    assert (error.type, error.non_retryable, counter.asked) == ("no_such_tool", True, [])


@pytest.mark.parametrize(
    ("error", "final"),
    [
        (Refused("no such shelf", code="not_found"), True),
        (NotSent("not allowed", status=401, lasting=True), True),
        (NotSent("slow down", status=429), False),
        (Unanswered("connection reset"), False),
    ],
    ids=["refused", "401", "429", "reset"],
)
async def test_a_no_is_final_and_silence_is_asked_again(error, final):
    caught = await failure(Counter(error=error))
    assert (caught.non_retryable, caught.message) == (final, error.message)
    assert caught.__suppress_context__


async def test_an_error_that_nobody_recognises_tells_the_model_nothing_of_what_it_held():
    """T37."""
    assert "4242" not in str(await failure(Counter(error=KeyError("Set-Cookie: 4242"))))


async def test_arguments_that_the_tool_no_longer_takes_are_a_final_no():
    error = await failure(counter := Counter(), args={"shelf": "A1", "colour": "secret-4242"})
    assert (error.non_retryable, counter.asked) == (True, [])
    assert "4242" not in str(error)


async def test_an_answer_of_the_largest_size_is_given_and_a_larger_one_is_not():
    """T32."""
    room = RESULT_LIMIT - len('{"text": ""}')
    assert len((await ask(Counter({"text": "x" * room})))["text"]) == room  # pyright: ignore[reportArgumentType]
    error = await failure(Counter({"text": "x" * (room + 1)}))
    assert (error.type, error.non_retryable) == ("too_large", True)
