"""The model of a cell: it makes the calls that were written down for it, turn by turn, and has no more to say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from activities.models.model import Ask, Model, Reply
from saga.agent import REVIEW_TOOL
from saga.turn import ProposedCall

Call = tuple[str, Any]
Turn = Sequence[Call]
GIVES_UP = "as you like"
"""Arguments that fit no tool: they are no JSON object."""
INVALID_CALLS = 4
"""So many in a row are a policy failure: the run undoes and stops."""
REVIEW: Call = (REVIEW_TOOL, {"reason": "a person should look at this"})


class Plan:
    """Its turns in order, one for each answer that it was given so far."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        """Each turn: (tool, arguments) of its calls."""
        self._turns = turns

    async def turn(self, ask: Ask) -> Reply:
        """The next turn; without calls after the last one."""
        said = sum(not turn.note for turn in ask.transcript)
        if said >= len(self._turns):
            return Reply(text="That is all.")
        calls = [
            ProposedCall(call_id=f"turn{said}-call{place}", tool=tool, args=args)
            for place, (tool, args) in enumerate(self._turns[said])
        ]
        return Reply(text=f"turn {said}", calls=tuple(calls))


class Plans:
    """The plans that runs ask for by name, beside the models that are known anyhow."""

    def __init__(self, known: Callable[[str], Model]) -> None:
        """`known` raises BadInput for a name that it does not know."""
        self._known = known
        self._plans: dict[str, Plan] = {}

    def make(self, turns: Sequence[Turn]) -> str:
        """The name of a model that makes these turns."""
        name = f"plan:{len(self._plans)}"
        self._plans[name] = Plan(turns)
        return name

    def model_of(self, name: str) -> Model:
        """The plan of that name, or the known model."""
        return self._plans.get(name) or self._known(name)


def giving_up(tool: str) -> Turn:
    """The calls of a model that cannot be told."""
    return tuple((tool, GIVES_UP) for _ in range(INVALID_CALLS))
