"""The course of one run, from its start to its end, with everything that its plan has in store for it."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Coroutine
from typing import Any, TypeVar

from temporalio.client import WorkflowExecutionDescription, WorkflowExecutionStatus, WorkflowFailureError
from temporalio.common import WorkflowIDReusePolicy
from temporalio.exceptions import WorkflowAlreadyStartedError
from temporalio.service import RPCError, RPCStatusCode

from workers.chaos.intruder import Intruder
from workers.chaos.patience import AGAIN_S, patiently
from workers.chaos.person import Person
from workers.chaos.plan import Plan
from workers.chaos.rewind import rewind
from workers.chaos.site import Site
from workers.chaos.view import Handle, latest, view
from workers.exits import CannotTell
from workflows.options import RUNS

WAKE_S = 8.0
"""A bell that was missed costs no more than this."""
BETWEEN_LOOKS_S = 0.5
"""Some runs wait on purpose, and ring all the time."""
LISTEN_S = 20.0
"""How long one wait for the end may take before the server is asked again; it may have been killed meanwhile."""
PATIENCE_S = 240.0
"""From the start to the end. The longest plan waits half a minute and a minute for two more tries of an undo."""
TAKES = ("close", "delete", "expire", "refund")
"""Acts that take the effect away. A ticket that is moved and a charge that is disputed stand."""
T = TypeVar("T")
PASSING = (RPCError, CannotTell, TimeoutError)


class Course:
    """One run under way. `stuck` says so where it did not end."""

    def __init__(self, plan: Plan, run_id: str, site: Site) -> None:
        """Nothing has begun."""
        self.plan, self.run_id, self.site = plan, run_id, site
        self.intruder = Intruder(plan.tricks)
        self.person = Person(plan, site.outside, self.intruder, site.did)
        self.touched: set[str] = set()
        self.moved = False
        self.executions: list[str] = []
        """Those that a reset threw away, the oldest first."""
        self.terminated = False
        self.stuck: str | None = None
        self._bell = site.bells.setdefault(run_id, asyncio.Event())
        self._acted = self._stopped = self._rewound = False
        self._rewinding = False
        """A reset is on its way: an end that is seen now may not be the last."""

    @property
    def handle(self) -> Handle:
        """The latest execution."""
        return latest(self.site.client, self.run_id)

    async def run(self) -> WorkflowExecutionDescription:
        """Start it and see it to its end; the server's description of that, or of where it is stuck."""
        await self._arm()
        await patiently(self._start)
        about = await self._watched()
        await self.intruder.after(self.handle, self.person.digest)
        await self.site.outside.disarm(run=self.run_id)
        for trick in self.intruder.sent:
            self.site.did[f"sent: {trick}"] += 1
        return about

    async def _watched(self) -> WorkflowExecutionDescription:
        beside = [asyncio.create_task(self._again(each)) for each in (self._attend(), self._early())]
        try:
            return await self._first_of(asyncio.create_task(self._closed()), beside)
        except TimeoutError:
            seen = await view(self.handle)
            status = (
                f"{seen.status} {[(each.tool, each.status) for each in seen.rows]}" if seen else "no worker answers"
            )
            self.stuck = f"it did not end within {PATIENCE_S:.0f} s: {status}"
            return await patiently(self.handle.describe)
        finally:
            for task in beside:
                task.cancel()
            await asyncio.gather(*beside, return_exceptions=True)
            del self.site.bells[self.run_id]

    @staticmethod
    async def _first_of(closed: asyncio.Task[T], beside: list[asyncio.Task[None]]) -> T:
        """The end. An error of those beside it is one of the bench, and ends it; TimeoutError after PATIENCE_S."""
        end = time.monotonic() + PATIENCE_S
        try:
            while not closed.done():
                left_s = max(end - time.monotonic(), 0)
                waiting = {closed, *(each for each in beside if not each.done())}
                done, _ = await asyncio.wait(waiting, timeout=left_s, return_when=asyncio.FIRST_COMPLETED)
                if not done:
                    raise TimeoutError
                for each in done:
                    each.result()
            return closed.result()
        finally:
            closed.cancel()

    async def _arm(self) -> None:
        for aim in self.plan.aims:
            await self.site.outside.arm(
                aim.system, aim.operation, aim.fault, run_id=self.run_id, times=aim.times, skip=aim.skip
            )
            self.site.did[f"armed: {aim.fault.split(':')[0]}"] += 1

    async def _start(self) -> None:
        try:
            await self.site.client.start_workflow(
                "AgentRun",
                self.plan.payload,
                id=self.run_id,
                task_queue=RUNS,
                id_reuse_policy=WorkflowIDReusePolicy.REJECT_DUPLICATE,
            )
        except WorkflowAlreadyStartedError:
            return  # the first asking arrived, and its answer did not

    async def _closed(self) -> WorkflowExecutionDescription:
        while True:
            about = await patiently(self.handle.describe)
            if about.status != WorkflowExecutionStatus.RUNNING and not self._rewinding:
                return about
            try:
                one = latest(self.site.client, self.run_id, about.run_id)
                await asyncio.wait_for(one.result(follow_runs=False), LISTEN_S)
            except (WorkflowFailureError, *PASSING):
                await asyncio.sleep(AGAIN_S)

    async def _again(self, work: Coroutine[Any, Any, None]) -> None:
        """A run that has ended needs nobody any more."""
        try:
            await work
        except RPCError as error:
            if error.status != RPCStatusCode.NOT_FOUND:
                raise

    async def _attend(self) -> None:
        """Whenever the bell rings somebody looks, and says what is to be said."""
        while True:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._bell.wait(), WAKE_S)
            await asyncio.sleep(BETWEEN_LOOKS_S)
            self._bell.clear()
            try:
                await self._look()
            except PASSING as error:
                if isinstance(error, RPCError) and error.status == RPCStatusCode.NOT_FOUND:
                    return
                await asyncio.sleep(AGAIN_S)

    async def _look(self) -> None:
        seen = await view(self.handle)
        if seen is None:
            return
        if seen.digest:
            self.person.digest = str(seen.digest)
            if not self._acted:
                self._acted = True
                await self._act()
            if await self._moment("asked"):
                return
        await self.person.attend(self.handle, seen)
        if self.person.approved and await self._moment("late"):
            return

    async def _early(self) -> None:
        stop_early = self.plan.stop is not None and self.plan.stop_at == "early"
        reset_early = self.plan.reset is not None and self.plan.reset.moment == "early"
        if stop_early or reset_early:
            await asyncio.sleep(1 + self.plan.stop_after_s)
            await patiently(lambda: self._moment("early"))

    async def _moment(self, moment: str) -> bool:
        """Reset or stop the run where that is the plan; True where that was done now."""
        reset, stop = self.plan.reset, self.plan.stop
        if reset is not None and reset.moment == moment and not self._rewound:
            self._rewinding = True
            try:
                await self._rewind(reset.share)
            finally:
                self._rewinding = False
            return True
        if stop is not None and self.plan.stop_at == moment:
            await asyncio.sleep(self.plan.stop_after_s)
            await self._stop(stop)
            return True
        return False

    async def _rewind(self, share: float) -> None:
        thrown_away = await rewind(self.site.client, self.run_id, share)
        self._rewound = True
        if thrown_away is None:
            self.site.did["reset, and refused"] += 1
            return
        self.executions.append(thrown_away)
        self.site.did["reset"] += 1

    async def _stop(self, stop: str) -> None:
        if stop == "terminate":
            await self._closing(self.handle.terminate("the monkey"))
            self.terminated = True
        else:
            if not self._stopped:
                order = {"keep": stop == "keep", "by": self.plan.decider, "note": "as planned"}
                await self.person.cancel(self.handle, order)
            await self._closing(self.handle.cancel())
        if not self._stopped:
            self.site.did[stop] += 1
        self._stopped = True

    @staticmethod
    async def _closing(asked: Awaitable[None]) -> None:
        try:
            await asked
        except RPCError as error:
            if error.status != RPCStatusCode.NOT_FOUND:  # it was faster, and has ended
                raise

    async def _act(self) -> None:
        """What somebody does to one of the staged effects, while the run waits."""
        act = self.plan.act
        if act is None:
            return
        for effect in await self.site.outside.effects(self.run_id):
            if effect.kind == act.made and effect.state == "standing":
                ref = str(effect.about.get("issue") or effect.ref)
                if await self.site.outside.act(act.system, ref, act.act):
                    self.moved |= act.act == "move"
                    if act.act in TAKES:
                        self.touched.add(act.made)
                    self.site.did[f"{act.system}: {act.act}"] += 1
                return
