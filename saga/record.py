"""The two kinds of record: what people type, and what we wrote ourselves."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, JsonValue

Json = dict[str, JsonValue]


class Record(BaseModel):
    """Written by us (rows, receipts, inputs of the doors).

    Frozen, and blind to fields it does not know: yesterday's history must decode tomorrow.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")


class Typed(BaseModel):
    """Typed by a person or a model: frozen, strict (no ``"1"`` for 1), and no unknown field passes."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)
