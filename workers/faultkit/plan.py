"""The model of a cell: it makes the calls that were written down for it, turn by turn, and has no more to say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from activities.models.model import Ask, Model, Reply
from saga.agent import REVIEW_TOOL
from saga.errors import BadInput
from saga.turn import ProposedCall

Call = tuple[str, Any]
Turn = Sequence[Call]
GIVES_UP = "as you like"
"""Arguments that fit no tool: they are no JSON object."""
INVALID_CALLS = 4
"""So many in a row are a policy failure: the run undoes and stops."""
REVIEW: Call = (REVIEW_TOOL, {"reason": "a person should look at this"})


@dataclass(frozen=True)
class RefOf:
    """In place of an argument: the `external_ref` that the last call of that tool was answered with."""

    tool: str


class Plan:
    """Its turns in order, one for each answer that it was given so far."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        """Each turn: (tool, arguments) of its calls."""
        self._turns = turns

    async def turn(self, ask: Ask) -> Reply:
        """The next turn; without calls after the last one."""
        said = said_so_far(ask)
        if said >= len(self._turns):
            return Reply(text="That is all.")
        calls = [
            ProposedCall(call_id=f"turn{said}-call{place}", tool=tool, args=_filled_in(args, ask))
            for place, (tool, args) in enumerate(self._turns[said])
        ]
        return Reply(text=f"turn {said}", calls=tuple(calls))


def said_so_far(ask: Ask) -> int:
    """How many turns the model has made."""
    return sum(not turn.note for turn in ask.transcript)


def _filled_in(args: Any, ask: Ask) -> Any:
    """The arguments, with what the model was told in place of every RefOf."""
    if not isinstance(args, dict):
        return args
    given: dict[str, Any] = args
    return {name: _told(ask, each.tool) if isinstance(each, RefOf) else each for name, each in given.items()}


def _told(ask: Ask, tool: str) -> str:
    tools = {call.call_id: call.tool for turn in ask.transcript for call in turn.calls}
    answers = [told for turn in ask.transcript for told in turn.told if tools[told.call_id] == tool]
    found = next((told.external_ref for told in reversed(answers) if told.external_ref), None)
    if found is None:
        raise BadInput("plan", f"no call of {tool} was answered with a reference: {[each.outcome for each in answers]}")
    return found


PlanT = TypeVar("PlanT", bound=Plan)


class Plans(Generic[PlanT]):
    """The plans that runs ask for by name, beside the models that are known anyhow."""

    def __init__(self, known: Callable[[str], Model], plan: Callable[[Sequence[Any]], PlanT]) -> None:
        """`known` raises BadInput for a name that it does not know; `plan` makes the model of a list of turns."""
        self._known, self._plan = known, plan
        self._plans: dict[str, PlanT] = {}

    def make(self, *turns: Any) -> str:
        """The name of a model that makes these turns."""
        name = f"plan:{len(self._plans)}"
        self._plans[name] = self._plan(turns)
        return name

    def __getitem__(self, name: str) -> PlanT:
        """The plan of that name."""
        return self._plans[name]

    def model_of(self, name: str) -> Model:
        """The plan of that name, or the known model."""
        return self._plans[name] if name in self._plans else self._known(name)


def giving_up(tool: str) -> Turn:
    """The calls of a model that cannot be told."""
    return tuple((tool, GIVES_UP) for _ in range(INVALID_CALLS))
