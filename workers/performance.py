"""A performance: one plot played on a house, told as it happens, and what is to be said of it afterwards."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import Any

from temporalio.client import Client, WorkflowHandle

from workers import effects, story
from workers.consent import consents
from workers.exits import AnswerIsNo, CannotTell
from workers.house import House
from workers.ledger import RunEnd
from workers.narrator import Narrator, Say
from workers.outside import Outside
from workers.sandbox.world import Effect
from workers.scene import Scene
from workers.seen import Seen, see
from workers.stories.plot import Plot
from workers.wording import indented
from workflows.options import RUNS


@dataclass(frozen=True, kw_only=True)
class Played:
    """What came of a plot. `wrong`: where the story did not go as it is told; the world is judged by the scoreboard."""

    plot: Plot
    end: RunEnd
    wrong: tuple[str, ...]


async def play(plot: Plot, run_id: str, house: House, outside: Outside, say: Say) -> Played:
    """Start the run, let the plot happen, and tell it line by line; at its end print what `saga show` prints."""
    for line in ("", plot.title, "=" * len(plot.title), f"saga show {run_id}"):
        say(line)
    for system, operation, fault in plot.faults:
        await outside.arm(system, operation, fault, run_id=run_id)
    handle = await _started(house.client, plot, run_id)
    narrator = Narrator(handle, say)
    scene = Scene(run_id, handle, house=house, outside=outside, narrator=narrator)
    async with _watched(narrator):
        try:
            await plot.script(scene)
            await scene.ended()
        except (TimeoutError, CannotTell, AnswerIsNo) as error:
            scene.check(False, str(error))
    seen = await see(house.client, run_id)
    await _checked(scene, plot, seen, outside)
    view = await effects.look(house.sandbox_url, run_id, seen.rows)
    for line in ["", *story.story(seen, view).splitlines(), *(f"NOT AS TOLD: {each}" for each in scene.wrong)]:
        say(indented(indented(line)) if line else "")
    return Played(plot=plot, end=await _end(handle, plot, seen), wrong=tuple(scene.wrong))


async def _started(client: Client, plot: Plot, run_id: str) -> WorkflowHandle[Any, Any]:
    return await client.start_workflow("AgentRun", plot.payload, id=run_id, task_queue=RUNS)


@contextlib.asynccontextmanager
async def _watched(narrator: Narrator) -> AsyncGenerator[None]:
    watching = asyncio.create_task(narrator.watch())
    try:
        yield
    finally:
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)


async def _checked(scene: Scene, plot: Plot, seen: Seen, outside: Outside) -> None:
    """What every story must show: its end, its faults, its order."""
    phase, closed_as = seen.status.get("phase"), {"COMMITTED": "COMPLETED", "UNWOUND": "FAILED"}[plot.ends]
    scene.check((phase, seen.ended) == (plot.ends, closed_as), f"it ended {phase}, {seen.ended}")
    for _, operation, fault in plot.faults:
        scene.check(await scene.struck(fault), f"{fault} on {operation} never struck")
    found = in_order(plot.order, await outside.effects(scene.run_id))
    scene.check(found == plot.order, f"the order was {', '.join(found)}")


def in_order(kinds: Sequence[str], effects_: Sequence[Effect]) -> tuple[str, ...]:
    """Those kinds as they happened in the world."""
    return tuple(each.kind for each in sorted(effects_, key=lambda each: each.at) if each.kind in kinds)


async def _end(handle: WorkflowHandle[Any, Any], plot: Plot, seen: Seen) -> RunEnd:
    history = await handle.fetch_history()
    return RunEnd(
        run_id=handle.id,
        must_hold=plot.must_hold,
        rows=seen.rows,
        closed=seen.ended is not None,
        consents=tuple(consents(history.events)),
    )
