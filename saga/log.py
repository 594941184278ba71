"""The saga log: one row per step, written before its call; the only source of what happened.

The transcript is never read for this. A row is frozen; it moves by methods that refuse an illegal state.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any, Literal

from saga.draft import Audience, Draft, Facts, ToolClass
from saga.errors import IllegalTransition
from saga.keys import compensation_key, correction_key, step_key
from saga.outcome import Problem, Receipt
from saga.record import Json, Record

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
Half = Literal["call", "compensation"]

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


class Approval(Record):
    """Who let exactly this call run, when, and the digest of what was shown."""

    by: str
    at: datetime
    digest: str


class Waiver(Record):
    """Who took responsibility for leaving a half open, and why."""

    by: str
    at: datetime
    note: str


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
    error: Problem | None = None
    attempts: int = 0
    approved_by: Approval | None = None


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
    tries: int = 1
    """INTENDED how often; at most three (twice again after NOT_EXECUTED)."""
    doubted: bool = False
    """It was UNKNOWN at some time."""
    staged_by: int | None = None
    """For a commit half: the index of its staged half."""

    @property
    def settled(self) -> bool:
        """Neither half is open, or a person waived the one that is."""
        return self.waived is not None or self.status not in UNSETTLED

    @property
    def stands(self) -> bool:
        """The effect is in the world as far as this row knows, and nobody has begun to undo it."""
        return self.status == "CONFIRMED"

    @property
    def old(self) -> bool:
        """A call that is this step again must not run: it is under way, waiting, done, or nobody knows."""
        return self.status in ("QUEUED", "INTENDED", "UNKNOWN", "CONFIRMED")

    def move(self, to: Status, at: datetime, **changes: Any) -> Row:
        """The row in state `to`; IllegalTransition where the log does not allow it."""
        if to not in TRANSITIONS[self.status]:
            raise IllegalTransition(self.step_idx, self.status, to)
        doubted = self.doubted or to == "UNKNOWN"
        return self.model_copy(update={"status": to, "updated_at": at, "doubted": doubted, **changes})

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
        """NOT_EXECUTED → INTENDED under the same key."""
        return self.move("INTENDED", at, tries=self.tries + 1, error=None)

    def move_undo(self, to: HalfStatus, at: datetime, **changes: Any) -> Row:
        """The row with its counter-action in state `to`; the row's own status follows from it."""
        half = self.compensation
        if half is None or to not in HALF_TRANSITIONS[half.status]:
            raise IllegalTransition(self.step_idx, f"compensation {half and half.status}", to)
        moved = half.model_copy(update={"status": to, **changes})
        row = self.model_copy(update={"compensation": moved, "updated_at": at})
        status = _ROW_OF_HALF[to]
        return row if row.status == status else row.move(status, at)

    def undo_again(self, attempt: int, at: datetime) -> Row:
        """A new try of a counter-action, under a key of its own, after proof that the one before had no effect."""
        key = compensation_key(self.run_id, self.step_idx, self.tool, attempt)
        return self.move_undo("INTENDED", at, idempotency_key=key, error=None)

    def waive(self, waiver: Waiver, at: datetime) -> Row:
        """Settled by a person's word, without knowing."""
        return self.model_copy(update={"waived": waiver, "updated_at": at})

    def repeat(self, repeat: Repeat, at: datetime) -> Row:
        """Noted: the model asked for this step again."""
        return self.model_copy(update={"repeats": (*self.repeats, repeat), "updated_at": at})


