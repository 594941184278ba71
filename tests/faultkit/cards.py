"""Cards handed out to many in one call, some of whom are out: a bulk call that does a part, and what it says of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import Field

from saga.draft import CounterCall
from saga.errors import Unanswered
from saga.outcome import Receipt, Sighting
from saga.record import Typed
from saga.registry import Registry
from saga.tool import Call, CounterTool
from tests.faultkit.notes import PIN, UNPIN
from workers.faultkit.world import Effect


class HandOutArgs(Typed):
    """To whom."""

    people: list[str] = Field(min_length=1)


class TakeBackArgs(Typed):
    """What one call handed out, by its key. From whom: from those whom it reached, as its row says."""

    cards_key: str


@dataclass
class Cards:
    """The outside system, and the kit's world of it. `out` are never reached; `deaf` answers are lost."""

    out: set[str] = field(default_factory=set[str])
    deaf: int = 0
    now: float = 0.0
    handed: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """Key → who has a card of it still."""
    deeds: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    taken: list[str] = field(default_factory=list[str])
    """Who was asked to give a card back, in order."""

    @property
    def writers(self) -> Mapping[str, Any]:
        """Itself."""
        return {"board": self}

    @property
    def readers(self) -> Mapping[str, Any]:
        """Itself."""
        return {"board": self}

    async def hand_out(self, call: Call[HandOutArgs]) -> Receipt:
        """One call, once per key; those who are out get none."""
        if call.key not in self.handed:
            self.handed[call.key] = [each for each in call.args.people if each not in self.out]
            self._done("cards.hand", call, f"cards-{len(self.deeds)}")
        if self.deaf:
            self.deaf -= 1
            raise Unanswered("the answer was lost")
        return self._seen(call).receipt()

    async def take_back(self, call: Call[TakeBackArgs]) -> Receipt:
        """From those whom the row names, and from nobody else."""
        reached: Any = call.result["reached"]
        self.taken += reached
        self.handed[call.args.cards_key] = [each for each in self.handed[call.args.cards_key] if each not in reached]
        for deed in self.deeds:
            if deed["key"] == call.args.cards_key and not self.handed[call.args.cards_key]:
                deed["state"] = "undone"
        return Receipt(external_ref=self._done("cards.take", call, f"back-{len(self.deeds)}"))

    async def find_handed(self, call: Call[HandOutArgs]) -> Sequence[Sighting]:
        """The one call of that key, with those whom it reached."""
        return [self._seen(call)] if call.key in self.handed else []

    async def find_taken(self, call: Call[TakeBackArgs]) -> Sequence[Sighting]:
        """What was taken back under that key."""
        found = [each for each in self.deeds if each["key"] == call.key]
        return [Sighting(external_ref=each["ref"], state="standing") for each in found]

    def _seen(self, call: Call[HandOutArgs]) -> Sighting:
        deed = next(each for each in self.deeds if each["key"] == call.key)
        reached = self.handed[call.key]
        missed = [each for each in call.args.people if each not in reached]
        return Sighting(external_ref=deed["ref"], state="standing", result={"reached": [*reached], "missed": [*missed]})

    def _done(self, kind: str, call: Call[Any], ref: str) -> str:
        tags = call.tags
        self.deeds.append(
            {"system": "board", "kind": kind, "key": tags.key, "ref": ref, "state": "standing", "run": tags.run_id,
             "execution": tags.execution, "at": self.now, "amount_minor": None, "currency": None, "audience": []}
        )  # fmt: skip
        return ref

    async def effects(self) -> Sequence[Effect]:
        """Everything that was done."""
        return [dict(each) for each in self.deeds]

    async def clear(self) -> None:
        """Nobody has a card."""
        self.handed.clear()
        self.deeds.clear()

    def set_clock(self, now: float) -> None:
        """Cards do not expire."""
        self.now = now


async def _hand_out(cards: Cards, call: Call[Any]) -> Receipt:
    return await cards.hand_out(call)


async def _find_handed(cards: Cards, call: Call[Any]) -> Sequence[Sighting]:
    return await cards.find_handed(call)


async def _take_back(cards: Cards, call: Call[Any]) -> Receipt:
    return await cards.take_back(call)


async def _find_taken(cards: Cards, call: Call[Any]) -> Sequence[Sighting]:
    return await cards.find_taken(call)


HAND_OUT = dataclasses.replace(
    PIN,
    name="hand_out_cards",
    about="Hand a card to each of these people.",
    args=HandOutArgs,
    example={"people": ["ada", "bo", "cy"]},
    perform=_hand_out,
    find=_find_handed,
    target=lambda args: f"cards for {len(args.people)} people",
    identity=("people",),
    compensate=lambda _, key: CounterCall(tool="take_back_cards", args={"cards_key": key}),
)
TAKE_BACK: CounterTool[Any] = dataclasses.replace(
    UNPIN, name="take_back_cards", args=TakeBackArgs, perform=_take_back, find=_find_taken
)


def registry(agent: Any) -> Registry:
    """Cards, and the agent that hands them out."""
    return Registry(tools=[HAND_OUT], counters=[TAKE_BACK], agents=[agent])
