"""An earlier branch: what a run that was reset did before, which its rows of now do not know."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from activities.note import note
    from saga.log import Log
    from saga.outcome import Finding, Problem
    from saga.row import Row
    from workflows.look import look
    from workflows.options import QUICK_ATTEMPT
    from workflows.orders import Orders
    from workflows.people import People

SEEN = ("key_and_lookup", "lookup")
"""Grades of a tool whose effects can be looked for."""


class Earlier:
    """Looks, where there was a reset, at what an earlier branch may have left. Where there was none it costs a line."""

    def __init__(self, log: Log, people: People, orders: Orders, changed: Callable[[], None]) -> None:
        """`changed` is called after every change of a row."""
        self._log, self._people, self._orders, self._changed = log, people, orders, changed

    async def own_up(self) -> None:
        """A queued call that an earlier branch has made is no longer queued: it is found out about like any other.

        One that cannot be looked for may have been made; who can say is asked.
        """
        queued = self._log.queued()
        if not queued or not await _was_reset():
            return
        for row, finding in zip(queued, await asyncio.gather(*map(self._look, queued)), strict=True):
            if finding is None or finding.kind != "absent":
                at = workflow.now()
                problem = Problem(
                    code="before_reset", message="a branch that a reset threw away may have made this call"
                )
                self._log.put(row.move("INTENDED", at).move("UNKNOWN", at, error=problem))
        self._changed()

    async def _look(self, row: Row) -> Finding | None:
        if row.facts.grade not in SEEN:
            return None
        summary = f"after a reset: was step {row.step_idx} {row.tool} made before?"
        return await look(self._orders.find(row, "call"), summary)

    async def may_have_undone(self) -> bool:
        """Whether something stands here that an earlier branch may have taken back."""
        return any(row.stands for row in self._log) and await _was_reset()

    async def ask(self) -> None:
        """What an earlier branch did and nothing takes back stays, on somebody's name."""
        final = [row for row in self._log if row.stands and row.tool_class == "irreversible" and not row.approved_by]
        what = "a branch that a reset threw away did this, and nothing takes it back"
        await asyncio.gather(*(self._people.wait_for(row, "call", "review", what) for row in final if not row.waived))


async def _was_reset() -> bool:
    """Whether this execution began as a reset of another, as it was when first asked for here."""
    info = workflow.info()
    return await workflow.execute_local_activity(
        note,
        info.original_execution_run_id != info.run_id,
        start_to_close_timeout=QUICK_ATTEMPT,
        summary="was the run reset?",
    )
