"""Unwinding: everything that stands is brought back to nothing, in the order of dependencies, until all is settled."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from saga.log import Log
    from saga.outcome import Problem
    from saga.row import MAX_TRIES, Row
    from saga.unwind import ready
    from workflows.halves import Halves
    from workflows.look import look
    from workflows.options import UNDO_PAUSE, UNDO_STALE, UNDO_TRIES
    from workflows.orders import Orders
    from workflows.people import People, problem_text


class Unwinding:
    """How one run's steps are undone."""

    def __init__(self, log: Log, halves: Halves, people: People, orders: Orders, changed: Callable[[], None]) -> None:
        """`changed` is called after every change of a row."""
        self._log, self._halves, self._people, self._orders = log, halves, people, orders
        self._changed = changed
        self._running: dict[int, asyncio.Task[None]] = {}
        self.pausing = 0
        """Undos that were refused and wait for their next try."""

    async def unwind(self) -> None:
        """Undo all that stands; what does not depend on another goes side by side."""
        running = self._running
        while True:
            seen = self._standing(running)
            for idx in ready(self._log, running, {idx for idx in running if self._people.waits(idx)}):
                running[idx] = asyncio.create_task(self.bring_back(idx))
            if not running:
                if await self._failed_since():
                    continue
                return
            await self._news(running, seen)
            for idx in [idx for idx, task in running.items() if task.done()]:
                running.pop(idx).result()

    async def undo(self, idx: int) -> None:
        """Undo one step while the rest of the run stands. Once the run has turned round the unwind takes it over."""
        task = self._running[idx] = asyncio.create_task(self.bring_back(idx))
        await workflow.wait_condition(lambda: task.done() or not self._halves.forward)
        if task.done():
            self._running.pop(idx).result()

    async def drain(self) -> None:
        """Let end what is being undone, where nothing else is."""
        await asyncio.gather(*self._running.values())
        self._running.clear()

    async def _news(self, running: dict[int, asyncio.Task[None]], seen: list[tuple[int, str | None, bool]]) -> None:
        """Until one ended, or stands otherwise than when it was last asked who may begin."""
        await workflow.wait_condition(
            lambda: any(task.done() for task in running.values()) or self._standing(running) != seen
        )

    def _standing(self, running: dict[int, asyncio.Task[None]]) -> list[tuple[int, str | None, bool]]:
        """What decides who else may begin: how far each undo is, and whether a person has it."""
        return [(idx, self._log[idx].undo_status, self._people.waits(idx)) for idx in running]

    async def bring_back(self, idx: int) -> None:
        """Settle one step, or undo it: retried on its own clock, then a person is called."""
        if self._log[idx].status == "UNKNOWN":
            await self._halves.settling(idx)
            return
        row = self._log[idx]
        failed = row.status == "COMPENSATION_FAILED"  # it had succeeded, and failed days later
        self._log.put(row.undo_again(workflow.now()) if failed else row.move_undo("INTENDED", workflow.now()))
        absent, refused = 0, 0
        while True:
            await self._halves.undo(idx)
            row = await self._halves.settle_undo(idx)
            if row.undo_status == "CONFIRMED" or row.waived:
                return
            if row.undo_status == "NOT_EXECUTED" and absent < MAX_TRIES:
                absent += 1  # proven without effect: the same key again, as long as it is remembered
                at = workflow.now()
                forgotten = row.key_forgotten("compensation", at)
                self._log.put(row.undo_again(at) if forgotten else row.move_undo("INTENDED", at))
                continue
            if row.undo_status == "NOT_EXECUTED":
                row = self._log.put(row.move_undo("FAILED", workflow.now()))
            refused += 1
            if refused < UNDO_TRIES:
                await self._pause(row, refused)
            else:
                what = problem_text(row.compensation.error if row.compensation else None)
                await self._people.wait_for(row, "compensation", "undo_failed", what or "it could not be undone")
            row = self._log[idx]
            if row.waived or row.undo_status == "CONFIRMED":
                return
            self._log.put(row.undo_again(workflow.now()))
            self._changed()

    async def _pause(self, row: Row, refused: int) -> None:
        self.pausing += 1
        try:
            await workflow.sleep(
                UNDO_PAUSE * 2 ** (refused - 1),
                summary=f"undo of step {row.step_idx} was refused; once more after this",
            )
        finally:
            self.pausing -= 1

    async def _failed_since(self) -> bool:
        """Look once more at what was undone long ago: one that failed since is open again."""
        at = workflow.now()
        stale = [row for row in self._log if row.status == "COMPENSATED" and at - row.updated_at > UNDO_STALE]
        looks = [
            look(
                self._orders.find(row, "compensation"),
                f"before the end: is step {row.step_idx} {row.tool} still undone?",
            )
            for row in stale
        ]
        findings = await asyncio.gather(*looks)
        failed = False
        for row, finding in zip(stale, findings, strict=True):
            if finding is not None and finding.kind == "failed":
                problem = Problem(code="failed_later", message="it had succeeded, and failed afterwards")
                self._log.put(row.move_undo("FAILED", workflow.now(), error=problem))
                failed = True
        if failed:
            self._changed()
        return failed
