"""The course of one run: driven to the end that a cell asks for, with a person where it waits for one."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from temporalio.client import WorkflowExecutionStatus

from workers.faultkit.laboratory import Handle, Laboratory
from workers.faultkit.laws import Broken
from workers.faultkit.person import WHO, Person
from workers.faultkit.target import Ending
from workflows.attributes import NEEDS_HUMAN

LONGEST_S = 6 * 3600
"""Skipped seconds until a run must have ended: the longest wait for a person comes after a quarter of an hour, and a
few of them may follow one another."""
APPROVAL_S = 600
"""How long an approval may wait."""
STEP_S = 60
"""The longest single step through skipped time: shorter than what a run does between two of its waits."""


class Course:
    """Drives one run."""

    def __init__(self, lab: Laboratory, handle: Handle, ending: Ending) -> None:
        """Nothing is decided yet."""
        self._lab, self._handle, self._ending = lab, handle, ending
        self._decided = False
        self.person = Person(lab)

    async def end(self) -> str:
        """How the run closed: COMMITTED, the failure's type, or Cancelled. Broken where it never does."""
        waited = 0
        # The server knows whether somebody is waited for. To ask the run itself costs a task of its own each time, and
        # the replay of the whole once it has ended.
        while (seen := await self._handle.describe()).status == WorkflowExecutionStatus.RUNNING:
            if seen.typed_search_attributes.get(NEEDS_HUMAN) and await self._attend(await self._handle.query("status")):
                continue
            if waited > LONGEST_S:
                raise Broken(f"never ended: {await self._handle.query('status')}")
            step = max(1, min(waited, STEP_S))
            waited += step
            await self._lab.env.sleep(step)
        with self._lab.env.auto_time_skipping_disabled():  # nothing is left to skip to but its own time-out
            return await self._lab.end(self._handle)

    async def _attend(self, status: dict[str, Any]) -> bool:
        """Do what the run waits for; False where it goes on by itself."""
        for need in status["needs_human"]:
            if need["kind"] != "review":
                await self.person.answer(self._handle, need)
                return True
        if status["deadline"] is None or self._decided:
            return False
        self._decided = True
        await self._decide(datetime.fromisoformat(status["deadline"]))
        return True

    async def _decide(self, deadline: datetime) -> None:
        if self._ending == "cancel":
            await self._handle.cancel()
        elif self._ending == "deadline":
            left = deadline - await self._lab.env.get_current_time()
            await self._lab.env.sleep(max(left, timedelta()) + timedelta(seconds=1))
        elif self._ending == "give_up":
            raise Broken("the model gave up, and the run awaits approval")
        else:
            decision = "approve" if self._ending == "finish" else "reject"
            digest = (await self._handle.query("proposal"))["digest"]
            await self._handle.execute_update("decide_pivot", {"decision": decision, "digest": digest, "by": WHO})
