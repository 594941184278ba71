"""What stands: every effect that a run knows of, looked at once more, for others may have moved it meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from datetime import timedelta

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from saga.log import Log
    from saga.outcome import Finding
    from saga.row import Row
    from workflows.look import look
    from workflows.orders import Orders

SEEN = ("key_and_lookup", "lookup")
"""Grades of a tool whose effects can be looked for."""


class Standing:
    """Looks at the rows of one run that stand, and sends nothing."""

    def __init__(self, log: Log, orders: Orders, changed: Callable[[], None]) -> None:
        """`changed` is called after every change of a row."""
        self._log, self._orders, self._changed = log, orders, changed

    async def gone(self, rows: Iterable[Row] | None = None, *, before: str = "the first commit") -> str | None:
        """Which of `rows`, or of all, no longer stand, in words; None where all do. `before` what it is asked."""
        rows = self._log if rows is None else rows
        looks = [self._gone(row, before) for row in rows if row.stands and row.facts.grade in SEEN]
        gone = [each for each in await asyncio.gather(*looks) if each]
        return "; ".join(gone) or None

    async def write_off(self) -> None:
        """What somebody else took away stands no longer: the look is the provider's word for it."""
        kept = [row for row in self._log if row.stands and row.compensation and row.facts.grade in SEEN]
        findings = await asyncio.gather(*(self._see(row, "the end") for row in kept))
        at = workflow.now()
        for row, finding in zip(kept, findings, strict=True):
            if finding is None or finding.standing or finding.kind not in ("found", "absent", "failed"):
                continue
            gone = row.move_undo("INTENDED", at).move_undo("CONFIRMED", at)
            self._log.put(gone.model_copy(update={"how": "somebody else took it away, found by lookup"}))
        self._changed()

    async def _gone(self, row: Row, before: str) -> str | None:
        name = f"step {row.step_idx} {row.tool} ({row.external_ref})"
        finding = await self._see(row, before)
        if finding is None:
            return f"{name} could not be looked at"
        if finding.kind == "found" and finding.standing:
            return None
        return f"{name} no longer stands: {finding.note or finding.kind}"

    async def _see(self, row: Row, before: str) -> Finding | None:
        """One look; that a list does not show it proves something only once the step's clock has passed."""
        order = self._orders.find(row, "call")
        summary = f"before {before}: does step {row.step_idx} {row.tool} still stand?"
        proves_from = row.updated_at + timedelta(seconds=row.facts.clock_s)
        began = workflow.now()
        finding = await look(order, summary)
        if finding is not None and finding.kind == "absent" and began < proves_from:
            await workflow.sleep(proves_from - began, summary=f"absent: look again at step {row.step_idx} {row.tool}")
            finding = await look(order, summary)
        return finding
