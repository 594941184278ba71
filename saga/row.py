"""The row: the record of one step, written before its call.

Frozen; it moves by methods that refuse an illegal state.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from saga.draft import Audience, Facts, ToolClass
from saga.errors import IllegalTransition
from saga.keys import compensation_key
from saga.outcome import Problem, Receipt
from saga.record import Json, Record
from saga.word import Approval, Half, Said, Waiver

Status = Literal[
    "QUEUED",
    "INTENDED",
    "CONFIRMED",
    "FAILED",
    "UNKNOWN",
    "NOT_EXECUTED",
    "CANCELLED",
    "COMPENSATION_REQUESTED",
    "COMPENSATED",
    "COMPENSATION_FAILED",
]
HalfStatus = Literal["INTENDED", "UNKNOWN", "PENDING", "CONFIRMED", "FAILED", "NOT_EXECUTED"]

TRANSITIONS: dict[str, tuple[str, ...]] = {
    "QUEUED": ("INTENDED", "CANCELLED"),
    "INTENDED": ("CONFIRMED", "FAILED", "UNKNOWN"),
    "UNKNOWN": ("CONFIRMED", "FAILED", "NOT_EXECUTED"),
    "NOT_EXECUTED": ("INTENDED",),
    "FAILED": (),
    "CANCELLED": (),
    "CONFIRMED": ("COMPENSATION_REQUESTED",),
    "COMPENSATION_REQUESTED": ("COMPENSATED", "COMPENSATION_FAILED"),
    "COMPENSATION_FAILED": ("COMPENSATION_REQUESTED", "COMPENSATED"),
    "COMPENSATED": ("COMPENSATION_FAILED",),  # a refund that failed days after it succeeded
}
UNSETTLED = ("INTENDED", "UNKNOWN", "COMPENSATION_REQUESTED", "COMPENSATION_FAILED")

MAX_TRIES = 3
"""A call found not to have happened is sent again under the same key at most twice."""

HALF_TRANSITIONS: dict[str | None, tuple[str, ...]] = {
    None: ("INTENDED",),
    "INTENDED": ("UNKNOWN", "PENDING", "CONFIRMED", "FAILED"),
    "UNKNOWN": ("PENDING", "CONFIRMED", "FAILED", "NOT_EXECUTED"),
    "PENDING": ("CONFIRMED", "FAILED", "UNKNOWN"),
    "NOT_EXECUTED": ("INTENDED", "FAILED"),
    "FAILED": ("INTENDED", "CONFIRMED"),
    "CONFIRMED": ("FAILED",),
}
_ROW_OF_HALF: dict[str, Status] = {
    "INTENDED": "COMPENSATION_REQUESTED",
    "UNKNOWN": "COMPENSATION_REQUESTED",
    "PENDING": "COMPENSATION_REQUESTED",
    "NOT_EXECUTED": "COMPENSATION_REQUESTED",
    "CONFIRMED": "COMPENSATED",
    "FAILED": "COMPENSATION_FAILED",
}


class Repeat(Record):
    """A later call that was found to be this step."""

    turn: int
    args: Json


class CounterAction(Record):
    """The other half of a row, or its correction: written before the call, `args` pointing at the forward key."""

    tool: str
    args: Json
    idempotency_key: str
    status: HalfStatus | None = None
    external_ref: str | None = None
    result: Json | None = None
    """What the provider said of it; of money: what was taken, what went back, what it kept, and why."""
    error: Problem | None = None
    attempts: int = 0
    approved_by: Approval | None = None
    tries: int = 0
    """INTENDED how often, under whatever key."""
    begun_at: datetime | None = None
    """When this key was first used."""
    key_no: int = 1
    """Which key this is: a try after one that the provider remembers as an error has its own."""


class Row(Record):
    """One step. Every field of the contract, in its order."""

    run_id: str
    step_idx: int
    tool: str
    tool_class: ToolClass
    target: str
    idempotency_key: str
    args: Json
    status: Status
    external_ref: str | None = None
    result: Json | None = None
    error: Problem | None = None
    compensation: CounterAction | None = None
    correction: CounterAction | None = None
    audience: tuple[Audience, ...] = ()
    depends_on: tuple[int, ...] = ()
    attempts: int = 0
    approved_by: Approval | None = None
    repeats: tuple[Repeat, ...] = ()
    waived: Waiver | None = None
    execution: str
    facts: Facts
    created_at: datetime
    updated_at: datetime
    how: str = ""
    """How the last state was found out, in words: answered, replayed, found by lookup, said by a person."""
    holds_until: datetime | None = None
    begun_at: datetime | None = None
    """When its key was first used: it became INTENDED."""
    tries: int = 1
    """INTENDED how often; at most three (twice again after NOT_EXECUTED)."""
    doubted: bool = False
    """It was UNKNOWN at some time."""
    staged_by: int | None = None
    """For a commit half: the index of its staged half."""
    said: tuple[Said, ...] = ()
    """Everything that people said of it, in order."""

    @property
    def settled(self) -> bool:
        """Neither half is open, or a person waived the one that is."""
        return self.waived is not None or self.status not in UNSETTLED

    @property
    def undo_status(self) -> HalfStatus | None:
        """How far the counter-action is; None where it was not asked for, or there is none."""
        return self.compensation.status if self.compensation else None

    @property
    def stands(self) -> bool:
        """The effect is in the world as far as this row knows, and nobody has begun to undo it."""
        return self.status == "CONFIRMED"

    @property
    def behind_pivot(self) -> bool:
        """What let it run was the approval of the whole, after which the run only goes forward."""
        return self.approved_by is not None and not self.approved_by.gate

    def key_forgotten(self, half: Half, at: datetime) -> bool:
        """The provider may have forgotten that half's key by then: what was sent under it is never sent again."""
        handling, since = self.facts.handling, self.begun_at or self.created_at
        if half == "compensation":
            undo = self.compensation
            handling, since = self.facts.undo or handling, (undo and undo.begun_at) or at
        return handling.key_life_s is not None and (at - since).total_seconds() > handling.key_life_s

    @property
    def old(self) -> bool:
        """A call that is this step again must not run: it is under way, waiting, done, or not yet undone."""
        return self.status not in ("FAILED", "NOT_EXECUTED", "CANCELLED", "COMPENSATED")

    def move(self, to: Status, at: datetime, **changes: Any) -> Row:
        """The row in state `to`; IllegalTransition where the log does not allow it."""
        if to not in TRANSITIONS[self.status]:
            raise IllegalTransition(self.step_idx, self.status, to)
        doubted = self.doubted or to == "UNKNOWN"
        begun_at = self.begun_at or (at if to == "INTENDED" else None)
        return self.model_copy(
            update={"status": to, "updated_at": at, "doubted": doubted, "begun_at": begun_at, **changes}
        )

    def confirm(self, receipt: Receipt, at: datetime, *, how: str, attempts: int = 0) -> Row:
        """The effect is there."""
        return self.move(
            "CONFIRMED",
            at,
            external_ref=receipt.external_ref,
            result=receipt.result,
            holds_until=receipt.holds_until,
            error=None,
            attempts=self.attempts + attempts,
            how=how,
        )

    def again(self, at: datetime) -> Row:
        """NOT_EXECUTED → INTENDED under the same key, at most twice."""
        if self.status != "NOT_EXECUTED" or self.tries >= MAX_TRIES:
            raise IllegalTransition(self.step_idx, f"{self.status} at try {self.tries}", "INTENDED")
        return self.move("INTENDED", at, tries=self.tries + 1, error=None)

    def move_undo(self, to: HalfStatus, at: datetime, **changes: Any) -> Row:
        """The row with its counter-action in state `to`; the row's own status follows from it."""
        half = self.compensation
        if half is None or to not in HALF_TRANSITIONS[half.status]:
            raise IllegalTransition(self.step_idx, f"compensation {half and half.status}", to)
        if to == "INTENDED":
            changes = {"tries": half.tries + 1, "begun_at": half.begun_at or at, **changes}
        moved = half.model_copy(update={"status": to, **changes})
        row = self.model_copy(update={"compensation": moved, "updated_at": at})
        status = _ROW_OF_HALF[to]
        return row if row.status == status else row.move(status, at)

    def undone(self, receipt: Receipt, at: datetime) -> Row:
        """The counter-action is done, as a lookup found; what was said of it before stands where that says nothing."""
        said = receipt.result or (self.compensation.result if self.compensation else None)
        return self.move_undo("CONFIRMED", at, external_ref=receipt.external_ref, result=said or None, error=None)

    def undo_again(self, at: datetime) -> Row:
        """A new try of a counter-action, under a key of its own, after proof that the one before had no effect."""
        key_no = (self.compensation.key_no if self.compensation else 0) + 1
        key = compensation_key(self.run_id, self.step_idx, self.tool, key_no)
        return self.move_undo("INTENDED", at, idempotency_key=key, key_no=key_no, begun_at=at, error=None, result=None)

    def waive(self, waiver: Waiver, at: datetime) -> Row:
        """Settled by a person's word, without knowing."""
        return self.model_copy(update={"waived": waiver, "updated_at": at})

    def hear(self, said: Said) -> Row:
        """Noted: a person said something of it."""
        return self.model_copy(update={"said": (*self.said, said)})

    def standing_on(self, step_idx: int, *, instead_of: int | None = None) -> Row:
        """The row as one that depends on that step too, or instead of another."""
        needs = tuple(sorted({*self.depends_on, step_idx} - {instead_of}))
        return self.model_copy(update={"depends_on": needs})

    def repeat(self, repeat: Repeat, at: datetime) -> Row:
        """Noted: the model asked for this step again."""
        return self.model_copy(update={"repeats": (*self.repeats, repeat), "updated_at": at})
