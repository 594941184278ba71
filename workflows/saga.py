"""The saga: the object that a workflow uses to run tools so that whatever happened is found out, and can be undone.

`call` before the pivot, `commit` after it, `unwind` instead of it. The log is the only thing that is ever read to
decide; nothing here looks at a transcript, or imports a tool.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from saga.draft import Draft
    from saga.log import Log
    from saga.outcome import Problem
    from saga.proposal import commit_order
    from saga.row import MAX_TRIES, Row
    from saga.unwind import circles
    from saga.word import Approval
    from workflows.earlier import Earlier
    from workflows.ending import CANCELLED, Ending
    from workflows.gates import Gates
    from workflows.halves import Halves
    from workflows.need import Need
    from workflows.orders import Orders
    from workflows.people import People, problem_text
    from workflows.standing import Standing
    from workflows.unwinding import Unwinding


class Saga:
    """The log of one run and everything that may be done with it."""

    def __init__(self, run_id: str, execution: str, changed: Callable[[], None]) -> None:
        """`execution` is the first execution's run id; `changed` is called after every change."""
        self.log = Log(run_id, execution)
        self.people = People(self.log, changed)
        self.orders = Orders(self.log)
        self.halves = Halves(self.log, self.people, self.orders, changed)
        self.gates = Gates(self.log, lambda: self.forward, changed)
        self.standing = Standing(self.log, self.orders, changed)
        self.earlier = Earlier(self.log, self.people, changed)
        self.unwinding = Unwinding(self.log, self.halves, self.people, self.orders, changed)
        self._changed = changed

    @property
    def forward(self) -> bool:
        """False once the run has turned round: nothing more is sent forward."""
        return self.halves.forward

    def turn_round(self) -> None:
        """From here on only looking and undoing."""
        self.halves.forward = False

    @property
    def needs(self) -> list[Need]:
        """What waits for a person, in step order."""
        return sorted([*self.people.needs, *self.gates.needs], key=lambda need: (need.step_idx or 0, need.half))

    @property
    def stuck(self) -> bool:
        """Somebody is needed, and nothing else can go on."""
        return bool(self.needs) and not self.halves.busy and not self.unwinding.pausing

    @property
    def committed(self) -> bool:
        """Something that only the approval of the whole could start has happened, or may have."""
        return any(
            row.behind_pivot and (row.status in ("INTENDED", "UNKNOWN", "CONFIRMED") or row.waived is not None)
            for row in self.log
        )

    def write(self, draft: Draft) -> Row:
        """The row of a call that will be made: INTENDED, or QUEUED where a person decides first.

        Of a `gated` draft a person decides at once (see `gate`), of any other at the pivot.
        """
        behind = draft.tool_class == "irreversible" or draft.another
        row = self.log.write(draft, "QUEUED" if behind else "INTENDED", workflow.now())
        for circle in circles(self.log):
            if row.step_idx in circle:
                steps = ", ".join(f"{idx} {self.log[idx].tool}" for idx in circle)
                workflow.logger.warning("steps %s refer to each other; they are undone in reverse step order", steps)
        return row

    async def gate(self, idx: int) -> Ending | None:
        """Let a person decide on that queued call by itself: INTENDED where it may run now, CANCELLED where it may not.

        What the run stands on is looked at once more before it may: the world may have moved while the person slept.
        An Ending where nothing more goes forward.
        """
        decision = await self.gates.wait(idx)
        name = f"step {idx} {self.log[idx].tool}"
        if not self.forward:
            return CANCELLED
        if decision is None:
            return Ending(kind="permanent", why=f"nobody decided on {name} before the deadline")
        if decision.decision == "reject":
            if await self.done_before((idx,)):
                return Ending(kind="permanent", why=f"{name} was rejected, and done before a reset")
            self.cancel_queued((idx,))
            return None
        gone = await self.standing.gone(before=f"step {idx} is sent")
        if not self.forward:
            return CANCELLED
        if gone:
            return Ending(kind="permanent", why=f"{name} was approved and not sent: {gone}")
        self.log.put(self.log[idx].move("INTENDED", workflow.now()))
        self._changed()
        return None

    async def call(self, idx: int) -> Row:
        """Make the call of an INTENDED row and find out what became of it: the row comes back settled, or waived.

        Once the run has turned round an UNKNOWN row is left to the unwind: it holds nobody up but what it stands on.
        """
        while True:
            await self.halves.call(idx)
            row = await self._found_out(idx)
            if row.status != "NOT_EXECUTED" or row.tries >= MAX_TRIES or not self.forward or row.waived:
                break
            if row.facts.rules >= 1 and not await self._may_go_again(row):
                row = self.log[idx]
                break
            self.log.put(row.again(workflow.now()))
        if row.status == "CONFIRMED" and row.facts.commits is not None:
            commit_half = row.facts.commits.keyed(row.idempotency_key)
            self.log.write(commit_half, "QUEUED", workflow.now(), depends_on=(idx,), staged_by=idx)
            self._changed()
        return row

    async def _may_go_again(self, row: Row) -> bool:
        """Whether what that call stands on, and the run before the pivot, is still there; if not, its row says why."""
        needs = [each for each in self.log if not self.committed or each.step_idx in row.depends_on]
        gone = await self.standing.gone(needs, before=f"step {row.step_idx} is sent again")
        if gone and self.forward:
            problem = Problem(code="gone", message=f"it did not happen, and is not sent again: {gone}")
            self.log.put(self.log[row.step_idx].model_copy(update={"error": problem}))
            self._changed()
        return self.forward and not gone

    async def _found_out(self, idx: int) -> Row:
        finding_out = self.halves.settling(idx)
        await workflow.wait_condition(lambda: finding_out.done() or not self.forward)
        return finding_out.result() if finding_out.done() else self.log[idx]

    async def done_before(self, strike: tuple[int, ...]) -> Row | None:
        """One of the queued calls that are struck which a branch before a reset has made; None where none has."""
        found = [await self._found_out(idx) for idx in await self.earlier.own_up(strike)]
        return next((row for row in found if row.stands or row.waived), None)

    def cancel_queued(self, strike: tuple[int, ...] | None = None) -> None:
        """QUEUED → CANCELLED, all or those struck."""
        for row in self.log.queued():
            if strike is None or row.step_idx in strike:
                self.log.put(row.move("CANCELLED", workflow.now()))
        self._changed()

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
        await self.earlier.own_up()
        self.cancel_queued()
        await self.unwinding.unwind()
        await self.earlier.ask()

    async def settle(self) -> None:
        """Find out about everything that is open and leave what stands: for a cancel that keeps what is useful."""
        self.turn_round()
        await self.earlier.own_up()
        self.cancel_queued()
        open_calls = [row.step_idx for row in self.log if row.status == "UNKNOWN"]
        await asyncio.gather(self.unwinding.drain(), *(self.halves.settling(idx) for idx in open_calls))
        await self.standing.write_off()

    async def undo(self, indices: tuple[int, ...]) -> None:
        """Undo single staged steps whose commit was struck; the rest of the run stands."""
        for idx in sorted(indices, reverse=True):
            if self.log[idx].stands and self.forward:
                await self.unwinding.undo(idx)
