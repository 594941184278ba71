"""What a run hands to the doors: the row as it stands, what it stands on, and how far back to look."""

from __future__ import annotations

from datetime import datetime

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from saga.doors import FindOrder, SendOrder
    from saga.faults import Fault, aimed_at
    from saga.log import Log
    from saga.row import Half, Row
    from saga.tool import Upstream


class Orders:
    """Writes the orders of one run."""

    def __init__(self, log: Log) -> None:
        """`faults` are set once the run has been admitted."""
        self._log = log
        self.faults: tuple[Fault, ...] = ()

    def send(self, row: Row, half: Half) -> SendOrder:
        """To send that half."""
        info = workflow.info()
        return SendOrder(
            row=row,
            upstream=self._upstream(row),
            scheduled_in=info.run_id,
            after_reset=info.original_execution_run_id != info.run_id,
            since=_since(row),
            faults=aimed_at(self.faults, row, half, origin=self._origin(row)),
        )

    def find(self, row: Row, half: Half) -> FindOrder:
        """To look for that half."""
        return FindOrder(
            row=row,
            half=half,
            upstream=self._upstream(row),
            since=_since(row),
            faults=aimed_at(self.faults, row, half, origin=self._origin(row), look=True),
        )

    def _origin(self, row: Row) -> Row:
        return row if row.staged_by is None else self._log[row.staged_by]

    def _upstream(self, row: Row) -> tuple[Upstream, ...]:
        steps = (self._log[idx] for idx in row.depends_on)
        return tuple(
            Upstream(tool=step.tool, key=step.idempotency_key, external_ref=step.external_ref)
            for step in steps
            if step.external_ref is not None
        )


def summary(row: Row, half: Half) -> str:
    """A half in one line, as the Web UI shows it."""
    undo = row.compensation
    if half == "compensation" and undo:
        return f"undo step {row.step_idx}: {undo.tool} → {row.target} · key {undo.idempotency_key[:8]}"
    return f"step {row.step_idx}: {row.tool} → {row.target} · key {row.idempotency_key[:8]}"


def _since(row: Row) -> datetime:
    """Nothing that carries the row's keys is older than this.

    After a reset the row was written anew, and what the branch before it did is older than the row. Goes only into
    inputs of activities: a workflow that branched on it would not replay.
    """
    info = workflow.info()
    reset = info.original_execution_run_id != info.run_id
    return min(info.workflow_start_time, row.created_at) if reset else row.created_at
