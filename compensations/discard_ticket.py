"""The counter-action `discard_ticket`: the draft is deleted, unless somebody has published it.

Jira cannot delete on a condition: between reading the draft and deleting it lies a moment in which a person could
still publish it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from activities.providers.ticket import Ticket
from activities.providers.ticket_change import TicketChange, gone, locate, receipt, twins
from activities.providers.tickets import PACE, READ_LAG_S, Tickets
from saga.errors import Refused
from saga.outcome import Receipt, Sighting
from saga.record import Typed
from saga.tool import Call, CounterTool


class DiscardArgs(Typed):
    """Which draft."""

    ticket_key: Annotated[str, Field(min_length=1, max_length=64)]
    """The key of the step that staged it."""


async def _perform(tickets: Tickets, call: Call[DiscardArgs]) -> Receipt:
    """Read it, mark it with our key, delete it, and its twins. Refused where one is the team's by now."""
    ticket = await locate(tickets, call, call.args.ticket_key)
    others = await twins(tickets, call, call.args.ticket_key, ticket)
    for each in [*others, *([ticket] if ticket and not ticket.closed else [])]:
        if each.status != tickets.desk.draft_status:
            raise Refused(f"{each.key} was published: it is {each.status}", code="published")
    for place, each in enumerate(others):
        await _discard(tickets, each, call, sent=place > 0)
    if ticket is None:
        return gone(call, call.args.ticket_key, already=not others)
    if ticket.closed:
        return receipt(ticket, call, already=not others)
    await _discard(tickets, ticket, call, sent=bool(others))
    return receipt(ticket, call)


async def _discard(tickets: Tickets, ticket: Ticket, call: Call[DiscardArgs], *, sent: bool) -> None:
    async with TicketChange(tickets, ticket, call.key, sent=sent) as change:
        await change.announce()
        try:
            await change.delete()
        except Refused as refused:
            # Deleted by a person since we read it, if Jira, asked again, does not know it either.
            if refused.status != 404 or await tickets.read(ticket.id) is not None:
                raise


async def _find(tickets: Tickets, call: Call[DiscardArgs]) -> Sequence[Sighting]:
    """Gone, or closed by somebody: discarded. There and open, it or a twin: not."""
    ticket = await locate(tickets, call, call.args.ticket_key)
    if (ticket is not None and not ticket.closed) or await twins(tickets, call, call.args.ticket_key, ticket):
        return []
    done = gone(call, call.args.ticket_key) if ticket is None else receipt(ticket, call, already=True)
    return [Sighting(external_ref=done.external_ref, state="standing", result=done.result, execution=done.execution)]


DISCARD_TICKET = CounterTool(
    name="discard_ticket",
    system="tickets",
    args=DiscardArgs,
    perform=_perform,
    find=_find,
    grade="lookup",
    index_lag_s=READ_LAG_S,
    pace=PACE,
)
