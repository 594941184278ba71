"""The tool `stage_ticket`: a ticket in a draft state outside the team's queue; published after the pivot."""

from __future__ import annotations

from activities.providers.tickets import INDEX_LAG_S, PACE, Tickets
from activities.tools.create_ticket import TicketArgs, find_ticket, open_ticket
from saga.draft import CounterCall
from saga.outcome import Receipt
from saga.tool import Answers, Call, Tool


async def _perform(tickets: Tickets, call: Call[TicketArgs]) -> Receipt:
    return await open_ticket(tickets, call, draft=True)


STAGE_TICKET = Tool(
    name="stage_ticket",
    about=(
        "Prepare a ticket for the support team. It stays out of the team's queue until a person has approved the run; "
        "then it is published by itself."
    ),
    system="tickets",
    args=TicketArgs,
    example={"order_id": "1182", "summary": "Refund for order 1182", "description": "The lamp arrived broken."},
    tool_class="reversible",
    perform=_perform,
    find=find_ticket,
    grade="lookup",
    pace=PACE,
    index_lag_s=INDEX_LAG_S,
    audience=lambda _: ("agent",),
    target=lambda args: f"a draft ticket for order {args.order_id}",
    # One order has one ticket in a run, in whatever words it is asked for.
    identity=("order_id",),
    compensate=lambda _, key: CounterCall(tool="discard_ticket", args={"ticket_key": key}),
    commits="publish_ticket",
    commit_args=lambda args, key: {"ticket_key": key, "order_id": args.order_id},
    answers=Answers(
        pivot="It runs before the pivot; publish_ticket, its other half, after it.",
        undo="discard_ticket: the draft is deleted; nobody has seen it.",
        idempotent="A ticket that is gone already is discarded; deleting it again finds nothing.",
        unknown="By the label saga-<key>; an empty search counts after Jira's index lag, with the login proven good.",
        paged="The support lead, who can delete the draft by hand.",
    ),
)
