"""What waits for a person, and what people have said about single steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from saga.decision import Resolution, StepOrder
    from saga.errors import BadInput
    from saga.log import Log
    from saga.outcome import Problem, Receipt
    from saga.record import Record
    from saga.row import Half, Row, Waiver

Kind = Literal[
    "unknown",
    "two_found",
    "undo_failed",
    "commit_failed",
    "gate",
    "correction",
    "review",
    "foreign_execution",
]


_Place = tuple[int, Half]


class Need(Record):
    """One thing that waits for a person: on which half of which step, what is wrong, and how to go on."""

    step_idx: int | None
    half: Half
    kind: Kind
    what: str
    how: str


class People:
    """Holds what waits, and applies what people say. Checks are in the `may_…` methods, which change nothing."""

    def __init__(self, log: Log, changed: Callable[[], None]) -> None:
        """`changed` is called after every change, so that the page and the search attributes follow."""
        self._log, self._changed = log, changed
        self._open: dict[_Place, Need] = {}
        self._again: set[_Place] = set()

    @property
    def needs(self) -> list[Need]:
        """What waits, in step order."""
        return [self._open[each] for each in sorted(self._open)]

    async def wait_for(self, row: Row, half: Half, kind: Kind, what: str) -> None:
        """Until a person resolved, waived or asked to try again."""
        place = (row.step_idx, half)
        self._open[place] = Need(step_idx=row.step_idx, half=half, kind=kind, what=what, how=_how(row, half, kind))
        self._again.discard(place)
        self._changed()
        await workflow.wait_condition(lambda: place in self._again or not self._stuck(row, half, kind))
        self._again.discard(place)
        self._open.pop(place, None)
        self._changed()

    def waits(self, step_idx: int) -> bool:
        """A person has this step now."""
        return any(idx == step_idx for idx, _ in self._open)

    def may_resolve(self, order: Resolution) -> None:
        """BadInput unless that half's outcome is open."""
        row = self._row(order.step_idx)
        if not self._is_open(row, order.half):
            raise BadInput("step_idx", f"step {row.step_idx} is {row.status}; its {order.half} is not open")
        if order.half == "compensation" and not order.happened and row.undo_status == "FAILED":
            raise BadInput("happened", "the undo is known to have failed; retry or waive it")
        if order.happened and order.half == "call" and not order.external_ref:
            raise BadInput("external_ref", "name what is there (ticket, payment, message)")

    def resolve(self, order: Resolution) -> Row:
        """Write down what the person found."""
        row, at = self._row(order.step_idx), workflow.now()
        how = f"{order.by} looked: {order.note}" if order.note else f"{order.by} looked"
        if order.half == "call":
            receipt = Receipt(external_ref=order.external_ref or "", result={"said_by": order.by})
            row = row.confirm(receipt, at, how=how) if order.happened else row.move("NOT_EXECUTED", at, how=how)
        elif order.happened:
            row = row.move_undo("CONFIRMED", at, external_ref=order.external_ref, error=None)
            row = row.model_copy(update={"how": how})
        else:
            if row.undo_status == "PENDING":
                row = row.move_undo("UNKNOWN", at)
            row = row.move_undo("NOT_EXECUTED", at).model_copy(update={"how": how})
        return self._put(row)

    def may_retry(self, order: StepOrder) -> None:
        """BadInput unless somebody was asked about that half and trying again makes sense."""
        row = self._row(order.step_idx)
        place: _Place = (order.step_idx, order.half)
        need = self._open.get(place)
        if need is None or row.waived:
            raise BadInput("step_idx", f"nothing waits for a person at step {row.step_idx}, {order.half}")
        if place in self._again:
            raise BadInput("step_idx", f"step {row.step_idx} is being tried again already")
        if need.kind == "review":
            raise BadInput("step_idx", "it is done, and nothing takes it back; waive it, with a word why")
        if need.kind == "foreign_execution":
            raise BadInput("step_idx", "the key belongs to another execution's effect; resolve or waive it")

    def retry(self, order: StepOrder) -> Row:
        """Let that half be looked at, or tried, again. A commit is tried as a new row, which is the answer."""
        row = self._row(order.step_idx)
        place: _Place = (order.step_idx, order.half)
        self._again.add(place)
        if self._open[place].kind == "commit_failed":
            row = self._log.retry(row, workflow.now())
            self._changed()
        return row

    def may_waive(self, order: StepOrder) -> None:
        """BadInput unless that half is open or somebody was asked about it."""
        row = self._row(order.step_idx)
        place: _Place = (order.step_idx, order.half)
        if row.waived or (place not in self._open and not self._is_open(row, order.half)):
            raise BadInput("step_idx", f"step {row.step_idx} is {row.status}; there is nothing to waive")
        if place in self._again:
            raise BadInput("step_idx", f"step {row.step_idx} is being tried again; waive it if that fails too")

    def waive(self, order: StepOrder) -> Row:
        """Settle it by the person's word."""
        at = workflow.now()
        waiver = Waiver(by=order.by, at=at, note=order.note)
        return self._put(self._row(order.step_idx).waive(waiver, at))

    def _row(self, step_idx: int) -> Row:
        try:
            return self._log[step_idx]
        except IndexError:
            raise BadInput("step_idx", f"there are steps 0 to {len(self._log) - 1}") from None

    def _put(self, row: Row) -> Row:
        self._log.put(row)
        self._changed()
        return row

    @staticmethod
    def _is_open(row: Row, half: Half) -> bool:
        if row.waived:
            return False
        if half == "call":
            return row.status == "UNKNOWN"
        return row.undo_status in ("UNKNOWN", "PENDING", "FAILED")

    def _stuck(self, was: Row, half: Half, kind: Kind) -> bool:
        row = self._log[was.step_idx]
        if row.waived:
            return False
        if kind in ("commit_failed", "review"):
            return True
        return self._is_open(row, half)


def problem_text(problem: Problem | None) -> str:
    """An error in one line."""
    return f"{problem.code}: {problem.message}" if problem else ""


def _how(row: Row, half: Half, kind: Kind) -> str:
    where = f"saga {{}} {row.run_id} {row.step_idx} --half {half} --by YOU"
    ask = f"{where.format('resolve')} --happened --ref REF | --did-not-happen"
    again, waive = where.format("retry"), where.format("waive") + " --note WHY"
    if kind == "undo_failed":
        return f"mend the cause, then {again} · or put it right by hand and {ask} · or {waive}"
    if kind == "commit_failed":
        return f"mend the cause, then {again} · or {waive}"
    if kind == "review":
        return f"tell whoever saw it, then {waive}"
    if kind == "foreign_execution":
        return f"look whose it is, then {ask} · or {waive}"
    return f"look in {row.facts.handling.system}, then {ask} · or look again: {again} · or {waive}"
