"""What is refused of gates, names, owned arguments and checks, each with what to write instead."""

from typing import Any

import pytest
from pydantic import Field

from saga.draft import CounterCall
from saga.record import Typed
from tests.build import make_registry, make_tool
from tests.saga.test_registry import refusal, shipping, staging


class TakenArgs(Typed):
    """An argument that the harness takes off before the tool sees it."""

    shelf: str
    depends_on: list[int] = Field(default_factory=list[int])


FINAL: dict[str, Any] = {"tool_class": "irreversible", "compensate": None}
TOLD: dict[str, Any] = {"correct": lambda _: CounterCall(tool="take_box", args={"box_key": "k"})}


@pytest.mark.parametrize(
    ("changes", "problem", "mend"),
    [
        ({"at_once": True, "gate": "a bell"}, "is compensatable and at_once", "drop `at_once`"),
        ({**FINAL, **TOLD, "at_once": True}, "is at_once with no gate", "gate"),
        ({**FINAL, **TOLD, "at_once": True, "gate": "  "}, "is at_once with no gate", "gate"),
        ({"owned": ("shlef",)}, "owned shlef is not an argument", "args"),
        ({"args": TakenArgs}, "takes an argument depends_on, which is the harness's own", "something else"),
        ({"check": lambda _reader, _args: None}, "has a check that is not async", "async def"),
        ({"names": lambda _: ("", "b")}, "names gives no names for the example", "tuple of texts"),
        ({"names": lambda _: ["box"]}, "names gives no names for the example", "tuple of texts"),
        ({"points_at": lambda _: ()}, "points_at gives no names for the example", "tuple of texts"),
    ],
)
def test_what_a_tool_says_wrongly_of_its_references_and_gates_is_refused(changes, problem, mend):
    error = refusal(make_tool(**changes))
    assert error.tool == "put_box"
    assert problem in error.problem
    assert mend in error.mend


def test_a_commit_half_that_cannot_wait_is_refused():
    half = shipping(**FINAL, gate="it is gone", at_once=True)
    error = refusal(staging(), half)
    assert (error.tool, "ship_box is at_once" in error.problem) == ("put_box", True)


def test_what_says_all_that_can_be_said_is_taken():
    async def check(_reader: Any, _args: Any) -> None:
        return None

    named = make_tool(owned=("shelf",), names=lambda _: ("a",), points_at=lambda _: ("b",), check=check)
    rung = make_tool("ring", **FINAL, gate="it is heard", at_once=True)
    assert set(make_registry(named, rung).tools) == {"put_box", "ring"}
