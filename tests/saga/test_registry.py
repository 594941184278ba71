"""What is refused at start: each refusal names the tool and says what to write."""

from typing import Annotated, Any

import pytest
from pydantic import Field

from saga.agent import REVIEW_TOOL
from saga.draft import CounterCall, Pace
from saga.errors import BadInput, RegistrationError
from saga.record import Typed
from saga.registry import Registry, handling
from saga.tool import Answers, Tool
from tests.build import make_agent, make_counter, make_pure, make_registry, make_tool

QUESTIONS = ("pivot", "undo", "idempotent", "unknown", "paged")


class ShipArgs(Typed):
    """Arguments of a commit half."""

    box_key: Annotated[str, Field(min_length=1)]


def refusal(*tools: Any, **parts: Any) -> RegistrationError:
    """The error with which these are refused."""
    with pytest.raises(RegistrationError) as caught:
        make_registry(*tools, **parts)
    error = caught.value
    assert error.tool in str(error)
    assert error.problem in str(error)
    assert error.mend in str(error)
    assert error.mend.strip()
    return error


def answers(**changes: str) -> Answers:
    return Answers(**{**dict.fromkeys(QUESTIONS, "said"), **changes})


def shipping(**changes: Any) -> Tool[Any]:
    """A commit half."""
    fields = {"args": ShipArgs, "example": {"box_key": "k"}, "target": lambda _: "a box", "identity": ("box_key",)}
    return make_tool("ship_box", **{**fields, **changes})


def staging(**changes: Any) -> Tool[Any]:
    """A staged half with its commit half `ship_box`."""
    fields: dict[str, Any] = {"commits": "ship_box", "commit_args": lambda _, key: {"box_key": key}}
    return make_tool(**{**fields, **changes})


@pytest.mark.parametrize(
    ("changes", "problem", "mend"),
    [
        ({"tool_class": None}, "no class", "tool_class"),
        ({"about": "  "}, "no description", "about"),
        ({"compensate": None}, "is compensatable and has no counter-action", "compensate"),
        ({"tool_class": "reversible", "compensate": None}, "is reversible and has no counter-action", "compensate"),
        ({"tool_class": "irreversible", "compensate": None}, "no correction template and no gate", "correct"),
        ({"tool_class": "irreversible", "gate": "costly", "commits": "ship_box"}, "has a commit half", "commits"),
        ({"grade": "neither", "find": None}, "no lookup by key or natural key", "person_answers"),
        ({"grade": "lookup", "find": None, "person_answers": "none"}, "claims grade lookup without a lookup", "find"),
        ({"grade": "key_and_lookup", "find": None, "person_answers": "none"}, "without a lookup", "find"),
        ({"index_lag_s": None}, "no lookup clock", "index_lag_s"),
        ({"identity": None}, "no identity", "why none do"),
        ({"identity": ("shlef",)}, "identity shlef is not an argument", "args"),
        ({"references": {"shlef": "put_box"}}, "reference shlef → put_box does not exist", "argument"),
        ({"references": {"shelf": "paint_box"}}, "reference shelf → paint_box does not exist", "registered"),
        ({"references": {"shelf": "count_boxes"}}, "reference shelf → count_boxes does not exist", "with effects"),
        ({"commits": "ship_box"}, "commit half ship_box does not exist", "Register"),
        ({"example": {"shelf": "a 1"}}, "example: shelf", "BoxArgs"),
        ({"example": {"shlef": "A1"}}, "example: shelf", "BoxArgs"),
        ({"correct": lambda _: None}, "cannot be built for the example", "template and recipients"),
    ],
)
def test_a_tool_that_leaves_something_unsaid_is_refused(changes, problem, mend):
    error = refusal(make_tool(**changes), make_pure())
    assert error.tool == "put_box"
    assert problem in error.problem
    assert mend in error.mend


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("silence", ["", "  \n"])
def test_each_of_the_five_questions_must_be_answered(question, silence):
    error = refusal(make_tool(answers=answers(**{question: silence})))
    assert error.tool == "put_box"
    assert question in error.problem


@pytest.mark.parametrize(
    ("request_s", "attempt_s", "patience_s"), [(6, 5, 60), (5, 5, 60), (2, 61, 60), (0, 5, 60), (-1, 5, 60)]
)
def test_a_time_limit_longer_than_the_activitys_is_refused(request_s, attempt_s, patience_s):
    """T3."""
    pace = Pace(request_s=request_s, attempt_s=attempt_s, patience_s=patience_s, tries=3)
    assert "out of order" in refusal(make_tool(pace=pace)).problem


