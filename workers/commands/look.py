"""Looking at runs: `saga show`, `saga list`."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from temporalio.client import WorkflowExecution
from temporalio.service import RPCError, RPCStatusCode

from saga.errors import BadInput
from workers import effects, settings, story
from workers.commands.words import AsJson, RunId, answer
from workers.connect import connect
from workers.effects import WorldView
from workers.exits import CannotTell, answers
from workers.seen import Seen, see
from workers.wording import columns, moment

LIMIT = 100
"""Runs of one list: more is not read but searched."""


@answers
async def show(run_id: RunId, as_json: AsJson = False) -> None:
    """What happened in a run, in what order, what stands, and what waits for whom."""
    config = settings.read()
    seen = await see(await connect(config), run_id)
    world = await effects.look(config.sandbox, run_id, seen.rows)
    answer(story.story(seen, world).rstrip(), as_data(seen, world), as_json=as_json)


@answers
async def list_runs(
    phase: Annotated[str, typer.Option("--phase", help="Such as AWAITING_APPROVAL.")] = "",
    agent: Annotated[str, typer.Option("--agent", help="Such as refund.")] = "",
    subject: Annotated[str, typer.Option("--subject", help="What the run is about: the order, the client.")] = "",
    waiting: Annotated[bool, typer.Option("--waiting", help="Only open runs that wait for a person.")] = False,
    limit: Annotated[int, typer.Option("--limit", min=1, help="At most so many, the latest first.")] = LIMIT,
    as_json: AsJson = False,
) -> None:
    """The runs that the server knows, the latest first."""
    client = await connect(settings.read())
    query = where(phase=phase, agent=agent, subject=subject, waiting=waiting)
    try:
        found = [_line_data(each) async for each in client.list_workflows(query, limit=limit)]
    except RPCError as error:
        if error.status != RPCStatusCode.INVALID_ARGUMENT:
            raise
        raise CannotTell(
            f"the server cannot search by our attributes yet ({error.message}); a worker of the runs "
            "registers them when it starts"
        ) from None
    answer("\n".join(_table(found)), found, as_json=as_json)


def where(*, phase: str, agent: str, subject: str, waiting: bool) -> str:
    """The visibility query. Given values are quoted; one with a quote in it is BadInput."""
    terms = ["WorkflowType = 'AgentRun'"]
    for name, value in (("SagaPhase", phase.upper()), ("SagaAgent", agent), ("SagaSubject", subject)):
        if "'" in value or "\\" in value:
            raise BadInput(name, "no quotes or backslashes")
        if value:
            terms.append(f"{name} = '{value}'")
    if waiting:
        # A terminated run keeps its last phase.
        terms += ["SagaNeedsHuman = true", "ExecutionStatus = 'Running'"]
    return " AND ".join(terms)


def as_data(seen: Seen, world: WorldView) -> dict[str, Any]:
    """A run, for a program."""
    return {
        "id": seen.run_id,
        "agent": seen.agent,
        "subject": seen.subject,
        "requested_by": seen.requested_by,
        "source": seen.source,
        "arrived": list(seen.arrived),
        "ended": seen.ended,
        "refused": seen.refused,
        "why": seen.why,
        "status": seen.status,
        "proposal": seen.proposal.model_dump(mode="json") if seen.proposal else {"digest": None},
        "rows": [row.model_dump(mode="json") for row in seen.rows],
        "world": effects.as_json(world),
    }


def _line_data(run: WorkflowExecution) -> dict[str, Any]:
    told = {pair.key.name: pair.value for pair in run.typed_search_attributes}
    return {
        "id": run.id,
        "phase": told.get("SagaPhase"),
        "workflow": run.status.name if run.status is not None else None,
        "agent": told.get("SagaAgent"),
        "subject": told.get("SagaSubject"),
        "unsettled": told.get("SagaUnsettled"),
        "needs_human": told.get("SagaNeedsHuman"),
        "started": moment(run.start_time),
    }


def _table(found: list[dict[str, Any]]) -> list[str]:
    if not found:
        return ["no such run"]
    rows = [["ID", "PHASE", "WORKFLOW", "AGENT", "ABOUT", "OPEN", "WAITS", "STARTED"]]
    for run in found:
        waits = "a person" if run["needs_human"] and run["workflow"] == "RUNNING" else ""
        cells = [run["id"], run["phase"], run["workflow"], run["agent"], run["subject"], run["unsettled"]]
        rows.append([*("" if cell in (None, 0) else str(cell) for cell in cells), waits, run["started"]])
    return columns(rows)
