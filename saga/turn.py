"""Between model and run: what a model says, what the doors make of it, and what it is answered."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from saga.draft import Draft
from saga.outcome import Problem
from saga.record import Json, Record

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
