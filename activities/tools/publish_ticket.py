"""The tool `publish_ticket`: the commit half of `stage_ticket`, which moves the draft into the team's queue."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from activities.order_id import OrderId
from activities.providers.ticket import Ticket
from activities.providers.ticket_change import TicketChange, locate, receipt
from activities.providers.ticket_way import to_publish
from activities.providers.tickets import PACE, READ_LAG_S, Tickets
from saga.draft import CounterCall
from saga.errors import Refused, Unanswered
from saga.outcome import Receipt, Sighting
from saga.record import Typed
from saga.tool import Answers, Call, Tool


class PublishArgs(Typed):
    """Which draft."""

    ticket_key: Annotated[str, Field(min_length=1, max_length=64)]
    """The key of the staged ticket."""
    order_id: OrderId


async def _perform(tickets: Tickets, call: Call[PublishArgs]) -> Receipt:
    """Read, and move it only if it is a draft still: a transition has no key, its target state stands for one."""
    ticket = await locate(tickets, call, call.args.ticket_key)
    if ticket is None:
        raise Refused("the staged ticket is gone", code="gone")
    if ticket.closed:
        raise Refused(f"{ticket.key} was closed before it was published", code="closed")
    if not _is_draft(tickets, ticket):
        return receipt(ticket, call, already=not ticket.carries(call.key))
    async with TicketChange(tickets, ticket, call.key) as change:
        way = to_publish(await tickets.ways(ticket), draft=tickets.desk.draft_status)
        if way is None:
            raise Refused(f"no transition leads {ticket.key} into the queue", code="no_way_to_publish")
        ticket = await change.go(way)
        if _is_draft(tickets, ticket):
            raise Unanswered("the ticket is a draft still", code="not_read_back")
    return receipt(ticket, call)


async def _find(tickets: Tickets, call: Call[PublishArgs]) -> Sequence[Sighting]:
    """Told by the ticket's state: published by anyone is published. Closed without our key on it, it never was."""
    ticket = await locate(tickets, call, call.args.ticket_key)
    if ticket is None or _is_draft(tickets, ticket) or (ticket.closed and not ticket.carries(call.key)):
        return []
    return [ticket.sighting(call.tags)]


def _is_draft(tickets: Tickets, ticket: Ticket) -> bool:
    return ticket.status == tickets.desk.draft_status


PUBLISH_TICKET = Tool(
    name="publish_ticket",
    about="Move the staged ticket into the team's queue.",
    system="tickets",
    args=PublishArgs,
    example={"ticket_key": "0" * 32, "order_id": "1182"},
    tool_class="compensatable",
    perform=_perform,
    find=_find,
    grade="lookup",
    pace=PACE,
    index_lag_s=READ_LAG_S,
    audience=lambda _: ("support_team",),
    target=lambda args: f"the ticket for order {args.order_id}",
    identity=("ticket_key",),
    compensate=lambda args, key: CounterCall(
        tool="close_ticket",
        args={"ticket_key": key, "reason": f"The run that opened this for order {args.order_id} was undone."},
    ),
    answers=Answers(
        pivot="It is the pivot's own: it runs only after a person has approved.",
        undo="close_ticket: a transition into a done state, with the reason as a comment.",
        idempotent="close_ticket reads the ticket first and does nothing to one that is done or gone.",
        unknown="By reading the ticket: it is a draft or it is not, and reading has no lag.",
        paged="The support lead, who can publish or close the ticket by hand.",
    ),
)
