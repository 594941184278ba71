"""Records the histories of this folder: `python -m tests.histories.record`, or with the names of some of them.

Real processes on a real server (two minutes in all). Each history is checked against the laws before it is kept. When
one may be recorded anew is said in `tests/test_histories.py`.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from temporalio.client import WorkflowHistory

from tests.crash.ground import PATIENT, standing, visiting
from tests.crash.site import Handle, Site
from tests.crash.world import until
from workers.house import TOOLS, House

FOLDER = Path(__file__).parent
DROPPED = ("identity", "taskId", "meteringMetadata", "workerVersion", "stackTrace")
"""Fields of an event that say where it was recorded; a replay does not look at them."""


async def run_a(site: Site, run_id: str) -> Handle:
    """A lost ticket, a worker killed after the charge, and a warehouse that refuses."""
    await site.fault(run_id, "tickets", "create", "after:504")
    await site.fault(run_id, "payments", "capture", "after:slow:60")
    await site.fault(run_id, "warehouse", "reserve", "refuse:409")
    run = await site.start(run_id, "scripted:incident")
    await site.happened(run_id, "charge.capture")
    site.kill(TOOLS)
    await site.restart(TOOLS)
    return run


async def run_b(site: Site, run_id: str) -> Handle:
    """Staged, shown, approved, committed."""
    run = await site.start(run_id, order="1184")
    await site.decide(run, "approve", note="the chair is on us")
    return run


async def run_c(site: Site, run_id: str) -> Handle:
    """The same, rejected."""
    run = await site.start(run_id, order="1185")
    await site.decide(run, "reject", note="the guarantee is over")
    return run


async def waiting(site: Site, run_id: str) -> Handle:
    """One that still waits for its approval."""
    run = await site.start(run_id, order="1186")
    await site.proposal(run)
    return run


async def cancelled(site: Site, run_id: str) -> Handle:
    """Cancelled while it waited."""
    run = await site.start(run_id, order="1187")
    await site.proposal(run)
    await run.execute_update("cancel_run", {"keep": False, "by": "bob", "note": "the customer called"})
    await run.cancel()
    return run


async def expired(site: Site, run_id: str) -> Handle:
    """Nobody decided in time."""
    return await site.start(run_id, order="1188", approval_timeout_s=1)


async def resolved(site: Site, run_id: str) -> Handle:
    """A ticket that no search shows: a person looked, and said that it is there."""
    await site.fault(run_id, "tickets", "create", "after:504")
    async with site.everywhere("tickets", "search", "lag:600"):
        run = await site.start(run_id, order="1189")
        ticket = await site.row(run, "stage_ticket", "UNKNOWN")
        made = await site.happened(run_id, "ticket.create")
        found = {"happened": True, "external_ref": made["ref"], "by": "bob", "note": "it is in the list of drafts"}
        await run.execute_update("resolve_step", {"step_idx": ticket["step_idx"], "half": "call", **found})
    await site.decide(run, "approve")
    return run


async def sent_back(site: Site, run_id: str) -> Handle:
    """The letter was struck, the rest approved."""
    run = await site.start(run_id, order="1182")
    letter = next(each for each in (await site.proposal(run))["commit"] if each["tool"] == "send_draft")
    await site.decide(run, "send_back", strike=[letter["step_idx"]], note="no letter, please")
    await site.decide(run, "approve")
    return run


async def reset(site: Site, run_id: str) -> Handle:
    """Reset to before the payment, which was found, and approved."""
    run = await site.start(run_id, order="1183")
    await site.proposal(run)
    run = await site.reset(run, ": authorise_payment ")
    await site.decide(run, "approve")
    return run


STORIES: dict[str, Callable[[Site, str], Awaitable[Handle]]] = {
    story.__name__: story for story in (run_a, run_b, run_c, waiting, cancelled, expired, resolved, sent_back, reset)
}


async def _record(house: House, names: Sequence[str]) -> None:
    async with visiting(house) as site:
        for name in names:
            run = await STORIES[name](site, f"recorded-{name}")
            if name != "waiting":
                await site.end(run)
            await until(lambda run=run: _idle(run), f"a quiet moment of {name}")
            await site.check(run)
            histories = await site.histories(run)
            (FOLDER / f"{name}.json").write_text(_text(histories), "utf-8")
            _say(f"{name}: {', '.join(f'{len(each.events)} events of {each.workflow_id}' for each in histories)}")


async def _idle(run: Handle) -> bool:
    """No workflow task is under way: what is recorded was decided by a worker, to the last event."""
    last = (await run.fetch_history()).events[-1]
    return not (
        last.HasField("workflow_task_scheduled_event_attributes")
        or last.HasField("workflow_task_started_event_attributes")
    )


def _text(histories: Sequence[WorkflowHistory]) -> str:
    """One event a line, so that a change can be read."""
    parts: list[str] = []
    for each in histories:
        events = [json.dumps(_bare(event), sort_keys=True) for event in json.loads(each.to_json())["events"]]
        parts.append(f'{{"workflow_id": {json.dumps(each.workflow_id)}, "events": [\n' + ",\n".join(events) + "\n]}")
    return "[" + ",\n".join(parts) + "]\n"


def _bare(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _bare(each) for name, each in value.items() if name not in DROPPED}
    return [_bare(each) for each in value] if isinstance(value, list) else value


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")


def main(names: Sequence[str]) -> int:
    """Record those, or all; 2 for a name that there is not."""
    unknown = set(names) - set(STORIES)
    if unknown:
        _say(f"no such history: {', '.join(sorted(unknown))}; there are {', '.join(STORIES)}")
        return 2
    with tempfile.TemporaryDirectory() as directory, standing(Path(directory), PATIENT) as house:
        asyncio.run(_record(house, names or list(STORIES)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
