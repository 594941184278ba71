"""The door `propose`: the model is shown its tools and the turns so far, and every call it makes is vetted."""

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest
from temporalio.client import Client
from temporalio.testing import ActivityEnvironment

from activities.models.model import Ask, Reply
from activities.propose import Propose
from saga.agent import REVIEW_TOOL
from saga.doors import ProposeOrder
from saga.errors import BadInput
from saga.turn import Proposed, ProposedCall, Turn
from tests.activities.offer import AGENT, REGISTRY


class Scripted:
    """A model that says what it is told to, and remembers what it was shown."""

    def __init__(self, *calls: ProposedCall, text: str = "so be it") -> None:
        self.shown: list[Ask] = []
        self._reply = Reply(text=text, calls=calls)

    async def turn(self, ask: Ask) -> Reply:
        self.shown.append(ask)
        return self._reply


class Run:
    """The run, as a client of the server can ask it."""

    def __init__(self, *turns: Turn) -> None:
        self.asked: list[tuple[str, str | None, str, Any]] = []
        self._turns = turns

    def get_workflow_handle(self, workflow_id: str, *, run_id: str | None) -> Any:
        async def query(name: str, argument: Any) -> Sequence[Any]:
            self.asked.append((workflow_id, run_id, name, argument))
            return [turn.model_dump(mode="json") for turn in self._turns[: argument["upto"]]]

        return SimpleNamespace(query=query)


async def propose(model: Scripted, run: Run | None = None, *, turn: int = 0) -> Proposed:
    env = ActivityEnvironment(client=cast(Client, run or Run()))
    env.info = replace(env.info, workflow_id="run-1182", workflow_run_id="run-b")
    order = ProposeOrder(agent="shelves", model="m", request={"shelf": "A1"}, turn=turn)
    return await env.run(Propose(REGISTRY, lambda _: model).propose, order)


def call(tool: str = "put_box", args: Any = None, call_id: str = "c1") -> ProposedCall:
    return ProposedCall(call_id=call_id, tool=tool, args={"shelf": "A1"} if args is None else args)


async def test_a_model_is_shown_the_task_and_the_agents_tools_and_the_way_to_a_person():
    await propose(model := Scripted())
    (ask,) = model.shown
    assert ask.brief == "fill shelf A1"
    assert [tool.name for tool in ask.tools] == [*AGENT.tools, REVIEW_TOOL]


async def test_a_model_is_shown_no_counter_action_and_no_commit_half():
    await propose(model := Scripted())
    assert not {"take_box", "ship_box"} & {tool.name for tool in model.shown[0].tools}


@pytest.mark.parametrize("field", ["'another'", "'depends_on'"])
async def test_a_tool_with_effects_takes_what_the_harness_adds_and_a_pure_one_does_not(field):
    await propose(model := Scripted())
    takes = {tool.name: field in str(tool.parameters["properties"]) for tool in model.shown[0].tools}
    assert takes["put_box"]
    assert not takes["count_boxes"]


async def test_an_answer_without_calls_is_an_answer():
    assert await propose(Scripted(text="done")) == Proposed(text="done")


async def test_every_call_comes_back_with_what_it_is_in_the_order_given():
    calls = (call(), call("count_boxes"), call("take_box"), call(args="{broken"), call(REVIEW_TOOL, {"reason": "?"}))
    proposed = await propose(Scripted(*calls))
    assert [item.kind for item in proposed.items] == ["draft", "read", "no", "no", "review"]
    assert [each.tool for each in proposed.calls] == [each.tool for each in calls]


async def test_the_first_turn_asks_nobody():
    await propose(Scripted(), run := Run(Turn(turn=0, text="?")))
    assert run.asked == []


async def test_the_turns_so_far_are_asked_of_this_very_run_up_to_this_turn():
    run = Run(*(Turn(turn=idx, text=f"turn {idx}") for idx in range(3)))
    await propose(model := Scripted(), run, turn=2)
    assert run.asked == [("run-1182", "run-b", "transcript", {"upto": 2})]
    assert [turn.text for turn in model.shown[0].transcript] == ["turn 0", "turn 1"]


async def test_a_model_that_is_not_known_here_is_not_replaced_by_another():
    def unknown(name: str) -> Scripted:
        raise BadInput("model", f"there is no {name}")

    order = ProposeOrder(agent="shelves", model="m", request={"shelf": "A1"}, turn=0)
    with pytest.raises(BadInput, match="there is no m"):
        await ActivityEnvironment().run(Propose(REGISTRY, unknown).propose, order)


LARGEST_RESULT = 1_500_000
"""Bytes; at 2 MB the server refuses the result, and the same model is asked again and again."""


@pytest.mark.parametrize(
    "reply",
    [
        Scripted(call(args={"shelf": "A1", "words": "x" * 3_000_000})),
        Scripted(call(args='{"shelf": ' + "x" * 3_000_000)),
        Scripted(*(call(args={"shelf": "A1", "words": "x" * 15_000}, call_id=f"c{each}") for each in range(200))),
        Scripted(call("x" * 3_000_000)),
        Scripted(text="x" * 3_000_000),
        Scripted(call(call_id="x" * 3_000_000)),
    ],
    ids=["arguments", "text for arguments", "200 calls", "name of a tool", "words", "name of a call"],
)
async def test_whatever_a_model_says_its_turn_fits_into_history(reply):
    """T32."""
    assert len((await propose(reply)).model_dump_json()) < LARGEST_RESULT
