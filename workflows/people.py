"""What waits for a person, and what people have said about single steps."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Literal

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from saga.decision import Resolution, StepOrder
    from saga.errors import BadInput
    from saga.log import Log
    from saga.outcome import Problem, Receipt
    from saga.row import Row
    from saga.word import Half, Said, Waiver
    from workflows.need import Kind, Need, how_to_settle
    from workflows.options import NEED_NOTED

_Place = tuple[int, Half]


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
        """Until a person resolved, waived or asked to try again.

        It starts a timer, so that the workflow task which opens the need leaves an event: one that leaves none is
        played together with the next one in a replay, where the answer would come before anything waits for it.
        """
        place = (row.step_idx, half)
        self._open[place] = Need(
            step_idx=row.step_idx, half=half, kind=kind, what=what, how=how_to_settle(row, half, kind)
        )
        self._again.discard(place)
        self._changed()
        answered = False
        while not answered:
            with suppress(TimeoutError):
                await workflow.wait_condition(
                    lambda: self._answered(place, kind),
                    timeout=NEED_NOTED if row.facts.rules >= 1 else None,
                    timeout_summary=f"a person was asked about step {row.step_idx}",
                )
                answered = True
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
        row, at = self._heard("resolve", order), workflow.now()
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
        # Told to the server by whoever waits: a command of a handler's own is played in another order by a replay where
        # the workflow task before left none.
        row = self._log.put(self._heard("retry", order))
        place: _Place = (order.step_idx, order.half)
        self._again.add(place)
        if self._open[place].kind == "commit_failed":
            row = self._put(self._log.retry(row, workflow.now()).hear(row.said[-1]))
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
        return self._put(self._heard("waive", order).waive(waiver, at))

    def _heard(self, what: Literal["resolve", "retry", "waive"], order: StepOrder | Resolution) -> Row:
        """The row, with what this person says of it."""
        happened = order.happened if isinstance(order, Resolution) else None
        said = Said(what=what, half=order.half, by=order.by, at=workflow.now(), note=order.note, happened=happened)
        return self._row(order.step_idx).hear(said)

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

    def _answered(self, place: _Place, kind: Kind) -> bool:
        """Somebody asked to try again, or nothing is open any more."""
        step_idx, half = place
        row = self._log[step_idx]
        if place in self._again or row.waived:
            return True
        return kind not in ("commit_failed", "review") and not self._is_open(row, half)


def problem_text(problem: Problem | None) -> str:
    """An error in one line."""
    return f"{problem.code}: {problem.message}" if problem else ""