class Log:
    """The rows of one run, in `step_idx` order."""

    def __init__(self, run_id: str, execution: str, rows: Iterable[Row] = ()) -> None:
        """`execution` is the first execution's run id: what is written on every effect."""
        self.run_id, self.execution = run_id, execution
        self._rows: list[Row] = list(rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, step_idx: int) -> Row:
        """The row of that step; IndexError where there is none."""
        if not 0 <= step_idx < len(self._rows):
            raise IndexError(f"no step {step_idx}")
        return self._rows[step_idx]

    def put(self, row: Row) -> Row:
        """Replace the row of that step by its moved self."""
        self._rows[row.step_idx] = row
        return row

    def write(
        self,
        draft: Draft,
        status: Literal["INTENDED", "QUEUED"],
        at: datetime,
        *,
        depends_on: tuple[int, ...] = (),
        approved_by: Approval | None = None,
        staged_by: int | None = None,
    ) -> Row:
        """The row of the next step, before anything is sent. Gives it its index and its keys."""
        idx, tool = len(self._rows), draft.tool
        key = step_key(self.run_id, idx, tool)
        undo, correction = draft.compensation, draft.correction
        found = {row.step_idx for row in self if row.external_ref and row.external_ref in draft.references}
        row = Row(
            run_id=self.run_id,
            step_idx=idx,
            tool=tool,
            tool_class=draft.tool_class,
            target=draft.target,
            idempotency_key=key,
            args=draft.args,
            status=status,
            compensation=undo
            and CounterAction(
                tool=undo.tool,
                args=undo.keyed(key).args,
                idempotency_key=compensation_key(self.run_id, idx, tool),
            ),
            correction=correction
            and CounterAction(
                tool=correction.tool,
                args=correction.keyed(key).args,
                idempotency_key=correction_key(self.run_id, idx, tool),
            ),
            audience=draft.audience,
            depends_on=tuple(sorted(found | set(depends_on))),
            approved_by=approved_by,
            execution=self.execution,
            facts=draft.facts,
            created_at=at,
            updated_at=at,
            staged_by=staged_by,
        )
        self._rows.append(row)
        return row

    def retry(self, row: Row, at: datetime) -> Row:
        """A new row, QUEUED, with the same frozen arguments as one that failed: a new try is a new, recorded step."""
        idx, old = len(self._rows), row.idempotency_key
        key = step_key(self.run_id, idx, row.tool)
        undo, correction = row.compensation, row.correction
        fresh = row.model_copy(
            update={
                "step_idx": idx,
                "idempotency_key": key,
                "status": "QUEUED",
                "error": None,
                "attempts": 0,
                "tries": 1,
                "how": "",
                "repeats": (),
                "approved_by": None,
                "created_at": at,
                "updated_at": at,
                "compensation": undo
                and CounterAction(
                    tool=undo.tool,
                    args=_repoint(undo.args, old, key),
                    idempotency_key=compensation_key(self.run_id, idx, row.tool),
                ),
                "correction": correction
                and CounterAction(
                    tool=correction.tool,
                    args=_repoint(correction.args, old, key),
                    idempotency_key=correction_key(self.run_id, idx, row.tool),
                ),
            }
        )
        self._rows.append(fresh)
        return fresh

    def unsettled(self) -> list[Row]:
        """The rows somebody still has to find out about, or to undo."""
        return [row for row in self if not row.settled]

    def queued(self) -> list[Row]:
        """The rows that wait behind the pivot."""
        return [row for row in self if row.status == "QUEUED"]

    def old_step(self, draft: Draft, *, answered_upto: int) -> Row | None:
        """The step that `draft` is, if it is an old one; decided without looking at its words.

        With an identity: the same identity. Without: a row of the tool that was UNKNOWN and whose settled answer the
        model has not been given yet (`answered_upto`: it knows of the rows below that index).
        """
        for row in reversed(self._rows):
            if row.tool != draft.tool or not row.old or row.staged_by is not None:
                continue
            if draft.facts.identity is None:
                if row.doubted and row.step_idx >= answered_upto:
                    return row
            elif row.facts.identity == draft.facts.identity:
                return row
        return None


def _repoint(args: Json, old: str, new: str) -> Json:
    """The same arguments, pointing at another forward key."""
    return {name: new if value == old else value for name, value in args.items()}
