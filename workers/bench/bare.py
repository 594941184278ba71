"""The bare workflow: a model's turns and its calls as activities, one after another, and one approval.

What somebody writes who believes every answer: no log, no lookup, nothing undone. The measure for everything else.
"""

from __future__ import annotations

import asyncio
from datetime import timedelta

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from saga.keys import step_key
    from saga.record import Json
    from saga.tool import Upstream
    from workers.bench.straight import Done, Errand, Question, Said, Straight, Wish
    from workflows.options import LOOKUPS, QUICK_ATTEMPT, READ_ATTEMPT, RUNS, TOOLS

ATTEMPT = timedelta(seconds=120)
"""As long as the slowest of our own attempts may take."""


@workflow.defn(name="Bare")
class Bare:
    """The same calls as `AgentRun` makes for the same plan, in the same order up to the approval."""

    def __init__(self) -> None:
        """Nothing has been approved."""
        self._approved = False
        self._sent = 0

    @workflow.run
    async def run(self, plan: str) -> int:
        """How many effects there were."""
        commits: list[tuple[Wish, Upstream]] = []
        turn = 0
        while wishes := (await self._ask(plan, turn)).wishes:
            for wish in wishes:
                if wish.kind != "effect":
                    await self._read(wish)
                    continue
                key, done = await self._send(wish)
                if done.commit is not None:
                    staged = Upstream(tool=wish.tool, key=key, external_ref=done.receipt.external_ref)
                    commits.append((done.commit, staged))
            turn += 1
        if commits:
            await workflow.wait_condition(lambda: self._approved)
        for wish, staged in commits:
            await self._send(wish, staged)
        return self._sent

    @workflow.signal
    def approve(self) -> None:
        """A person said yes."""
        self._approved = True

    async def _ask(self, plan: str, turn: int) -> Said:
        return await workflow.execute_activity_method(
            Straight.ask, Question(plan=plan, turn=turn), task_queue=RUNS, start_to_close_timeout=ATTEMPT
        )

    async def _read(self, wish: Wish) -> Json:
        if wish.kind == "quick":
            return await workflow.execute_local_activity_method(
                Straight.read, wish, start_to_close_timeout=QUICK_ATTEMPT
            )
        return await workflow.execute_activity_method(
            Straight.read, wish, task_queue=LOOKUPS, start_to_close_timeout=READ_ATTEMPT
        )

    async def _send(self, wish: Wish, *upstream: Upstream) -> tuple[str, Done]:
        step = self._sent
        self._sent += 1
        return await _sent(wish, step, *upstream)


@workflow.defn(name="BareTogether")
class Together:
    """Calls sent all at once and waited for: what an unwind would be that keeps no log. The measure for ours."""

    @workflow.run
    async def run(self, wishes: list[Wish]) -> int:
        """How many there were."""
        return len(await asyncio.gather(*(_sent(wish, step) for step, wish in enumerate(wishes))))


async def _sent(wish: Wish, step: int, *upstream: Upstream) -> tuple[str, Done]:
    info = workflow.info()
    key = step_key(info.workflow_id, step, wish.tool)
    errand = Errand(
        tool=wish.tool,
        args=wish.args,
        key=key,
        run_id=info.workflow_id,
        step_idx=step,
        execution=info.run_id,
        since=workflow.now(),
        upstream=upstream,
    )
    done = await workflow.execute_activity_method(
        Straight.send, errand, task_queue=TOOLS, start_to_close_timeout=ATTEMPT
    )
    return key, done
