"""The narrator: watches one run and says, as it happens and with the time, what changed, in words for people."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from pydantic import TypeAdapter
from temporalio.client import WorkflowHandle, WorkflowQueryFailedError
from temporalio.service import RPCError

from saga.row import Row
from workers.milestone import Milestone, milestones
from workers.story import PHASES
from workers.wording import clock, plain

LOOK_EVERY_S = 0.2
"""Two quick queries; a reader sees no difference to more often, and the run needs its worker itself."""
QUERY_S = 5.0
"""One that takes longer is asked again: the run may be held up for a moment by what it does."""

Say = Callable[[str], None]
_ROWS = TypeAdapter(tuple[Row, ...])
_TURNING = ("COMMITTING", "UNWINDING")
"""Phases that are told before what happens in them; the others are told after what led to them."""


class Narrator:
    """What is known of one run by watching it; `rows` and `status` are as of the last look."""

    def __init__(self, handle: WorkflowHandle[Any, Any], say: Say) -> None:
        """`say` prints one line."""
        self._handle, self._say = handle, say
        self._told: set[tuple[int, str]] = set()
        self._phase = ""
        self._looking = asyncio.Lock()
        self.rows: tuple[Row, ...] = ()
        self.status: dict[str, Any] = {}

    def tell(self, who: str, words: str) -> None:
        """One line: the time, whose doing it is, and what."""
        self._say(f"  {clock(datetime.now(UTC))}  {who:<5} {words}")

    async def watch(self) -> None:
        """Look until cancelled."""
        while True:
            await self.look()
            await asyncio.sleep(LOOK_EVERY_S)

    async def look(self) -> None:
        """Look once, and say what is new. A run that gives no answer now is asked again later."""
        async with self._looking:
            try:
                rows, status = _ROWS.validate_python(await self._ask("saga_log")), await self._ask("status")
            except (RPCError, WorkflowQueryFailedError):
                return
            self.rows, self.status = rows, status
            known = milestones(rows)
            self._tell_new(each for each in known if not each.turning)
            if status.get("phase") in _TURNING:
                self._tell_phase()
            self._tell_new(each for each in known if each.turning)
            self._tell_phase()

    async def until(self, holds: Callable[[Narrator], bool], what: str, within_s: float) -> None:
        """Return as soon as `holds`; TimeoutError naming `what` where it does not. Somebody else must `watch`."""
        end = time.monotonic() + within_s
        while not holds(self):
            if time.monotonic() > end:
                raise TimeoutError(f"{what} did not come within {within_s:.0f} s")
            await asyncio.sleep(LOOK_EVERY_S / 4)

    def row(self, tool: str) -> Row | None:
        """The latest step of that tool."""
        return next((row for row in reversed(self.rows) if row.tool == tool), None)

    async def _ask(self, query: str) -> Any:
        return await self._handle.query(query, rpc_timeout=timedelta(seconds=QUERY_S))

    def _tell_new(self, found: Iterable[Milestone]) -> None:
        for each in found:
            if (each.step_idx, each.name) not in self._told:
                self._told.add((each.step_idx, each.name))
                self.tell("run", each.words)

    def _tell_phase(self) -> None:
        phase, why = str(self.status.get("phase") or ""), str(self.status.get("why") or "")
        if phase and phase != self._phase:
            self._phase = phase
            reason = f" — {plain(why)}" if why and phase in ("UNWINDING", "NEEDS_HUMAN") else ""
            self.tell("run", f"{phase}: {PHASES.get(phase, '')}{reason}")
