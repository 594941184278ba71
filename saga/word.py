"""The word of a person on a row: an approval, a waiver, and what was said of a half that waited for somebody."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from saga.record import Record

Half = Literal["call", "compensation"]


class Approval(Record):
    """Who let exactly this call run, when, and the digest of what was shown.

    `gate`: the call was approved by itself, at a gate; the pivot is another matter.
    """

    by: str
    at: datetime
    digest: str
    gate: bool = False


class Waiver(Record):
    """Who took responsibility for leaving a half open, and why."""

    by: str
    at: datetime
    note: str


class Said(Record):
    """What a person said of a half that waited for somebody, and why."""

    what: Literal["resolve", "retry", "waive"]
    half: Half
    by: str
    at: datetime
    note: str = ""
    happened: bool | None = None
    """Of a `resolve`: whether it did."""
