"""The saga: the object that a workflow uses to run tools so that whatever happened is found out, and can be undone.

`call` before the pivot, `commit` after it, `unwind` instead of it. The log is the only thing that is ever read to
decide; nothing here looks at a transcript, or imports a tool.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from temporalio import workflow
from temporalio.exceptions import ActivityError

with workflow.unsafe.imports_passed_through():
    from activities.find import Find
    from saga.doors import FindOrder
    from saga.draft import Draft
    from saga.log import Log
    from saga.proposal import commit_order
    from saga.row import MAX_TRIES, Approval, Row
    from saga.unwind import ready
    from workflows.halves import Halves, since
    from workflows.options import (
        LOOK_ATTEMPT,
        LOOK_RETRY,
        LOOKUPS,
        STAGED_LOOK_LIMIT,
        UNDO_PAUSE,
        UNDO_TRIES,
    )
    from workflows.people import People, problem_text


class Saga:
    """The log of one run and everything that may be done with it."""

    def __init__(self, run_id: str, execution: str, changed: Callable[[], None]) -> None:
        """`execution` is the first execution's run id; `changed` is called after every change."""
        self.log = Log(run_id, execution)
        self.people = People(self.log, changed)
        self.halves = Halves(self.log, self.people, changed)
        self._changed = changed
        self._pausing = 0

    @property
    def forward(self) -> bool:
        """False once the run has turned round: nothing more is sent forward."""
        return self.halves.forward

    def turn_round(self) -> None:
        """From here on only looking and undoing."""
        self.halves.forward = False

    @property
    def stuck(self) -> bool:
        """Somebody is needed, and nothing else can go on."""
        return bool(self.people.needs) and not self.halves.busy and not self._pausing

    @property
    def committed(self) -> bool:
        """Something that only approval could start has happened, or may have."""
        return any(
            row.approved_by is not None
            and (row.status in ("INTENDED", "UNKNOWN", "CONFIRMED") or row.waived is not None)
            for row in self.log
        )

    def write(self, draft: Draft) -> Row:
        """The row of a call that will be made: INTENDED, or QUEUED behind the pivot where a person decides first."""
        behind = draft.tool_class == "irreversible" or draft.another
        return self.log.write(draft, "QUEUED" if behind else "INTENDED", workflow.now())

    async def call(self, idx: int) -> Row:
        """Make the call of an INTENDED row and find out what became of it: the row comes back settled, or waived."""
        while True:
            await self.halves.call(idx)
            row = await self.halves.settle_call(idx)
            if row.status != "NOT_EXECUTED" or row.tries >= MAX_TRIES or not self.forward or row.waived:
                break
            self.log.put(row.again(workflow.now()))
        if row.status == "CONFIRMED" and row.facts.commits is not None:
            commit_half = row.facts.commits.keyed(row.idempotency_key)
            self.log.write(commit_half, "QUEUED", workflow.now(), depends_on=(idx,), staged_by=idx)
            self._changed()
        return row

    def cancel_queued(self, strike: tuple[int, ...] | None = None) -> None:
        """QUEUED → CANCELLED, all or those struck."""
        for row in self.log.queued():
            if strike is None or row.step_idx in strike:
                self.log.put(row.move("CANCELLED", workflow.now()))
        self._changed()

    async def staged_stands(self) -> str | None:
        """Look at every staged effect once more: the world may have moved while a person slept. None: all there."""
        seen = ("key_and_lookup", "lookup")
        looks = [self._look(row) for row in self.log if row.stands and row.facts.grade in seen]
        gone = [each for each in await asyncio.gather(*looks) if each]
        return "; ".join(gone) or None

    async def commit(self, approval: Approval, approved: set[int]) -> bool:
        """Run the queued calls that were `approved`, and no other, in the design's order.

        False: the first one was refused, so the pivot did not happen.
        """
        while queued := commit_order(row for row in self.log.queued() if row.step_idx in approved):
            if not self.forward and not self.committed:
                return False  # cancelled before the first one
            row = self.log.put(queued[0].move("INTENDED", workflow.now(), approved_by=approval))
            self._changed()
            row = await self.call(row.step_idx)
            if row.status == "CONFIRMED" or row.waived:
                continue
            if not self.committed:
                return False
            written = len(self.log)
            await self.people.wait_for(row, "call", "commit_failed", problem_text(row.error) or "it did not happen")
            approved.update(range(written, len(self.log)))  # tried again: the same call, as a new row
        return True

    async def unwind(self) -> None:
        """Bring back to nothing whatever stands, in the order of dependencies. Ends when every row is settled."""
        self.turn_round()
        self.cancel_queued()
        running: dict[int, asyncio.Task[None]] = {}
        while True:
            given_up = {idx for idx in running if self.people.waits(idx)}
            for idx in ready(self.log, running, given_up):
                running[idx] = asyncio.create_task(self._bring_back(idx))
            if not running:
                return
            await self._until_news(running, given_up)
            for idx in [idx for idx, task in running.items() if task.done()]:
                running.pop(idx).result()

    async def _until_news(self, running: dict[int, asyncio.Task[None]], given_up: set[int]) -> None:
        """Until something ended, or a person was asked or has answered."""
        await workflow.wait_condition(
            lambda: (
                any(task.done() for task in running.values())
                or {idx for idx in running if self.people.waits(idx)} != given_up
            )
        )

    async def settle(self) -> None:
        """Find out about everything that is open and leave what stands: for a cancel that keeps what is useful."""
        self.turn_round()
        self.cancel_queued()
        open_calls = [row.step_idx for row in self.log if row.status == "UNKNOWN"]
        await asyncio.gather(*(self.halves.settle_call(idx) for idx in open_calls))

    async def undo(self, indices: tuple[int, ...]) -> None:
        """Undo single staged steps whose commit was struck; the rest of the run stands."""
        for idx in sorted(indices, reverse=True):
            if self.log[idx].stands:
                await self._bring_back(idx)

    async def _bring_back(self, idx: int) -> None:
        """Settle one step, or undo it: retried on its own clock, then a person is called."""
        if self.log[idx].status == "UNKNOWN":
            await self.halves.settle_call(idx)
            return
        row = self.log[idx]
        failed = row.status == "COMPENSATION_FAILED"  # it had succeeded, and failed days later
        self.log.put(row.undo_again(workflow.now()) if failed else row.move_undo("INTENDED", workflow.now()))
        absent, refused = 0, 0
        while True:
            await self.halves.undo(idx)
            row = await self.halves.settle_undo(idx)
            status = row.compensation.status if row.compensation else None
            if status == "CONFIRMED" or row.waived:
                return
            if status == "NOT_EXECUTED" and absent < MAX_TRIES:
                absent += 1  # proven without effect: the same key again
                self.log.put(row.move_undo("INTENDED", workflow.now()))
                continue
            if status == "NOT_EXECUTED":
                row = self.log.put(row.move_undo("FAILED", workflow.now()))
            refused += 1
            if refused < UNDO_TRIES:
                await self._pause(row, refused)
            else:
                what = problem_text(row.compensation.error if row.compensation else None)
                await self.people.wait_for(row, "compensation", "undo_failed", what or "it could not be undone")
            row = self.log[idx]
            if row.waived or (row.compensation and row.compensation.status == "CONFIRMED"):
                return
            self.log.put(row.undo_again(workflow.now()))
            self._changed()

    async def _pause(self, row: Row, refused: int) -> None:
        self._pausing += 1
        try:
            await workflow.sleep(
                UNDO_PAUSE * 2 ** (refused - 1),
                summary=f"undo of step {row.step_idx} was refused; once more after this",
            )
        finally:
            self._pausing -= 1

    async def _look(self, row: Row) -> str | None:
        name = f"step {row.step_idx} {row.tool} ({row.external_ref})"
        try:
            finding = await workflow.execute_activity_method(
                Find.find,
                FindOrder(row=row, half="call", since=since(row)),
                task_queue=LOOKUPS,
                start_to_close_timeout=LOOK_ATTEMPT,
                schedule_to_close_timeout=STAGED_LOOK_LIMIT,
                retry_policy=LOOK_RETRY,
                summary=f"before the first commit: does step {row.step_idx} {row.tool} still stand?",
            )
        except ActivityError as error:
            return f"{name} could not be looked at: {error.cause}"[:300]
        if finding.kind == "found" and finding.standing:
            return None
        return f"{name} no longer stands: {finding.note or finding.kind}"
