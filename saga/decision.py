"""What a person may decide: the payloads, strictly typed, and the parsing that names what is wrong."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

from pydantic import Field, ValidationError

from saga.errors import BadInput
from saga.record import Typed
from saga.request import Who
from saga.word import Half

NOTE_LIMIT = 4_000
"""Characters of a note: it is kept in history and shown on a page."""

FIELD_LIMIT = 100
"""Characters of a field's name that are repeated: it may be anything that somebody typed."""

Note = Annotated[str, Field(max_length=NOTE_LIMIT)]
StepIdx = Annotated[int, Field(ge=0)]
Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]


class PivotSignal(Typed):
    """Payload of the signals `approve_pivot` and `reject_pivot`."""

    digest: Digest
    by: Who
    note: Note = ""
    strike: list[StepIdx] = Field(default_factory=list[StepIdx])


class PivotDecision(PivotSignal):
    """Payload of `decide_pivot`. `strike` goes only with `send_back`: commits to leave out."""

    decision: Literal["approve", "reject", "send_back"]


class GateDecision(Typed):
    """Payload of `decide_gate`: on one call that a person decides on by itself."""

    step_idx: StepIdx
    decision: Literal["approve", "reject"]
    digest: Digest
    by: Who
    note: Note = ""


class Resolution(Typed):
    """Payload of `resolve_step`: a person looked, and says whether it happened."""

    step_idx: StepIdx
    half: Half
    happened: bool
    external_ref: Annotated[str, Field(max_length=500)] | None = None
    by: Who
    note: Note = ""


class StepOrder(Typed):
    """Payload of `retry_step` and `waive_step`."""

    step_idx: StepIdx
    half: Half
    by: Who
    note: Note = ""


class CancelOrder(Typed):
    """Payload of `cancel_run`. `keep`: settled effects stay."""

    keep: bool = False
    by: Who
    note: Note = ""


class LogQuery(Typed):
    """Argument of the query `saga_log`."""

    after: Annotated[int, Field(ge=-1)] = -1
    limit: Annotated[int, Field(ge=1, le=500)] = 500


class TranscriptQuery(Typed):
    """Argument of the query `transcript`."""

    upto: Annotated[int, Field(ge=0)] | None = None


PayloadT = TypeVar("PayloadT", bound=Typed)


def parse(model: type[PayloadT], payload: Any) -> PayloadT:
    """The payload as its record; BadInput naming the first field that does not fit and what is allowed."""
    if not isinstance(payload, dict):
        raise BadInput("", f"expected one JSON object with {', '.join(model.model_fields)}")
    try:
        return model.model_validate(payload)
    except ValidationError as error:
        raise BadInput(*first_problem(error)) from None


def first_problem(error: ValidationError) -> tuple[str, str]:
    """(field, what is allowed) of the first thing that does not fit, without echoing what was typed."""
    first = error.errors(include_url=False, include_input=False)[0]
    return ".".join(str(part) for part in first["loc"])[:FIELD_LIMIT], first["msg"]
