"""What a script makes of what it was asked: the turns so far, and what each of its calls was told."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from activities.models.model import Ask, Reply
from saga.turn import ProposedCall, Told


class Reading:
    """One ask, read. Nothing else flows into a script's next turn."""

    def __init__(self, ask: Ask) -> None:
        """What the brief says, the script of that agent reads."""
        self._ask = ask

    @property
    def turn(self) -> int:
        """The number of the turn that is asked for, from 0."""
        return len(self._ask.transcript)

    @property
    def note(self) -> str:
        """What a reviewer wrote, where that is the last thing that was said; else ""."""
        return self._ask.transcript[-1].note if self._ask.transcript else ""

    def answers(self, tool: str) -> list[tuple[dict[str, Any], Told]]:
        """What was asked of this tool and what it was told, oldest first."""
        return [(args, told) for name, args, told in self._pairs() if name == tool]

    def asked(self, tool: str) -> bool:
        """Whether this tool was called at all."""
        return any(name == tool for name, _, _ in self._pairs())

    def say(self, text: str, *calls: tuple[str, Any]) -> Reply:
        """An answer of the model; each call is (tool, arguments)."""
        return Reply(
            text=text,
            calls=tuple(
                ProposedCall(call_id=f"turn{self.turn}-call{place}", tool=tool, args=args)
                for place, (tool, args) in enumerate(calls)
            ),
        )

    def _pairs(self) -> Iterator[tuple[str, dict[str, Any], Told]]:
        for turn in self._ask.transcript:
            told = {each.call_id: each for each in turn.told}
            for call in turn.calls:
                # A call behind one that ended the turn was told nothing.
                if call.call_id in told:
                    yield call.tool, call.args if isinstance(call.args, dict) else {}, told[call.call_id]
