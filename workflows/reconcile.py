"""The `Reconcile` child: asks the real system until it can say whether one half happened. It only reads."""

from __future__ import annotations

from datetime import datetime, timedelta

from temporalio import workflow
from temporalio.exceptions import ActivityError

with workflow.unsafe.imports_passed_through():
    from activities.find import Find
    from saga.doors import ReconcileOrder
    from saga.outcome import Finding
    from workflows.options import (
        HEARTBEAT,
        LOOK_ATTEMPT,
        LOOK_LIMIT,
        LOOK_PAUSE,
        LOOK_RETRY,
        LOOKUPS,
        PENDING_LIMIT,
        PENDING_POLL,
    )


@workflow.defn(name="Reconcile")
class Reconcile:
    """Returns found, absent (only once the clock allows it), two, failed, foreign, or undecided at the hard limit."""

    @workflow.run
    async def run(self, order: ReconcileOrder) -> Finding:
        """Look at once; an empty look counts only if it began after the half's clock had passed."""
        row, half = order.look.row, order.look.half
        handling = row.facts.undo if half == "compensation" and row.facts.undo else row.facts.handling
        proves_from = order.since + timedelta(seconds=handling.clock_s)
        limit = proves_from + LOOK_LIMIT
        pause = LOOK_PAUSE
        while True:
            began = workflow.now()
            finding = await self._look(order, limit)
            if finding.kind == "pending":
                limit = order.since + PENDING_LIMIT
                wake = began + PENDING_POLL
            elif finding.kind != "absent" or began >= proves_from:
                return finding
            else:  # it may show at any moment: not only once its absence would prove something
                wake, pause = min(workflow.now() + pause, proves_from), pause * 2
            if workflow.now() >= limit:
                return Finding(kind="undecided", note=f"still {finding.kind} at the hard limit")
            await workflow.sleep(
                max(wake - workflow.now(), timedelta(milliseconds=1)),
                summary=f"{finding.kind}: look again at step {row.step_idx} {row.tool}",
            )

    async def _look(self, order: ReconcileOrder, limit: datetime) -> Finding:
        row = order.look.row
        left = max(limit - workflow.now(), timedelta(seconds=1))
        try:
            return await workflow.execute_activity_method(
                Find.find,
                order.look,
                task_queue=LOOKUPS,
                start_to_close_timeout=LOOK_ATTEMPT,
                heartbeat_timeout=HEARTBEAT,
                schedule_to_close_timeout=left,
                retry_policy=LOOK_RETRY,
                summary=f"step {row.step_idx}: is {row.target} there? key {row.idempotency_key[:8]}",
            )
        except ActivityError as error:
            cause = error.cause
            return Finding(kind="undecided", note=f"the lookup failed: {cause or error}"[:300])
