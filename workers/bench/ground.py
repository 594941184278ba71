"""The ground: a client and a world, and one run on them from start to end, measured."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, Literal

import httpx
from temporalio.api.history.v1 import HistoryEvent
from temporalio.client import Client, WorkflowFailureError, WorkflowHandle
from temporalio.exceptions import ApplicationError

from workers.bench.plans import PREFIX, STORY, plan
from workers.bench.straight import Wish
from workers.bench.tally import name_of
from workers.bench.toys import AGENT
from workers.exits import CannotTell
from workflows.agent_run import RUN_UNWOUND
from workflows.options import RUNS

Kind = Literal["ours", "bare"]
Handle = WorkflowHandle[Any, Any]


@dataclass(frozen=True, kw_only=True)
class Spent:
    """Seconds of processor time since some beginning."""

    workers_s: float = 0.0
    server_s: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Ran:
    """One run that has ended."""

    run_id: str
    events: Sequence[HistoryEvent]
    calls: Counter[str]
    """Requests that the world received meanwhile, as `payments create`."""
    wall_s: float
    workers_cpu_s: float
    server_cpu_s: float


class Ground:
    """Where both kinds of run are made: the same workers, the same queues, the same world."""

    def __init__(self, client: Client, world_url: str, spent: Callable[[], Spent] = Spent) -> None:
        """`spent`: what workers and server have used so far."""
        self.client, self._world_url, self._spent = client, world_url, spent
        self._numbers = count()

    async def begin(self, kind: Kind, name: str) -> Handle:
        """Start a run of that plan."""
        ours = kind == "ours"
        return await self.client.start_workflow(
            "AgentRun" if ours else "Bare",
            request(name) if ours else PREFIX + name,
            id=f"{kind}-{name.replace(':', '-')}-{next(self._numbers)}",
            task_queue=RUNS,
        )

    async def run(self, kind: Kind, name: str) -> Ran:
        """That plan from start to end, approved where it waits for that. Nothing else should run meanwhile."""
        before, spent, start = await self.calls(), self._spent(), time.perf_counter()
        handle = await self.begin(kind, name)
        if name == STORY:
            await approve(handle, kind)
        await _well_ended(handle)
        wall_s, now = time.perf_counter() - start, self._spent()
        return Ran(
            run_id=handle.id,
            events=(await handle.fetch_history()).events,
            calls=await self.calls() - before,
            wall_s=wall_s,
            workers_cpu_s=now.workers_s - spent.workers_s,
            server_cpu_s=now.server_s - spent.server_s,
        )

    async def unwound(self, name: str) -> Sequence[HistoryEvent]:
        """The history of a run of ours of that plan, which must end by being undone."""
        handle = await self.begin("ours", name)
        try:
            await handle.result()
        except WorkflowFailureError as error:
            if isinstance(error.cause, ApplicationError) and error.cause.type == RUN_UNWOUND:
                return (await handle.fetch_history()).events
            raise CannotTell(f"{handle.id} should have been undone and ended otherwise: {error.cause}") from None
        raise CannotTell(f"{handle.id} should have been undone and went through")

    async def together(self, tool: str, number: int) -> Sequence[HistoryEvent]:
        """The history of a bare workflow that makes so many calls at once."""
        handle = await self.client.start_workflow(
            "BareTogether",
            [Wish(tool=tool, args={"page": f"{page:05}"}) for page in range(number)],
            id=f"together-{tool}-{number}-{next(self._numbers)}",
            task_queue=RUNS,
        )
        await _well_ended(handle)
        return (await handle.fetch_history()).events

    async def calls(self) -> Counter[str]:
        """Every request the world has received, as `payments create`."""
        async with self._world() as world:
            said = (await world.get("/world/calls")).raise_for_status().json()
        return Counter(f"{each['system']} {each['operation']}" for each in said)

    async def fault(self, system: str, operation: str, fault: str) -> None:
        """Let it strike the next such request."""
        async with self._world() as world:
            armed = {"system": system, "operation": operation, "fault": fault}
            (await world.post("/world/faults", json=armed)).raise_for_status()

    def _world(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(base_url=self._world_url, timeout=10)


async def _well_ended(handle: Handle) -> None:
    try:
        await handle.result()
    except WorkflowFailureError as error:
        raise CannotTell(f"{handle.id} should have gone through and ended otherwise: {error.cause}") from None


def request(name: str) -> dict[str, Any]:
    """The RunRequest of that plan, with room for the longest."""
    return {
        "agent": AGENT,
        "request": {},
        "requested_by": "ann",
        "model": PREFIX + name,
        "limits": {"max_steps": 500, "max_model_calls": 500},
    }


async def approve(handle: Handle, kind: Kind) -> None:
    """Wait until the story waits for a person, and say yes. Seen in the history, so that no worker is asked.

    A run that ends before that says so in its result.
    """
    turns = len(plan(PREFIX + STORY).turns) + 1
    if kind == "bare" and await _happens(handle, _has_planned(turns)):
        await handle.signal("approve")
    elif kind == "ours" and await _happens(handle, _awaits):
        shown = await handle.query("proposal")
        await handle.execute_update("decide_pivot", {"decision": "approve", "digest": shown["digest"], "by": "bob"})


async def _happens(handle: Handle, seen: Callable[[HistoryEvent], bool]) -> bool:
    """True at the event that was waited for; False where the run has ended without."""
    async for event in handle.fetch_history_events(wait_new_event=True):
        if seen(event):
            return True
    return False


def _awaits(event: HistoryEvent) -> bool:
    written = event.upsert_workflow_search_attributes_event_attributes.search_attributes.indexed_fields
    return "SagaPhase" in written and written["SagaPhase"].data == b'"AWAITING_APPROVAL"'


def _has_planned(turns: int) -> Callable[[HistoryEvent], bool]:
    """The bare workflow waits once the workflow task is over that heard its last turn."""
    asked: set[int] = set()
    answered: set[int] = set()

    def check(event: HistoryEvent) -> bool:
        if event.activity_task_scheduled_event_attributes.activity_type.name == "bare_ask":
            asked.add(event.event_id)
        answered.update(asked & {event.activity_task_completed_event_attributes.scheduled_event_id})
        return len(answered) == turns and name_of(event) == "workflow_task_completed"

    return check
