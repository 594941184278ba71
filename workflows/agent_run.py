"""`AgentRun`: one agent's run, from admission to its end.

Plan with the model; stop for one approval; commit forward, or bring everything back. Every verb is a method below;
what people may send stands in `desk`.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from datetime import timedelta
from typing import Any

from temporalio import workflow
from temporalio.exceptions import ActivityError, ApplicationError, ApplicationErrorCategory

with workflow.unsafe.imports_passed_through():
    from activities.admit import RUN_REFUSED, Admit
    from saga.doors import AdmitOrder
    from saga.log import Log
    from saga.record import Json
    from saga.recovery import Trouble, decide
    from saga.request import Admitted
    from workflows.desk import Desk
    from workflows.ending import CANCELLED, Ending
    from workflows.options import ADMIT_ATTEMPT, ADMIT_RETRY, CANCEL_FOLLOWS, CANCEL_NOTED, RUNS
    from workflows.pivot import Pivot
    from workflows.planning import Planning

RUN_UNWOUND = "RunUnwound"
"""Failure type of a run that was undone after a failure, a rejection or a deadline."""


@workflow.defn(name="AgentRun")
class AgentRun(Desk):
    """The one argument is a RunRequest as plain JSON, taken raw: one that did not decode would wedge the run."""

    @workflow.init
    def __init__(self, *payload: Any) -> None:
        """Nothing has happened yet."""
        super().__init__()
        self._payload = payload

    @workflow.run
    async def run(self, *payload: Any) -> Json:  # noqa: ARG002 - taken by __init__
        """The story runs in a task of its own, so that a cancel is noted and not thrown into the middle of it.

        A cancel starts a timer, so that its workflow task leaves an event. Measured: one that leaves none is played
        together with the next one in a replay, where an update goes before the cancel that came before it.
        """
        story = asyncio.create_task(self._story())
        heard: timedelta | None = None
        while not story.done():
            try:
                await workflow.wait_condition(story.done, timeout=heard, timeout_summary="a cancel was heard")
            except TimeoutError:
                heard = None
            except asyncio.CancelledError:
                self.cancel_heard = True
                self.turn_round()
                heard = CANCEL_NOTED
        await workflow.wait_condition(workflow.all_handlers_finished)
        return story.result()

    async def _story(self) -> Json:
        self.admitted = await self._admit()
        self.saga.orders.faults = self.admitted.faults
        self.saga.gates.admitted = self.admitted
        self.planning = Planning(self.saga, self.admitted)
        self._changed()
        while True:
            ending = await self.planning.plan()
            if ending.kind is None and (ending.review or self.saga.log.queued()):
                ending = await self._pivot(ending)
            if ending is None:  # sent back: the model plans again
                continue
            if ending.kind is None and not self.saga.committed:
                ending = await self._nothing_committed()
            if ending.kind is None:
                return self._committed()
            return await self._turn_back(ending.kind, ending.why)

    async def _admit(self) -> Admitted:
        info = workflow.info()
        payload = self._payload[0] if len(self._payload) == 1 else list(self._payload)
        order = AdmitOrder(payload=payload, attempt=info.attempt, execution=self.saga.log.execution)
        try:
            return await workflow.execute_activity_method(
                Admit.admit,
                order,
                task_queue=RUNS,
                start_to_close_timeout=ADMIT_ATTEMPT,
                retry_policy=ADMIT_RETRY,
                summary="does the request fit, and is the id new?",
            )
        except ActivityError as error:
            reason = error.cause.message if isinstance(error.cause, ApplicationError) else str(error.cause)
            raise ApplicationError(
                reason, type=RUN_REFUSED, non_retryable=True, category=ApplicationErrorCategory.BENIGN
            ) from None

    async def _pivot(self, planned: Ending) -> Ending | None:
        """One approval, then the commits. None: sent back. An Ending of no kind: committed."""
        assert self.admitted is not None  # noqa: S101 - admission came first
        self.pivot = pivot = Pivot(self.saga.log, self.admitted, planned.why if planned.review else "")
        self._set_phase("NEEDS_HUMAN" if planned.review else "AWAITING_APPROVAL")
        try:
            await workflow.wait_condition(
                lambda: pivot.decision is not None or not self.saga.forward,
                timeout=max(pivot.deadline - workflow.now(), timedelta()),
                timeout_summary=f"approval of {pivot.proposal.digest} expires",
            )
        except TimeoutError:
            return Ending(kind="permanent", why="nobody approved before the deadline")
        if not self.saga.forward:
            return CANCELLED
        decision = pivot.decision
        assert decision is not None  # noqa: S101 - the wait ended
        if decision.decision == "reject":
            return Ending(kind="permanent", why=f"rejected by {decision.by}: {decision.note}".rstrip(": "))
        if decision.decision == "send_back":
            return await self._send_back(tuple(decision.strike), decision.note)
        return await self._commit(pivot)

    async def _commit(self, pivot: Pivot) -> Ending:
        self._set_phase("COMMITTING")
        gone = await self.saga.standing.gone()
        if not self.saga.forward:
            return CANCELLED
        if gone:
            return Ending(kind="permanent", why=f"nothing was committed: {gone}")
        approved = {call.step_idx for call in pivot.proposal.commit}
        if await self.saga.commit(pivot.approval(), approved):
            return Ending()
        why = "the first commit was refused, so the pivot did not happen"
        return Ending(kind="cancelled" if self.cancel_heard or self.cancel else "permanent", why=why)

    async def _nothing_committed(self) -> Ending:
        """The ending of a run whose end nobody had to approve: what it did must stand, and nobody have cancelled."""
        gone = await self.saga.standing.gone() if await self.saga.earlier.may_have_undone() else None
        if not self.saga.forward:
            return CANCELLED
        return Ending(kind="permanent", why=f"undone before the reset: {gone}") if gone else Ending()

    async def _send_back(self, strike: tuple[int, ...], note: str) -> Ending | None:
        self._set_phase("STAGING")
        done = await self.saga.done_before(strike)
        if done is not None:
            return Ending(kind="permanent", why=f"step {done.step_idx} {done.tool} was struck, and done before a reset")
        staged = [self.saga.log[idx].staged_by for idx in strike]
        self.saga.cancel_queued(strike)
        await self.saga.undo(tuple(idx for idx in staged if idx is not None))
        assert self.planning  # noqa: S101 - nothing can be sent back before it was planned
        self.planning.send_back(note)
        return None

    def _committed(self) -> Json:
        count, alone = self._commits(), sum(row.stands and row.approved_by is not None for row in self.saga.log)
        nothing = "nothing was left to approve" if alone else "nothing needed approval"
        self._set_phase("COMMITTED", f"{count} commits" if count else nothing)
        return self._result()

    async def _turn_back(self, trouble: Trouble, why: str) -> Json:
        """Undo, or keep where the canceller asked for it, and end as Failed or Cancelled."""
        keep = self.cancel is not None and self.cancel.keep
        move = decide(trouble, committed=self.saga.committed, keep=keep)
        self._set_phase("UNWINDING", why)
        if move == "keep":
            await self.saga.settle()
            kept, gone = (_named(self.saga.log, status) for status in ("CONFIRMED", "COMPENSATED"))
            why = f"cancelled; kept: {kept or 'nothing'}" + (f"; no longer there: {gone}" if gone else "")
        else:
            await self.saga.unwind()
            stays = _named(self.saga.log, "CONFIRMED")
            why = f"{why}; nothing takes back, and so there stays: {stays}" if stays else why
        if trouble == "cancelled":
            await self._cancel_follows()
        self._set_phase("UNWOUND", why)
        if trouble == "cancelled" and self.cancel_heard:
            raise asyncio.CancelledError
        raise ApplicationError(
            why, self._result(), type=RUN_UNWOUND, non_retryable=True, category=ApplicationErrorCategory.BENIGN
        )

    async def _cancel_follows(self) -> None:
        """`cancel_run` says why; Temporal's own cancel comes right after it, and only that ends a run as Cancelled."""
        with suppress(TimeoutError):
            await workflow.wait_condition(lambda: self.cancel_heard, timeout=CANCEL_FOLLOWS)

    def _result(self) -> Json:
        log = self.saga.log
        return {
            "phase": self.phase,
            "summary": self.why or (self.planning.turns[-1].text if self.planning and self.planning.turns else ""),
            "steps": len(log),
            "commits": self._commits(),
        }

    def _commits(self) -> int:
        """Calls that the approval of the whole let happen."""
        return sum(row.behind_pivot and row.stands for row in self.saga.log)


def _named(log: Log, status: str) -> str:
    found = (row for row in log if row.status == status and not row.waived)
    return ", ".join(f"{row.tool} {row.external_ref}" for row in found)
