"""The intruder: sends what nobody should believe. Whatever of it lets something happen is a flaw."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from temporalio.client import WorkflowUpdateFailedError, WorkflowUpdateRPCTimeoutOrCancelledError
from temporalio.service import RPCError

from workers.chaos.plan import REQUESTER, Trick
from workers.chaos.view import Handle

FORGED = "f" * 16
SEND_S = 5.0
"""Nobody waits longer for an answer to nonsense."""


class Intruder:
    """Beside one run."""

    def __init__(self, tricks: Sequence[Trick]) -> None:
        """Nothing is sent yet."""
        self._tricks = tricks
        self.sent: list[Trick] = []
        self.flaws: list[str] = []

    async def beside(self, handle: Handle, digest: str) -> None:
        """All but what comes after the end, in the moment in which that proposal waits."""
        for trick in self._tricks:
            if trick not in ("after_the_end", "doubled"):
                self.sent.append(trick)
                await self._play(handle, trick, digest)

    async def after(self, handle: Handle, digest: str) -> None:
        """A closed run is told to go on."""
        if "after_the_end" not in self._tricks:
            return
        self.sent.append("after_the_end")
        approval = {"digest": digest or FORGED, "by": "lead"}
        await self._signal(handle, "approve_pivot", approval)
        if await self._update(handle, "decide_pivot", {"decision": "approve", **approval}):
            self.flaws.append("a closed run took an approval")

    async def _play(self, handle: Handle, trick: Trick, digest: str) -> None:
        right = {"decision": "approve", "digest": digest}
        if trick == "wrong_digest":
            await self._forged(handle, {**right, "digest": FORGED, "by": "lead"}, "of another digest")
            await self._signal(handle, "approve_pivot", {"digest": FORGED, "by": "lead"})
        elif trick in ("requester", "stranger"):
            by = REQUESTER if trick == "requester" else "mallory"
            await self._forged(handle, {**right, "by": by}, f"by {by}")
            await self._signal(handle, "approve_pivot", {"digest": digest, "by": by})
        elif trick == "empty_signal":
            await self._signal(handle, "approve_pivot")
        elif trick == "null_signal":
            await self._signal(handle, "approve_pivot", None)
        elif trick == "two_payloads":
            await self._signal(handle, "approve_pivot", {"digest": digest, "by": "lead"}, {"digest": digest})
        elif trick == "unknown_signal":
            await self._signal(handle, "aprove_pivot", {"digest": digest, "by": "lead"})
        else:
            await self._forged(handle, {**right, "by": "lead", "digest": 7}, "that is no decision")
            await self._forged(handle, None, "that is nothing")

    async def _forged(self, handle: Handle, payload: Any, what: str) -> None:
        if await self._update(handle, "decide_pivot", payload):
            self.flaws.append(f"it took an approval {what}")

    @staticmethod
    async def _signal(handle: Handle, name: str, *payload: Any) -> None:
        try:
            await handle.signal(name, args=payload, rpc_timeout=timedelta(seconds=SEND_S))
        except RPCError:
            return  # closed, or the server is away: nothing of it has to arrive

    @staticmethod
    async def _update(handle: Handle, name: str, payload: Any) -> bool:
        """Whether it was taken."""
        try:
            async with asyncio.timeout(SEND_S):
                await handle.execute_update(name, payload, rpc_timeout=timedelta(seconds=SEND_S))
        except (WorkflowUpdateFailedError, WorkflowUpdateRPCTimeoutOrCancelledError, RPCError, TimeoutError):
            return False
        return True
