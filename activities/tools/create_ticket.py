"""The tool `create_ticket`: a ticket in the support team's queue; closed with a reason when the run is undone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from activities.order_id import OrderId
from activities.providers.ticket import labels_of
from activities.providers.tickets import INDEX_LAG_S, PACE, Tickets
from saga.draft import CounterCall
from saga.errors import Unanswered
from saga.outcome import Receipt, Sighting
from saga.record import Typed
from saga.tool import Answers, Call, Tool

Priority = Literal["Highest", "High", "Medium", "Low", "Lowest"]
"""The names that a Jira comes with."""


def _on_one_line(typed: Any) -> Any:
    return " ".join(typed.split()) if isinstance(typed, str) else typed


Summary = Annotated[str, BeforeValidator(_on_one_line), Field(min_length=1, max_length=255)]
"""Jira refuses a summary with a line break in it, and one of more than 255 characters."""


class TicketArgs(Typed):
    """What a ticket says."""

    order_id: OrderId
    summary: Summary
    description: Annotated[str, Field(max_length=4_000)] = ""
    """The row that keeps it should stay about a kilobyte; 4,000 characters are a page."""
    priority: Priority | None = None


async def open_ticket(tickets: Tickets, call: Call[TicketArgs], *, draft: bool) -> Receipt:
    """Look for the key, then one POST: Jira would make a second ticket as gladly as the first."""
    await tickets.check(draft=draft)
    seen = await tickets.carrying(call.key, proven=False)
    if len(seen) > 1:
        raise Unanswered(f"{len(seen)} tickets carry one key", code="two_found")
    if seen:
        return seen[0].sighting(call.tags).receipt().model_copy(update={"found": True})
    args, tags = call.args, call.tags
    made = await tickets.create(
        draft=draft,
        summary=args.summary,
        description=f"{args.description}\n\nOrder {args.order_id}. Opened by {tags.run_id}, step {tags.step_idx}.",
        labels=labels_of(tags),
        priority=args.priority,
    )
    # Jira answers without labels; that this ticket carries ours is what was asked of it.
    return Receipt(
        external_ref=str(made["key"]),
        result={"ticket": made["key"], "id": made["id"]},
        execution=tags.execution,
    )


async def find_ticket(tickets: Tickets, call: Call[TicketArgs]) -> Sequence[Sighting]:
    """By label, each as the effect it is."""
    return [each.sighting(call.tags) for each in await tickets.carrying(call.key)]


async def _perform(tickets: Tickets, call: Call[TicketArgs]) -> Receipt:
    return await open_ticket(tickets, call, draft=False)


CREATE_TICKET = Tool(
    name="create_ticket",
    about=(
        "Open a ticket that the support team sees in its queue at once. Prefer stage_ticket, which nobody sees before "
        "a person has approved."
    ),
    system="tickets",
    args=TicketArgs,
    example={"order_id": "1182", "summary": "Refund for order 1182", "description": "The lamp arrived broken."},
    tool_class="compensatable",
    perform=_perform,
    find=find_ticket,
    grade="lookup",
    pace=PACE,
    index_lag_s=INDEX_LAG_S,
    audience=lambda _: ("support_team",),
    target=lambda args: f"a ticket for order {args.order_id}",
    # One order has one ticket in a run, in whatever words it is asked for.
    identity=("order_id",),
    compensate=lambda args, key: CounterCall(
        tool="close_ticket",
        args={"ticket_key": key, "reason": f"The run that opened this for order {args.order_id} was undone."},
    ),
    answers=Answers(
        pivot="It may run before the pivot, since it can be closed; the team has seen it then.",
        undo="close_ticket: a transition into a done state, with the reason as a comment.",
        idempotent="close_ticket reads the ticket first and does nothing to one that is done or gone.",
        unknown="By the label saga-<key>; an empty search counts after Jira's index lag, with the login proven good.",
        paged="The support lead, who can close the ticket by hand.",
    ),
)
