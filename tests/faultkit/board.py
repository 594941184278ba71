"""Somebody's own: a notice board that can break, and the world that the fault kit is given of it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from saga.errors import NotSent, Refused, Unanswered
from saga.outcome import Sighting
from saga.tool import Tags
from workers.faultkit.world import Effect


@dataclass
class Deed:
    """One thing done to the board."""

    kind: str
    key: str
    tags: Tags
    ref: str
    at: float
    state: str = "standing"


class Board:
    """The outside system: it honours keys or not, and can break."""

    def __init__(self, *, honours_keys: bool = True) -> None:
        self.honours_keys = honours_keys
        self.now = 0.0
        self.deeds: list[Deed] = []
        self.asked: list[dict[str, Any]] = []
        self.armed: list[tuple[str, str, int]] = []

    async def pin(self, tags: Tags, key: str) -> str:
        """Pin a note; the same key finds the note that is there."""
        return self._write("pin", tags, key, lambda: f"note-{len(self.deeds)}")

    async def answer(self, tags: Tags, note: str) -> str:
        """Hang an answer on a note that is there; the same key finds the answer that hangs there."""

        def hang() -> str:
            if note not in [each.ref for each in self.deeds if each.state == "standing"]:
                raise Refused(f"there is no note {note}", code="no_such_note")
            return f"answer-{len(self.deeds)}"

        return self._write("answer", tags, tags.key, hang)

    async def unpin(self, tags: Tags, ref: str) -> str:
        """Take a note down; one that is down stays down."""

        def take() -> str:
            next(each for each in self.deeds if each.ref == ref).state = "undone"
            return ref

        return self._write("unpin", tags, tags.key, take)

    async def carrying(self, key: str) -> list[Sighting]:
        """What was done under that key."""
        if fault := self._met("list", "GET", None):
            raise Unanswered(f"the board did not answer: {fault}")
        return [Sighting(external_ref=each.ref, state="standing") for each in self.deeds if each.key == key]

    def _write(self, verb: str, tags: Tags, key: str, do: Callable[[], str]) -> str:
        fault = self._met(verb, "POST", key)
        if fault.startswith("refuse"):
            raise Refused("the board says no", code="no")
        if fault.startswith("429"):
            raise NotSent("too many notes", retry_after_s=1)
        if fault.startswith("before"):
            raise Unanswered(fault)
        same = (each.ref for each in self.deeds if each.key == key)
        known = next(same, None) if self.honours_keys or verb == "unpin" else None
        ref = known or do()
        if known is None:
            self.deeds.append(Deed(f"note.{verb}", key, tags, ref, self.now))
        if fault:
            raise Unanswered(fault)
        return ref

    def _met(self, operation: str, method: str, key: str | None) -> str:
        found = next((each for each in self.armed if each[0] == operation), None)
        if found:
            self.armed.remove(found)
            if found[2] > 1:
                self.armed.insert(0, (*found[:2], found[2] - 1))
        fault = found[1] if found else ""
        line = {"system": "board", "operation": operation, "method": method, "key": key, "fault": fault}
        self.asked.append(line)
        return fault


class BoardWorld:
    """The board as the kit sees and breaks it."""

    def __init__(self, *, honours_keys: bool = True) -> None:
        self.board = Board(honours_keys=honours_keys)
        self.writers: Mapping[str, Any] = {"board": self.board}
        self.readers: Mapping[str, Any] = {"board": self.board}

    async def effects(self) -> Sequence[Effect]:
        """From the board, not from the log."""
        money = {"amount_minor": None, "currency": None, "audience": ["support_team"]}
        return [
            {
                "system": "board",
                "kind": each.kind,
                "key": each.key,
                "ref": each.ref,
                "state": each.state,
                "run": each.tags.run_id,
                "execution": each.tags.execution,
                "at": each.at,
                **money,
            }
            for each in self.board.deeds
        ]

    async def clear(self) -> None:
        """An empty board."""
        self.board.deeds.clear()
        self.board.asked.clear()
        self.board.armed.clear()

    def set_clock(self, now: float) -> None:
        """Nothing on the board expires."""
        self.board.now = now

    async def calls(self) -> Sequence[Mapping[str, Any]]:
        """Every request."""
        return list(self.board.asked)

    async def arm(self, system: str, operation: str, fault: str, times: int) -> None:
        """For the next `times` requests."""
        self.board.armed.append((operation, fault, times))

    def strikes(self, fault: str, system: str, operation: str) -> bool:
        """What the board can play: a no, and an answer lost before or after."""
        return fault.partition(":")[0] in ("refuse", "before", "after", "429") and "slow" not in fault

    async def mend(self) -> None:
        """It answers again."""
        self.board.armed.clear()

    async def heal(self, effect: Effect) -> None:
        """Taken down by hand."""
        next(each for each in self.board.deeds if each.ref == effect["ref"]).state = "undone"


@asynccontextmanager
async def boarded(*, honours_keys: bool = True) -> AsyncGenerator[BoardWorld]:
    """A board of its own."""
    yield BoardWorld(honours_keys=honours_keys)