def test_a_counter_actions_time_limit_longer_than_the_activitys_is_refused():
    """T3."""
    pace = Pace(request_s=6, attempt_s=5, patience_s=60, tries=3)
    assert refusal(counters=[make_counter(pace=pace)]).tool == "take_box"


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (None, "counter-action None cannot be built"),
        (CounterCall(tool="take_bax", args={"box_key": "k"}), "counter-action take_bax cannot be built"),
        (CounterCall(tool="take_box", args={"bax_key": "k"}), "counter-action take_box: box_key"),
        (CounterCall(tool="take_box", args={"box_key": "k", "why": "x"}), "counter-action take_box: why"),
        (CounterCall(tool="take_box", args={"box_key": 7}), "counter-action take_box: box_key"),
    ],
)
def test_a_counter_action_that_cannot_be_built_for_the_tools_own_example_is_refused(call, says):
    error = refusal(make_tool(compensate=lambda _args, _key: call))
    assert (error.tool, says in error.problem) == ("put_box", True)


@pytest.mark.parametrize(
    "call", [CounterCall(tool="nobody", args={"box_key": "k"}), CounterCall(tool="take_box", args={})]
)
def test_a_correction_that_nobody_could_send_is_refused(call):
    tool = make_tool(tool_class="irreversible", compensate=None, correct=lambda _: call)
    assert refusal(tool).tool == "put_box"


def test_a_commit_half_that_does_not_take_the_staged_halfs_arguments_is_refused():
    error = refusal(staging(commit_args=lambda _, key: {"bax_key": key}), shipping())
    assert "commit half ship_box: box_key" in error.problem


def test_a_commit_half_must_be_a_tool_with_effects_and_its_arguments_said():
    assert "ship_box does not exist" in refusal(staging(), make_pure("ship_box")).problem
    assert "commit_args" in refusal(staging(commit_args=None), shipping()).mend


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"tool_class": "reversible"},
        {"grade": "key", "find": None, "person_answers": "the storekeeper knows"},
        {"grade": "neither", "find": None, "person_answers": "the storekeeper knows"},
        {"identity": None, "why_no_identity": "any number of boxes fit"},
        {"references": {"shelf": "put_box"}},
        {"tool_class": "irreversible", "compensate": None, "gate": "costly"},
        {
            "tool_class": "irreversible",
            "compensate": None,
            "correct": lambda _: CounterCall(tool="take_box", args={"box_key": "k"}),
        },
    ],
)
def test_a_tool_that_says_all_there_is_to_say_is_taken(changes):
    assert make_registry(make_tool(**changes)).tool("put_box").name == "put_box"


@pytest.mark.parametrize(
    "parts",
    [
        {"tools": [make_tool(), make_tool()]},
        {"counters": [make_counter(), make_counter()]},
        {"agents": [make_agent(), make_agent()]},
    ],
    ids=lambda parts: next(iter(parts)),
)
def test_two_of_one_name_are_refused(parts):
    whole: dict[str, Any] = {"tools": [make_tool()], "counters": [make_counter()], "agents": [], **parts}
    with pytest.raises(RegistrationError, match="registered twice"):
        Registry(**whole)


def test_a_counter_action_with_a_tools_name_is_refused():
    assert refusal(make_tool(), make_tool("take_box")).tool == "take_box"


def test_a_pure_tool_must_be_described():
    assert refusal(make_pure(about="")).tool == "count_boxes"


@pytest.mark.parametrize(
    ("agent", "problem"),
    [
        (make_agent(pivot=" "), "pivot"),
        (make_agent(why_no_earlier=""), "why_no_earlier"),
        (make_agent(paged=""), "paged"),
        (make_agent("paint_box"), "tool paint_box does not exist"),
        (make_agent("take_box"), "tool take_box does not exist"),
        (make_agent(REVIEW_TOOL), "is every agent's already"),
        (make_agent("put_box", "ship_box"), "ship_box is a commit half"),
    ],
)
def test_an_agent_that_leaves_something_unsaid_or_reaches_too_far_is_refused(agent, problem):
    error = refusal(staging(), shipping(), agents=[agent])
    assert error.tool == "shelves"
    assert problem in error.problem


def test_an_agent_is_offered_its_tools_and_never_a_counter_action_or_a_commit_half():
    agent = make_agent("put_box", "count_boxes")
    registry = make_registry(staging(), shipping(), make_pure(), agents=[agent])
    assert [tool.name for tool in registry.offered(agent)] == ["put_box", "count_boxes"]
    assert registry.commit_halves == {"ship_box"}


def test_a_row_of_a_tool_that_this_worker_does_not_have_is_bad_input():
    registry = make_registry(make_tool(), make_pure())
    for name in ("paint_box", "count_boxes", "take_box"):
        with pytest.raises(BadInput, match=f"{name} is not a tool of this worker"):
            registry.tool(name)
    with pytest.raises(BadInput, match="is not a counter-action of this worker"):
        registry.half("put_box", "compensation", "burn_box")


def test_each_half_of_a_row_is_found_by_name():
    registry = make_registry()
    assert registry.half("put_box", "call").name == "put_box"
    assert registry.half("put_box", "compensation", "take_box").name == "take_box"


def test_how_a_half_is_handled_travels_with_its_clock():
    found = handling(make_tool(index_lag_s=30.0))
    assert (found.system, found.grade, found.pace.tries) == ("shelf", "key_and_lookup", 3)
    assert found.clock_s >= 30 + found.pace.request_s
