"""What comes back through the doors: a receipt, a sighting, an answer, a finding."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from saga.record import Json, Record

How = Literal["answered", "replayed", "looked_up"]
"""How an answer came: to the first request, to a repeated one, or from a lookup before sending."""


class Problem(Record):
    """An error as it is kept: short, clean, with the provider's code where it has one."""

    code: str
    message: str


class Receipt(Record):
    """A provider's answer that counts: the effect is there (or, `pending`, accepted and not yet confirmed).

    `result` is small (it stays in history and goes to the model); `execution` is the owner the effect itself names.
    """

    external_ref: str
    result: Json = Field(default_factory=dict)
    pending: bool = False
    execution: str | None = None
    holds_until: datetime | None = None
    """When the provider lets go of it by itself (an authorisation, a reservation)."""
    found: bool = False
    """It was there before this request, which sent nothing: a tool that looks before it writes."""


class Sighting(Record):
    """One effect that carries our key, as a lookup saw it in the world."""

    external_ref: str
    state: Literal["standing", "undone", "pending", "failed"]
    result: Json = Field(default_factory=dict)
    execution: str | None = None
    holds_until: datetime | None = None

    def receipt(self) -> Receipt:
        """What the provider would have answered, had the answer arrived."""
        return Receipt(
            external_ref=self.external_ref,
            result=self.result,
            pending=self.state == "pending",
            execution=self.execution,
            holds_until=self.holds_until,
        )


class Answer(Record):
    """What an activity that sends returns. It returns only with an answer: one that has none raises."""

    kind: Literal["confirmed", "refused", "foreign"]
    attempts: int
    """Requests that may have been sent by this activity, all its attempts together."""
    receipt: Receipt | None = None
    error: Problem | None = None
    remembered: bool = False
    """The provider will repeat this refusal under this key for ever."""
    how: How = "answered"


class Finding(Record):
    """What a lookup by key says of one half.

    `absent` is only what this look saw; whether that proves anything is a matter of the clock, and the reconciler's.
    `undecided`: the hard limit passed, a person must look.
    """

    kind: Literal["found", "absent", "two", "pending", "failed", "foreign", "undecided"]
    receipt: Receipt | None = None
    standing: bool = False
    """Found, and nobody has undone it."""
    refs: tuple[str, ...] = ()
    note: str = ""
