"""Settling one half of a step by a person's word: `saga resolve`, `saga retry`, `saga waive`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from saga.decision import Resolution, StepOrder, parse
from saga.errors import BadInput
from saga.record import Typed
from saga.row import Row
from workers import settings, story
from workers.commands.words import AsJson, By, HalfOf, Note, RunId, Step, answer
from workers.connect import connect
from workers.decisions import episode, send, update_id
from workers.exits import answers
from workers.seen import see


@answers
async def resolve(
    run_id: RunId,
    step: Step,
    by: By,
    happened: Annotated[
        bool, typer.Option("--happened/--did-not-happen", help="What you saw when you looked at the real system.")
    ],
    ref: Annotated[
        str | None, typer.Option("--ref", metavar="REF", help="The reference of what is there, where it happened.")
    ] = None,
    half: HalfOf = "call",
    note: Note = "",
    as_json: AsJson = False,
) -> None:
    """Say whether something of unknown outcome happened, after you looked."""
    payload: dict[str, Any] = {
        **_order(step, half, by, note),
        "happened": happened,
        "external_ref": ref,
    }
    await _settle("resolve_step", Resolution, run_id, payload, said=str(happened), as_json=as_json)


@answers
async def retry(
    run_id: RunId, step: Step, by: By, half: HalfOf = "call", note: Note = "", as_json: AsJson = False
) -> None:
    """Let that half be tried, or looked for, again, once the cause is mended."""
    await _settle("retry_step", StepOrder, run_id, _order(step, half, by, note), as_json=as_json)


@answers
async def waive(
    run_id: RunId, step: Step, by: By, half: HalfOf = "call", note: Note = "", as_json: AsJson = False
) -> None:
    """Take it upon yourself to leave that half open: the run goes on without knowing."""
    await _settle("waive_step", StepOrder, run_id, _order(step, half, by, note), as_json=as_json)


async def _settle(
    update: str, model: type[Typed], run_id: str, payload: dict[str, Any], *, as_json: bool, said: str = ""
) -> None:
    parse(model, payload)
    client = await connect(settings.read())
    rows = (await see(client, run_id)).rows
    step, half = payload["step_idx"], payload["half"]
    if step >= len(rows):
        raise BadInput("STEP", f"there are steps 0 to {len(rows) - 1}" if rows else "the run has taken no step yet")
    key = update_id(run_id, update, step, half, episode(rows[step], half), payload["by"], said)
    row = await send(client.get_workflow_handle(run_id), update, payload, key=key)
    answer(story.step_line(Row.model_validate(row)), row, as_json=as_json)


def _order(step: int, half: str, by: str, note: str) -> dict[str, Any]:
    return {"step_idx": step, "half": half, "by": by, "note": note}
