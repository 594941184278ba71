"""Between model and run: what a model says, what the doors make of it, and what it is answered."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Literal

from pydantic import Field, JsonValue

from saga.draft import Draft
from saga.outcome import Problem
from saga.record import Json, Record
from saga.row import Row

WORDS_KEPT = 200
"""Characters that are left of an old turn's words."""
TRANSCRIPT_LIMIT = 250_000
"""Bytes of a transcript as a query answers it; the server's wall is at 2 MB, and no model reads more with profit."""

Outcome = Literal["confirmed", "refused", "queued", "unknown", "repeated", "invalid", "denied"]


class ProposedCall(Record):
    """One call as the model wrote it. `args` may be anything: broken JSON arrives as text."""

    call_id: str
    tool: str
    args: JsonValue


class Told(Record):
    """The answer to one call."""

    call_id: str
    outcome: Outcome
    step_idx: int | None = None
    external_ref: str | None = None
    result: Json | None = None
    error: Problem | None = None


class Turn(Record):
    """One answer of the model, with what each call was told; `note` is what a reviewer wrote when sending back."""

    turn: int
    text: str
    calls: tuple[ProposedCall, ...] = ()
    told: tuple[Told, ...] = ()
    note: str = ""


class DraftItem(Record):
    """A call with effects that fits its tool, with the tool's facts."""

    kind: Literal["draft"] = "draft"
    call_id: str
    draft: Draft


class ReadItem(Record):
    """A pure call that fits; `quick`: it needs no credential and runs beside the workflow."""

    kind: Literal["read"] = "read"
    call_id: str
    tool: str
    args: Json
    quick: bool


class ReviewItem(Record):
    """The model asks for a person."""

    kind: Literal["review"] = "review"
    call_id: str
    reason: str


class NoItem(Record):
    """A call that is not dispatched."""

    kind: Literal["no"] = "no"
    call_id: str
    outcome: Literal["invalid", "denied"]
    error: Problem


Item = Annotated[DraftItem | ReadItem | ReviewItem | NoItem, Field(discriminator="kind")]


class Proposed(Record):
    """What the `propose` door returns: the turn, call by call. `calls` and `items` run side by side."""

    text: str
    calls: tuple[ProposedCall, ...] = ()
    items: tuple[Item, ...] = ()


def told_of(call_id: str, row: Row) -> Told:
    """The answer that a row gives. What nobody knows is told as unknown, never as a failure."""
    outcomes: dict[str, Outcome] = {
        "CONFIRMED": "confirmed",
        "QUEUED": "queued",
        "UNKNOWN": "unknown",
        "INTENDED": "unknown",
    }
    return Told(
        call_id=call_id,
        outcome="unknown" if row.waived else outcomes.get(row.status, "refused"),
        step_idx=row.step_idx,
        external_ref=row.external_ref,
        result=row.result,
        error=row.error,
    )


def shortened(turns: Iterable[Turn]) -> tuple[Turn, ...]:
    """The turns as a model is given them, never more than TRANSCRIPT_LIMIT bytes, by one rule.

    While the whole is larger, the oldest turns lose, one turn after the other: first the results they were told, then
    the arguments, then all but the beginning of the words; what is still too long begins later. Outcomes, steps and
    references stay as long as the turn does.
    """
    kept = list(turns)
    sizes = [_size(turn) for turn in kept]
    for lose in (_without_results, _without_args, _without_words):
        for place, turn in enumerate(kept):
            if sum(sizes) <= TRANSCRIPT_LIMIT:
                return tuple(kept)
            kept[place] = lose(turn)
            sizes[place] = _size(kept[place])
    while sum(sizes) > TRANSCRIPT_LIMIT:
        del kept[0], sizes[0]
    return tuple(kept)


def _size(turn: Turn) -> int:
    return len(turn.model_dump_json())


def _without_results(turn: Turn) -> Turn:
    return turn.model_copy(update={"told": tuple(told.model_copy(update={"result": None}) for told in turn.told)})


def _without_args(turn: Turn) -> Turn:
    return turn.model_copy(update={"calls": tuple(call.model_copy(update={"args": None}) for call in turn.calls)})


def _without_words(turn: Turn) -> Turn:
    return turn.model_copy(update={"text": turn.text[:WORDS_KEPT]})
