"""The beginning and the end of a run: `saga start`, `saga cancel`."""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import Annotated, Any

import typer
from temporalio.client import Client, WorkflowFailureError
from temporalio.common import WorkflowIDConflictPolicy, WorkflowIDReusePolicy
from temporalio.exceptions import WorkflowAlreadyStartedError
from temporalio.service import RPCError

from activities.admit import examine
from saga.decision import CancelOrder, parse
from saga.errors import BadInput
from workers import composition, effects, settings, story
from workers.commands.look import as_data
from workers.commands.words import AsJson, Note, RunId, answer
from workers.connect import connect
from workers.decisions import send, unheard, update_id
from workers.exits import BAD_INPUT, NO, AnswerIsNo, CannotTell, answers
from workers.seen import Seen, described, see
from workers.settings import Settings
from workflows.options import RUNS

LOOK_EVERY_S = 1.0
"""While --wait waits, it looks this often whether a person is needed: sooner than anybody would get up."""


@answers
async def start(  # noqa: PLR0913, PLR0917 - Typer makes an option of each
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="Which agent; `saga tools` shows theirs.")],
    run_id: Annotated[str, typer.Option("--id", metavar="ID", help="The run's id; never used again.")],
    request: Annotated[str, typer.Option("--request", metavar="JSON", help="What the agent is asked for.")],
    by: Annotated[str, typer.Option("--requested-by", metavar="WHO", help="Who asks.")],
    model: Annotated[str | None, typer.Option("--model", metavar="M", help="Such as scripted:refund.")] = None,
    approvers: Annotated[
        str, typer.Option("--approvers", metavar="A,B", help="Who may approve. Nobody named: anyone but who asks.")
    ] = "",
    approval_timeout_s: Annotated[
        int | None, typer.Option("--approval-timeout-s", metavar="S", help="How long an approval is waited for.")
    ] = None,
    limits: Annotated[
        str, typer.Option("--limits", metavar="JSON", help="max_steps, max_model_calls, max_spend.")
    ] = "",
    faults: Annotated[
        str,
        typer.Option("--faults", metavar="JSON", help="To arm for this run; refused where the worker has them off."),
    ] = "",
    wait: Annotated[bool, typer.Option("--wait", help="Wait for its end, and tell its story.")] = False,
    as_json: AsJson = False,
) -> None:
    """Start a run. What does not fit is refused here, before anything is sent."""
    payload: dict[str, Any] = {"agent": agent, "request": _json("--request", request), "requested_by": by}
    given = {
        "model": model,
        "approvers": [name.strip() for name in approvers.split(",") if name.strip()],
        "approval_timeout_s": approval_timeout_s,
        "limits": _json("--limits", limits) if limits else None,
        "faults": _json("--faults", faults, list) if faults else None,
    }
    payload |= {name: value for name, value in given.items() if value}
    config = settings.read()
    client = await _started(config, run_id, payload)
    if not wait:
        answer(f"started {run_id} (saga show {run_id})", {"id": run_id, **payload}, as_json=as_json)
        return
    await _told(config, await _end(client, run_id), as_json=as_json)


@answers
async def cancel(
    run_id: RunId,
    keep: Annotated[bool, typer.Option("--keep", help="Leave what is settled; only go no further.")] = False,
    by: Annotated[str, typer.Option("--by", metavar="WHO", help="Who cancels; else this account's name.")] = "",
    note: Note = "",
    as_json: AsJson = False,
) -> None:
    """End a run before its approval is carried out: what it did is taken back."""
    config = settings.read()
    order = {"keep": keep, "by": by or config.person, "note": note}
    parse(CancelOrder, order)
    client = await connect(config)
    handle = client.get_workflow_handle(run_id)
    if (await described(handle)).close_time is not None:
        raise AnswerIsNo(f"{run_id} has ended; there is nothing to cancel")
    silent: CannotTell | None = None
    try:
        status = await send(handle, "cancel_run", order, key=update_id(run_id, "cancel_run", keep, order["by"]))
    except CannotTell as error:
        silent, status = error, {}
    if silent is not None and keep:
        # Temporal's own cancel carries nothing: arriving first, it would take back what should be kept.
        raise silent
    await handle.cancel()
    if silent is not None:
        raise CannotTell(f"the server has noted the cancel; who and why may be lost. {unheard(run_id)}")
    text = f"cancelled by {order['by']}; saga show {run_id} tells how it ends"
    answer(text, status, as_json=as_json)


async def _started(config: Settings, run_id: str, payload: dict[str, Any]) -> Client:
    # The same judgement as at the door, so that what does not fit never reaches the server.
    examine(composition.registry(config), composition.model_of, payload, run_id)
    client = await connect(config)
    try:
        await client.start_workflow(
            "AgentRun",
            payload,
            id=run_id,
            task_queue=RUNS,
            id_reuse_policy=WorkflowIDReusePolicy.REJECT_DUPLICATE,
            id_conflict_policy=WorkflowIDConflictPolicy.FAIL,
        )
    except WorkflowAlreadyStartedError:
        raise BadInput("--id", f"{run_id} has run before; choose another id (its keys would be the same)") from None
    return client


async def _end(client: Client, run_id: str) -> Seen:
    """The run at its end; meanwhile says on stderr when somebody is needed."""
    handle = client.get_workflow_handle(run_id)
    result = asyncio.ensure_future(handle.result())
    said = ""
    while not result.done():
        await asyncio.wait([result], timeout=LOOK_EVERY_S)
        about = await described(handle)
        needed = {pair.key.name: pair.value for pair in about.typed_search_attributes}
        phase = str(needed.get("SagaPhase", ""))
        if about.close_time is None and needed.get("SagaNeedsHuman") and phase != said:
            typer.echo(f"{run_id} is {phase}: somebody is needed (saga show {run_id})", err=True)
            said = phase
    with contextlib.suppress(WorkflowFailureError, RPCError):  # how it ended is part of what is seen
        await result
    return await see(client, run_id)


async def _told(config: Settings, seen: Seen, *, as_json: bool) -> None:
    world = await effects.look(config.sandbox, seen.run_id, seen.rows)
    answer(story.story(seen, world).rstrip(), as_data(seen, world), as_json=as_json)
    if seen.refused:
        raise typer.Exit(BAD_INPUT)
    if seen.ended != "COMPLETED":
        raise typer.Exit(NO)


def _json(option: str, text: str, kind: type[Any] = dict) -> Any:
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if not isinstance(value, kind):
        shape = "object" if kind is dict else "list"
        raise BadInput(option, f"expected one JSON {shape}")
    return value
