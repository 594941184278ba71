"""What an effect costs: events of history and requests to the world, ours and bare."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from workers.bench import tally
from workers.bench.ground import Ground, Ran
from workers.bench.plans import STORY

FEW, MANY = 2, 10
"""Effects of two runs that differ in nothing else: what is the same in both falls out of the difference."""


@dataclass(frozen=True, kw_only=True)
class Both:
    """The same plan, run by us and bare."""

    ours: Ran
    bare: Ran


@dataclass(frozen=True, kw_only=True)
class Lost:
    """What more there is where the answer to a create was lost (504 after it was done), against where it was not."""

    events: int
    tasks: int
    child_events: int
    child_tasks: int
    calls: Counter[str]


@dataclass(frozen=True, kw_only=True)
class Effects:
    """Everything about single effects. A count varies only where looks end side by side; one run of each is enough."""

    story: Both
    few: Both
    many: Both
    lost: Lost

    def further(self, kind: str) -> dict[str, float]:
        """What one further effect costs: events, workflow tasks, requests for a charge and for a ticket."""
        few, many = getattr(self.few, kind), getattr(self.many, kind)
        more, calls = MANY - FEW, many.calls - few.calls
        return {
            "events of history": (len(many.events) - len(few.events)) / more,
            "workflow tasks": (tally.workflow_tasks(many.events) - tally.workflow_tasks(few.events)) / more,
            "requests for a charge": _of("payments", calls) / (more / 2),
            "requests for a ticket": _of("tickets", calls) / (more / 2),
        }


async def measure(ground: Ground) -> Effects:
    """One run of each. The first ones only warm up: a provider asks some things once in its life."""
    for name in (STORY, f"direct:{FEW}"):
        await _both(ground, name)
    return Effects(
        story=await _both(ground, STORY),
        few=await _both(ground, f"direct:{FEW}"),
        many=await _both(ground, f"direct:{MANY}"),
        lost=await _lost(ground),
    )


async def _both(ground: Ground, name: str) -> Both:
    return Both(ours=await ground.run("ours", name), bare=await ground.run("bare", name))


async def _lost(ground: Ground) -> Lost:
    heard = await ground.run("ours", "ticket")
    await ground.fault("tickets", "create", "after:504")
    lost = await ground.run("ours", "ticket")
    asked = [
        (await ground.client.get_workflow_handle(child).fetch_history()).events for child in tally.children(lost.events)
    ]
    return Lost(
        events=len(lost.events) - len(heard.events),
        tasks=tally.workflow_tasks(lost.events) - tally.workflow_tasks(heard.events),
        child_events=sum(len(events) for events in asked),
        child_tasks=sum(tally.workflow_tasks(events) for events in asked),
        calls=lost.calls - heard.calls,
    )


def _of(system: str, calls: Counter[str]) -> int:
    return sum(number for name, number in calls.items() if name.startswith(f"{system} "))
