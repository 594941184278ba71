"""Running the halves of a step: sends, hears the answer or its absence, and finds out. Decides nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from temporalio import workflow
from temporalio.exceptions import ActivityError, ApplicationError, ChildWorkflowError
from temporalio.exceptions import TimeoutError as TemporalTimeout
from temporalio.workflow import ActivityCancellationType, ParentClosePolicy

with workflow.unsafe.imports_passed_through():
    from activities.perform import Perform
    from activities.pulse import Trail
    from activities.sending import NOT_SENT, UNANSWERED
    from compensations.door import Compensate
    from saga.doors import ReconcileOrder
    from saga.draft import Handling
    from saga.log import Log
    from saga.outcome import Answer, Finding, Problem
    from saga.row import Half, Row
    from workflows.options import HEARTBEAT, SEND_RETRY, TOOLS
    from workflows.orders import Orders, summary
    from workflows.people import People, problem_text
    from workflows.reconcile import Reconcile


class Halves:
    """The calls and counter-actions of one run, and the reconcilers that ask after them."""

    def __init__(self, log: Log, people: People, orders: Orders, changed: Callable[[], None]) -> None:
        """`changed` is called after every change of a row."""
        self._log, self._people, self._orders, self._changed = log, people, orders, changed
        self._underway: dict[tuple[int, Half], workflow.ActivityHandle[Answer]] = {}
        self._settling: dict[int, asyncio.Task[Row]] = {}
        self._asking = 0
        self.forward = True
        """False once the run has turned round: nothing more is sent forward."""

    @property
    def busy(self) -> bool:
        """Something is being sent or found out."""
        return bool(self._underway) or self._asking > 0

    def cancel_underway(self) -> None:
        """Let the attempts that run end, and have Temporal start no further one."""
        for half, handle in self._underway.items():
            if half[1] == "call":  # the unwind itself cannot be cancelled
                handle.cancel()

    async def call(self, idx: int) -> Row:
        """INTENDED → CONFIRMED, FAILED or UNKNOWN."""
        row = self._log[idx]
        try:
            answer = await self._send(row, "call", row.facts.handling)
        except (ActivityError, asyncio.CancelledError) as error:
            problem, attempts = _silence(error)
            row = self._log[idx]  # a later step may have said that this one refers to it
            to = "FAILED" if problem.code == "not_sent" else "UNKNOWN"
            return self._put(row.move(to, workflow.now(), error=problem, attempts=row.attempts + attempts))
        row, at = self._log[idx], workflow.now()
        receipt, attempts = answer.receipt, row.attempts + answer.attempts
        if answer.kind == "confirmed" and receipt and not receipt.pending:
            return self._put(row.confirm(receipt, at, how=answer.how, attempts=answer.attempts))
        to = "FAILED" if answer.kind == "refused" else "UNKNOWN"
        problem = answer.error or Problem(code="pending", message="accepted, and not yet confirmed")
        return self._put(row.move(to, at, error=problem, attempts=attempts, how=answer.how))

    def settling(self, idx: int) -> asyncio.Task[Row]:
        """That call being found out about: one finding out, however many wait for it."""
        task = self._settling.get(idx)
        if task is None or task.done():
            task = self._settling[idx] = asyncio.create_task(self._settle_call(idx))
        return task

    async def _settle_call(self, idx: int) -> Row:
        """UNKNOWN → CONFIRMED, NOT_EXECUTED or FAILED, however long it takes; or a person waives it."""
        while (row := self._log[idx]).status == "UNKNOWN" and not row.waived:
            finding = await self._find_out(row, "call")
            row = self._log[idx]
            if row.status != "UNKNOWN" or row.waived:
                break  # a person was faster
            at = workflow.now()
            if finding.kind == "found" and finding.receipt and (finding.standing or not self.forward):
                self._put(row.confirm(finding.receipt, at, how="found by lookup"))
            elif finding.kind == "failed":
                self._put(row.move("FAILED", at, how="found by lookup, failed"))
            elif finding.kind == "absent":
                remembered = row.error is not None and row.error.code == "remembered"
                to = "FAILED" if remembered else "NOT_EXECUTED"
                self._put(row.move(to, at, how="looked for, not there"))
            else:
                await self._ask_person(row, "call", finding)
        return self._log[idx]

    async def undo(self, idx: int) -> Row:
        """The counter-action: INTENDED → CONFIRMED, PENDING, FAILED or UNKNOWN."""
        row = self._log[idx]
        assert row.compensation is not None  # noqa: S101 - the order of undoing says so
        assert row.facts.undo is not None  # noqa: S101 - written with the counter-action
        tries = row.compensation.attempts
        try:
            answer = await self._send(row, "compensation", row.facts.undo)
        except (ActivityError, asyncio.CancelledError) as error:
            problem, attempts = _silence(error)
            to = "FAILED" if problem.code == "not_sent" else "UNKNOWN"
            return self._put(row.move_undo(to, workflow.now(), error=problem, attempts=tries + attempts))
        receipt = answer.receipt
        if answer.kind == "confirmed" and receipt:
            to = "PENDING" if receipt.pending else "CONFIRMED"
        else:
            to = "FAILED" if answer.kind == "refused" else "UNKNOWN"
        moved = row.move_undo(
            to,
            workflow.now(),
            external_ref=receipt.external_ref if receipt else None,
            result=receipt.result or None if receipt else None,
            error=answer.error,
            attempts=tries + answer.attempts,
        )
        return self._put(moved)

    async def settle_undo(self, idx: int) -> Row:
        """UNKNOWN or PENDING → CONFIRMED, FAILED or NOT_EXECUTED, however long it takes; or a person waives it."""
        while (status := self._log[idx].undo_status) in ("UNKNOWN", "PENDING") and not self._log[idx].waived:
            finding = await self._find_out(self._log[idx], "compensation")
            row = self._log[idx]
            if row.undo_status != status or row.waived:
                break
            at, receipt = workflow.now(), finding.receipt
            if finding.kind == "found" and receipt:
                self._put(row.undone(receipt, at))
            elif finding.kind == "failed":
                problem = Problem(code="failed_later", message="accepted, and failed afterwards")
                self._put(row.move_undo("FAILED", at, error=problem))
            elif finding.kind == "absent":
                row = row if status == "UNKNOWN" else row.move_undo("UNKNOWN", at)
                self._put(row.move_undo("NOT_EXECUTED", at))
            else:
                await self._ask_person(row, "compensation", finding)
        return self._log[idx]

    async def _send(self, row: Row, half: Half, handling: Handling) -> Answer:
        order, pace = self._orders.send(row, half), handling.pace
        door: Any = Perform.perform if half == "call" else Compensate.compensate
        handle = workflow.start_activity_method(
            door,
            order,
            task_queue=TOOLS,
            start_to_close_timeout=timedelta(seconds=pace.attempt_s),
            schedule_to_close_timeout=timedelta(seconds=pace.patience_s),
            heartbeat_timeout=HEARTBEAT,
            retry_policy=SEND_RETRY,
            cancellation_type=ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
            summary=summary(row, half),
        )
        self._underway[row.step_idx, half] = handle
        try:
            return await handle
        finally:
            del self._underway[row.step_idx, half]

    async def _find_out(self, row: Row, half: Half) -> Finding:
        """Ask through a child that only reads, unless a person settles it first."""
        if half == "call" and row.error is not None and row.error.code == "foreign_execution":
            return Finding(kind="foreign", note=problem_text(row.error))
        order = ReconcileOrder(look=self._orders.find(row, half), since=row.updated_at)
        fresh = str(workflow.uuid4())[:8]  # a taken id raises, and a child cannot be attached to
        self._asking += 1
        try:
            child = await workflow.start_child_workflow(
                Reconcile.run,
                order,
                id=f"{row.run_id}/reconcile/{row.step_idx}/{fresh}",
                parent_close_policy=ParentClosePolicy.TERMINATE,
                static_summary=f"did it happen? {summary(row, half)}",
            )
            await workflow.wait_condition(lambda: child.done() or not _open(self._log[row.step_idx], half))
            if not child.done():
                child.cancel()
                return Finding(kind="undecided", note="a person was faster")
            return await child
        except ChildWorkflowError as error:
            return Finding(kind="undecided", note=f"the reconciler ended without a word: {error.cause}"[:300])
        finally:
            self._asking -= 1

    async def _ask_person(self, row: Row, half: Half, finding: Finding) -> None:
        kind = {"two": "two_found", "foreign": "foreign_execution"}.get(finding.kind, "unknown")
        undone = f"{', '.join(finding.refs)} happened, and somebody undid it since" if finding.kind == "found" else ""
        what = finding.note or undone or "nobody can say whether it happened"
        await self._people.wait_for(row, half, kind, what)  # type: ignore[arg-type]

    def _put(self, row: Row) -> Row:
        self._log.put(row)
        self._changed()
        return row


def _open(row: Row, half: Half) -> bool:
    if row.waived:
        return False
    return row.status == "UNKNOWN" if half == "call" else row.undo_status in ("UNKNOWN", "PENDING")


def _silence(error: BaseException) -> tuple[Problem, int]:
    """What an activity that gave no answer leaves: a problem, and how many requests may have been sent."""
    cause = error.cause if isinstance(error, ActivityError) else error
    if isinstance(cause, ApplicationError):
        if cause.type == NOT_SENT:
            return Problem(code="not_sent", message=cause.message), 0
        if cause.type == UNANSWERED and len(cause.details) == 2:
            return Problem(code=str(cause.details[1]), message=cause.message), int(cause.details[0])
        return Problem(code="no_answer", message=cause.message[:300]), 1
    if isinstance(cause, TemporalTimeout):
        details = list(cause.last_heartbeat_details)
        trail = Trail.model_validate(details[0]) if details else Trail(attempt=1)
        return Problem(code="no_answer", message="the worker fell silent"), max(1, trail.attempt - trail.clean_upto)
    return Problem(code="no_answer", message="cancelled while under way"), 1
