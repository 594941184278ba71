"""A scene: one run under way, and what a story may do around it: break the world, kill a process, decide, look."""

from __future__ import annotations

import asyncio
from typing import Any

from temporalio.client import WorkflowFailureError, WorkflowHandle

from saga.proposal import Proposal
from saga.row import Row
from workers import decisions, waiting
from workers.house import House
from workers.narrator import Narrator
from workers.outside import Outside
from workers.sandbox.world import Effect

STEP_S = 75.0
"""What a story waits for comes within seconds; the longest wait in it is the patience that the demo sets, 45 s."""
END_S = 90.0
"""From a story's last event to the run's end. Then it is told as it stands, and the demo fails."""


class Scene:
    """`wrong` collects what did not go as the story tells it."""

    def __init__(
        self, run_id: str, handle: WorkflowHandle[Any, Any], *, house: House, outside: Outside, narrator: Narrator
    ) -> None:
        """`narrator` must be watching."""
        self.run_id, self._narrator = run_id, narrator
        self._handle, self._house, self._outside = handle, house, outside
        self.wrong: list[str] = []

    async def say(self, words: str, who: str = "demo") -> None:
        """A line of the story that is nobody's but ours, after all that the run has done by now."""
        await self._narrator.look()
        self._narrator.tell(who, words)

    def check(self, holds: bool, what: str) -> None:
        """Note that the story did not go as it is told: it shows something else than it says."""
        if not holds:
            self.wrong.append(what)

    async def effect(self, kind: str) -> Effect:
        """The run's first effect of that kind, seen in the world itself, as soon as it is there."""
        return await self._outside.until(self.run_id, kind, STEP_S)

    async def comments(self, issue: str) -> list[str]:
        """What stands under a ticket, read from Jira."""
        return await self._outside.comments(issue)

    async def arm(self, system: str, operation: str, fault: str) -> None:
        """A fault for this run alone."""
        await self._outside.arm(system, operation, fault, run_id=self.run_id)

    async def struck(self, fault: str) -> bool:
        """Whether a request of this run met that fault."""
        return any(fault in (line["fault"] or "") for line in await self._outside.calls(self.run_id))

    async def writes_under(self, key: str) -> int:
        """How many requests that change something carried that key."""
        return sum(line["key"] == key and line["method"] != "GET" for line in await self._outside.calls(self.run_id))

    def rows(self, tool: str) -> list[Row]:
        """The steps of that tool, as last seen."""
        return [row for row in self._narrator.rows if row.tool == tool]

    async def state(self, tool: str, *wanted: str) -> Row:
        """The latest row of that tool, as soon as its status is one of these."""

        def there(seen: Narrator) -> bool:
            row = seen.row(tool)
            return row is not None and row.status in wanted

        await self._narrator.until(there, f"{tool} {wanted[0]}", STEP_S)
        return self.rows(tool)[-1]

    async def proposal(self) -> Proposal:
        """What waits for an approval, printed as a person is shown it."""
        await self._narrator.until(lambda seen: seen.status.get("phase") == "AWAITING_APPROVAL", "the proposal", STEP_S)
        proposal = Proposal.model_validate(await self._handle.query("proposal"))
        await self.say(f"shown to the lead, as digest {proposal.digest}:")
        for line in waiting.offered(proposal):
            await self.say(f"  {line}", who="")
        return proposal

    async def decide(self, decision: str, proposal: Proposal, *, by: str, note: str = "") -> None:
        """Approve or reject exactly what was shown, through the Temporal client."""
        await self.say(f"{decision}s digest {proposal.digest}{note and f': {note}'}", who=by)
        payload = {"decision": decision, "digest": proposal.digest, "by": by, "note": note}
        key = decisions.update_id(self.run_id, "decide_pivot", decision, proposal.digest, by)
        await decisions.send(self._handle, "decide_pivot", payload, key=key)

    async def kill(self, part: str) -> None:
        """SIGKILL to that process itself, and it is gone when this returns."""
        pid = self._house[part].pid
        self._house[part].kill()
        await self.say(f"SIGKILL to {part}, pid {pid}: no goodbye, nothing cleaned up")

    async def start(self, part: str) -> None:
        """A new process in its place."""
        await self._house.start(part)
        await self.say(f"a new {part} works, pid {self._house[part].pid}")

    async def ended(self) -> None:
        """Wait until Temporal has closed the run, however it ends; TimeoutError where it does not."""
        try:
            await asyncio.wait_for(self._handle.result(), END_S)
        except WorkflowFailureError:
            pass  # how it ended is read from the server
        except TimeoutError:
            raise TimeoutError(f"the run did not end within {END_S:.0f} s") from None
        await self._narrator.look()
