"""Somebody's own tools, for the notice board.

`good` passes the matrix, and `looking` at a board that honours no key. The others are the mistakes that it finds:
`by_words` keys a note by what it says, `blind_eye` takes a lookup that failed for an absence, `shrug` says that a note
is gone without taking it down. `answering` has answers, which hang on a note, and `wrong_one` takes the note down where
an answer was to be taken back. `shouting` and `unseen`
cannot look up what they did; `sounding` cannot wait.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial
from hashlib import sha256
from typing import Any

from saga.agent import Agent
from saga.draft import CounterCall, Pace
from saga.errors import ProviderError
from saga.outcome import Receipt, Sighting
from saga.record import Typed
from saga.registry import Registry
from saga.tool import Answers, Call, CounterTool, Tool
from tests.faultkit.board import Board, boarded
from workers.faultkit.kit import Kit
from workers.faultkit.world import World

PACE = Pace(request_s=0.5, attempt_s=1.0, patience_s=60.0, tries=3)


class NoteArgs(Typed):
    """What a note says."""

    text: str


class UnpinArgs(Typed):
    """Which note, by the key that it was pinned under."""

    note_key: str


async def _pin(board: Board, call: Call[NoteArgs]) -> Receipt:
    return Receipt(external_ref=await board.pin(call.tags, call.key))


async def _unpin(board: Board, call: Call[UnpinArgs]) -> Receipt:
    return Receipt(external_ref=await board.unpin(call.tags, call.external_ref or ""))


async def _find(board: Board, call: Call[Any]) -> Sequence[Sighting]:
    return await board.carrying(call.key)


UNPIN = CounterTool(
    name="unpin_note",
    system="board",
    args=UnpinArgs,
    perform=_unpin,
    find=_find,
    grade="key_and_lookup",
    index_lag_s=0.5,
    pace=PACE,
)
PIN = Tool(
    name="pin_note",
    about="Pin a note to the board.",
    system="board",
    args=NoteArgs,
    example={"text": "the lift is broken"},
    tool_class="compensatable",
    perform=_pin,
    find=_find,
    grade="key_and_lookup",
    pace=PACE,
    index_lag_s=0.5,
    audience=lambda _: ("support_team",),
    target=lambda args: f"the note {args.text!r}",
    identity=("text",),
    compensate=lambda _, key: CounterCall(tool="unpin_note", args={"note_key": key}),
    answers=Answers(
        pivot="It runs before the pivot.",
        undo="unpin_note.",
        idempotent="A note that is down stays down.",
        unknown="By its key, on the board.",
        paged="The caretaker.",
    ),
)


async def _look_and_pin(board: Board, call: Call[NoteArgs]) -> Receipt:
    """Right, where the board honours no key."""
    seen = await board.carrying(call.key)
    return seen[0].receipt().model_copy(update={"found": True}) if seen else await _pin(board, call)


async def _pin_by_words(board: Board, call: Call[NoteArgs]) -> Receipt:
    """Wrong: the same words are the same note, whoever asks, and another run's note is taken for ours."""
    return Receipt(external_ref=await board.pin(call.tags, sha256(call.args.text.encode()).hexdigest()[:32]))


async def _find_or_nothing(board: Board, call: Call[Any]) -> Sequence[Sighting]:
    """Wrong: a lookup that failed is no absence."""
    try:
        return await board.carrying(call.key)
    except ProviderError:
        return []


async def _shrug(board: Board, call: Call[UnpinArgs]) -> Receipt:
    """Wrong: nothing is taken down."""
    return Receipt(external_ref=call.external_ref or "")


class AnswerArgs(Typed):
    """What hangs on which note."""

    note: str
    text: str


class TakeBackArgs(Typed):
    """Which answer, by its key, and the note that it hangs on."""

    answer_key: str
    note: str


async def _answer(board: Board, call: Call[AnswerArgs]) -> Receipt:
    return Receipt(external_ref=await board.answer(call.tags, call.args.note))


async def _take_note(board: Board, call: Call[TakeBackArgs]) -> Receipt:
    """Wrong: what it hung on is taken down, and the answer stays."""
    return Receipt(external_ref=await board.unpin(call.tags, call.args.note))


ANSWER = dataclasses.replace(
    PIN,
    name="answer_note",
    about="Hang an answer on a note.",
    args=AnswerArgs,
    example={"note": "note-of-nobody", "text": "a man is coming"},
    perform=_answer,
    target=lambda args: f"an answer to {args.note}",
    identity=("note", "text"),
    references={"note": "pin_note"},
    owned=("note",),
    compensate=lambda args, key: CounterCall(tool="take_answer_back", args={"answer_key": key, "note": args.note}),
)
TAKE_BACK: CounterTool[Any] = dataclasses.replace(UNPIN, name="take_answer_back", args=TakeBackArgs)
ANSWER_AGAIN = dataclasses.replace(
    ANSWER, name="answer_again", references={"note": "answer_note"}, about="Hang an answer on an answer."
)
SHOUT = dataclasses.replace(
    PIN,
    name="shout_note",
    about="Read a note out in the yard.",
    tool_class="irreversible",
    find=None,
    person_answers="Whoever was in the yard has heard it.",
    grade="key",
    compensate=None,
    gate="A shout cannot be corrected.",
)


SIREN = dataclasses.replace(
    SHOUT, name="sound_siren", about="Sound the siren.", at_once=True, find=_find, grade="key_and_lookup"
)


def kit(
    pin: Tool[Any] = PIN,
    unpin: CounterTool[Any] = UNPIN,
    more: Sequence[Tool[Any] | CounterTool[Any]] = (),
    open_world: Callable[[], AbstractAsyncContextManager[World]] = boarded,
) -> Kit:
    """The kit of a caretaker whose tools are these."""
    tools = [pin, *(each for each in more if isinstance(each, Tool))]
    counters = [unpin, *(each for each in more if isinstance(each, CounterTool))]
    caretaker = Agent(
        name="caretaker",
        request=NoteArgs,
        tools=tuple(each.name for each in tools),
        brief=lambda request: f"Pin the note: {request.text}",
        subject=lambda request: request.text,
        pivot="There is none: a note can be taken down.",
        why_no_earlier="Nothing waits.",
        paged="The caretaker.",
    )
    registry = Registry(tools=tools, counters=counters, agents=[caretaker])
    return Kit(registry=registry, open_world=open_world, requests={"caretaker": {"text": "the lift is broken"}})


good = kit()
by_words = kit(dataclasses.replace(PIN, perform=_pin_by_words))
keyless = partial(boarded, honours_keys=False)
LOOK_AND_PIN = dataclasses.replace(PIN, perform=_look_and_pin, grade="lookup")
looking = kit(LOOK_AND_PIN, open_world=keyless)
blind_eye = kit(dataclasses.replace(PIN, find=_find_or_nothing, grade="lookup"), open_world=keyless)
shrug = kit(unpin=dataclasses.replace(UNPIN, perform=_shrug))
answering = kit(more=[ANSWER, TAKE_BACK])
wrong_one = kit(more=[ANSWER, dataclasses.replace(TAKE_BACK, perform=_take_note)])
shouting = kit(more=[SHOUT])
sounding = kit(more=[SIREN])
unseen = kit(dataclasses.replace(PIN, find=None, person_answers="Go and see whether it hangs.", grade="key"))
