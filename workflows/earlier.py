"""An earlier branch: what a run that was reset did before, which its rows of now do not know."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from activities.note import note
    from saga.log import Log
    from saga.outcome import Problem
    from workflows.options import QUICK_ATTEMPT
    from workflows.people import People

BEFORE_RESET = "before_reset"
"""Problem code of a row that may have been called by a branch that was thrown away."""


class Earlier:
    """Asks, where there was a reset, after what an earlier branch may have left. Where there was none: a line."""

    def __init__(self, log: Log, people: People, changed: Callable[[], None]) -> None:
        """`changed` is called after every change of a row."""
        self._log, self._people, self._changed = log, people, changed

    async def own_up(self, strike: tuple[int, ...] | None = None) -> list[int]:
        """Queued calls that an earlier branch may have made, all or those struck: found out about like any other now.

        A look alone would prove nothing: what was under way at the reset may land after it.
        """
        queued = [row for row in self._log.queued() if strike is None or row.step_idx in strike]
        if not queued or not await _was_reset():
            return []
        at = workflow.now()
        problem = Problem(code=BEFORE_RESET, message="a branch that a reset threw away may have made this call")
        for row in queued:
            self._log.put(row.move("INTENDED", at).move("UNKNOWN", at, error=problem))
        self._changed()
        return [row.step_idx for row in queued]

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
