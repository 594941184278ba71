"""Deciding on a run's proposal, or on one call of it: `saga approve`, `saga reject`, `saga send-back`."""

from __future__ import annotations

import sys
from typing import Annotated, Any, Literal

import typer

from saga.decision import GateDecision, PivotDecision, parse
from saga.errors import BadInput
from workers import settings, waiting
from workers.commands.words import AsJson, By, Note, RunId, answer
from workers.connect import connect
from workers.decisions import send, update_id
from workers.exits import AnswerIsNo, answers
from workers.seen import Seen, see
from workflows.need import Need

Decision = Literal["approve", "reject", "send_back"]
DONE = {"approve": "approved", "reject": "rejected", "send_back": "sent back"}

Digest = Annotated[
    str | None, typer.Option("--digest", metavar="D", help="What was shown; anything else is not decided on.")
]
AtGate = Annotated[
    int | None,
    typer.Argument(metavar="[STEP]", help="One call that waits to be decided on by itself, by its number.", min=0),
]
Yes = Annotated[bool, typer.Option("--yes", help="Decide on whatever stands now.")]
Strike = Annotated[
    str, typer.Option("--strike", metavar="I,J", help="Commits to leave out; what was staged for them is undone.")
]


@answers
async def approve(
    run_id: RunId,
    by: By,
    step: AtGate = None,
    digest: Digest = None,
    yes: Yes = False,
    note: Note = "",
    as_json: AsJson = False,
) -> None:
    """Let a run do what it proposes. On a terminal, without --digest or --yes, it is shown first."""
    await _decide("approve", run_id, step, by=by, digest=digest, yes=yes, note=note, as_json=as_json)


@answers
async def reject(
    run_id: RunId,
    by: By,
    step: AtGate = None,
    digest: Digest = None,
    yes: Yes = False,
    note: Note = "",
    as_json: AsJson = False,
) -> None:
    """Take back what a run has prepared, and end it; with STEP, only leave out that call."""
    await _decide("reject", run_id, step, by=by, digest=digest, yes=yes, note=note, as_json=as_json)


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


async def _decide(  # noqa: PLR0913 - what the three commands take, as it was typed
    decision: Decision,
    run_id: str,
    step: int | None = None,
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
    on = digest or await _what_stands(await see(client, run_id), step, decision, by, yes=yes)
    payload: dict[str, Any] = {"decision": decision, "digest": on, "by": by, "note": note}
    if strike:
        payload["strike"] = list(strike)
    if step is not None:
        payload["step_idx"] = step
    parse(PivotDecision if step is None else GateDecision, payload)
    handle = client.get_workflow_handle(run_id)
    update = "decide_pivot" if step is None else "decide_gate"
    told = await send(handle, update, payload, key=update_id(run_id, on, decision, by))
    what = "" if step is None else f"step {step} "
    text = f"{what}{DONE[decision]} by {by}; saga show {run_id} tells how it goes on"
    answer(text, told, as_json=as_json)


async def _what_stands(seen: Seen, step: int | None, decision: Decision, by: str, *, yes: bool) -> str:
    """The digest of what is decided on: of what stands, or, asked again, of what this person approved before."""
    if not yes and not on_terminal():
        raise BadInput("--digest", "is needed (`saga show` has it), or --yes for what stands now")
    return _pivot(seen, decision, by, yes=yes) if step is None else _gate(seen, step, decision, by, yes=yes)


def _pivot(seen: Seen, decision: Decision, by: str, *, yes: bool) -> str:
    proposal = seen.proposal
    if proposal is None or not proposal.digest:
        pivot = [row.approved_by for row in seen.rows if row.approved_by and row.behind_pivot]
        before = [approval.digest for approval in pivot if approval.by == by]
        if before and decision == "approve":
            return before[-1]
        gates = [f"saga {decision} {seen.run_id} {need.step_idx}" for need in _gates(seen)]
        alone = f"; by itself waits: {', '.join(gates)}" if gates else ""
        raise AnswerIsNo(f"nothing awaits approval: {seen.run_id} is {seen.status.get('phase') or seen.ended}{alone}")
    if not yes:
        _agreed(waiting.offered(proposal), decision, by)
    return proposal.digest


def _gate(seen: Seen, step: int, decision: Decision, by: str, *, yes: bool) -> str:
    need = next((need for need in _gates(seen) if need.step_idx == step), None)
    if need is None or not need.digest:
        row = seen.rows[step] if step < len(seen.rows) else None
        approval = row.approved_by if row else None
        if approval and approval.gate and approval.by == by and decision == "approve":
            return approval.digest
        stands = f"step {step} {row.tool} is {row.status}" if row else f"{seen.run_id} has {len(seen.rows)} steps"
        raise AnswerIsNo(f"nothing there waits to be decided on by itself: {stands}")
    if not yes:
        _agreed(waiting.at_gate(need), decision, by)
    return need.digest


def _gates(seen: Seen) -> list[Need]:
    """The calls that wait to be decided on by themselves."""
    needs = (Need.model_validate(each) for each in seen.status.get("needs_human") or ())
    return [need for need in needs if need.kind == "gate"]


def _agreed(lines: list[str], decision: Decision, by: str) -> None:
    """Show it and ask; typer.Abort where the answer is no."""
    typer.echo("\n".join(lines))
    typer.confirm(f"{decision.replace('_', ' ')} this as {by}?", abort=True)


def on_terminal() -> bool:
    """Whether somebody is there to be asked."""
    return sys.stdin.isatty()


def _indices(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(",") if part.strip())
    except ValueError:
        raise BadInput("--strike", "step numbers with commas between them, such as 4,5") from None
