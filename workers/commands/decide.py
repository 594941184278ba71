"""Deciding on a run's proposal: `saga approve`, `saga reject`, `saga send-back`."""

from __future__ import annotations

import sys
from typing import Annotated, Any, Literal

import typer

from saga.decision import PivotDecision, parse
from saga.errors import BadInput
from workers import settings, waiting
from workers.commands.words import AsJson, By, Note, RunId, answer
from workers.connect import connect
from workers.decisions import send, update_id
from workers.exits import AnswerIsNo, answers
from workers.seen import Seen, see

Decision = Literal["approve", "reject", "send_back"]
DONE = {"approve": "approved", "reject": "rejected", "send_back": "sent back"}

Digest = Annotated[
    str | None, typer.Option("--digest", metavar="D", help="What was shown; anything else is not decided on.")
]
Yes = Annotated[bool, typer.Option("--yes", help="Decide on whatever stands now.")]
Strike = Annotated[
    str, typer.Option("--strike", metavar="I,J", help="Commits to leave out; what was staged for them is undone.")
]


@answers
async def approve(
    run_id: RunId, by: By, digest: Digest = None, yes: Yes = False, note: Note = "", as_json: AsJson = False
) -> None:
    """Let a run do what it proposes. On a terminal, without --digest or --yes, it is shown first."""
    await _decide("approve", run_id, by=by, digest=digest, yes=yes, note=note, as_json=as_json)


@answers
async def reject(
    run_id: RunId, by: By, digest: Digest = None, yes: Yes = False, note: Note = "", as_json: AsJson = False
) -> None:
    """Take back what a run has prepared, and end it."""
    await _decide("reject", run_id, by=by, digest=digest, yes=yes, note=note, as_json=as_json)


@answers
async def send_back(
    run_id: RunId,
    by: By,
    note: Annotated[str, typer.Option("--note", metavar="TEXT", help="What the agent should do instead.")],
    strike: Strike = "",
    digest: Digest = None,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Let the agent plan again, with a note, and without the commits that are struck."""
    struck = _indices(strike)
    await _decide("send_back", run_id, by=by, digest=digest, yes=yes, note=note, as_json=as_json, strike=struck)


async def _decide(
    decision: Decision,
    run_id: str,
    *,
    by: str,
    digest: str | None,
    yes: bool,
    note: str,
    as_json: bool,
    strike: tuple[int, ...] = (),
) -> None:
    if digest is not None and yes:
        raise BadInput("--digest", "or --yes, not both")
    client = await connect(settings.read())
    on = digest or await _what_stands(await see(client, run_id), decision, by, yes=yes)
    payload: dict[str, Any] = {"decision": decision, "digest": on, "by": by, "note": note}
    if strike:
        payload["strike"] = list(strike)
    parse(PivotDecision, payload)
    handle = client.get_workflow_handle(run_id)
    status = await send(handle, "decide_pivot", payload, key=update_id(run_id, on, decision, by))
    text = f"{DONE[decision]} by {by}; saga show {run_id} tells how it goes on"
    answer(text, status, as_json=as_json)


async def _what_stands(seen: Seen, decision: Decision, by: str, *, yes: bool) -> str:
    """The digest of what is decided on: of what stands, or, asked again, of what this person approved before."""
    if not yes and not on_terminal():
        raise BadInput("--digest", "is needed (`saga show` has it), or --yes for what stands now")
    proposal = seen.proposal
    if proposal is None or not proposal.digest:
        before = [row.approved_by.digest for row in seen.rows if row.approved_by and row.approved_by.by == by]
        if before and decision == "approve":
            return before[-1]
        raise AnswerIsNo(f"nothing awaits approval: {seen.run_id} is {seen.status.get('phase') or seen.ended}")
    if not yes:
        typer.echo("\n".join(waiting.offered(proposal)))
        typer.confirm(f"{decision.replace('_', ' ')} this as {by}?", abort=True)
    return proposal.digest


def on_terminal() -> bool:
    """Whether somebody is there to be asked."""
    return sys.stdin.isatty()


def _indices(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(",") if part.strip())
    except ValueError:
        raise BadInput("--strike", "step numbers with commas between them, such as 4,5") from None
