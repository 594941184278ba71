"""The counter-action `close_ticket`: the ticket goes into a done state, with the reason, whatever that state is called.

A ticket that is done or gone already is closed, whoever did it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from activities.providers.ticket import Ticket, key_label
from activities.providers.ticket_change import TicketChange, gone, locate, receipt, twins
from activities.providers.ticket_way import to_close
from activities.providers.tickets import PACE, READ_LAG_S, Tickets
from saga.errors import Refused
from saga.outcome import Receipt, Sighting
from saga.record import Typed
from saga.tool import Call, CounterTool

_HOPS = 2
"""Transitions at most. A review between open and done is common; more than that is a process that a person should
walk, since every hop is seen."""


class CloseArgs(Typed):
    """Which ticket, and why."""

    ticket_key: Annotated[str, Field(min_length=1, max_length=64)]
    """The key of the step that opened or published it."""
    reason: Annotated[str, Field(min_length=1, max_length=1_000)]
    """A sentence or two for whoever opens the ticket."""


async def _perform(tickets: Tickets, call: Call[CloseArgs]) -> Receipt:
    ticket = await locate(tickets, call, call.args.ticket_key)
    others = await twins(tickets, call, call.args.ticket_key, ticket)
    for place, each in enumerate(others):
        await _close(tickets, each, call, sent=place > 0)
    if ticket is None:
        return gone(call, call.args.ticket_key, already=not others)
    if ticket.closed:
        return receipt(ticket, call, already=not ticket.carries(call.key))
    return receipt(await _close(tickets, ticket, call, sent=bool(others)), call)


async def _close(tickets: Tickets, ticket: Ticket, call: Call[CloseArgs], *, sent: bool) -> Ticket:
    label = key_label(call.key)
    # An earlier try that left its mark may have left its comment too; a comment twice is two.
    said = ticket.carries(call.key) and await tickets.says(ticket, label)
    comment = "" if said else f"{call.args.reason}\nClosed by {call.tags.run_id} ({label})."
    return await _walk(tickets, ticket, call.key, comment, sent=sent)


async def _walk(tickets: Tickets, ticket: Ticket, key: str, comment: str, *, sent: bool) -> Ticket:
    been: set[str] = set()
    async with TicketChange(tickets, ticket, key, sent=sent) as change:
        for _ in range(_HOPS):
            at, draft = change.ticket.status, tickets.desk.draft_status
            way = to_close(await tickets.ways(change.ticket), been=been, draft=draft, at=at)
            if way is None:
                break
            been.add(at)
            ticket = await change.go(way, comment=comment)
            comment = ""
            if ticket.closed:
                return ticket
        raise Refused(
            f"no transition that we can make leads {ticket.key} from {ticket.status} to a done state",
            code="no_way_to_close",
        )


async def _find(tickets: Tickets, call: Call[CloseArgs]) -> Sequence[Sighting]:
    """Told by the ticket's state: closed by anyone is closed, and so is gone; of twins, all."""
    ticket = await locate(tickets, call, call.args.ticket_key)
    if (ticket is not None and not ticket.closed) or await twins(tickets, call, call.args.ticket_key, ticket):
        return []
    if ticket is None:
        done = gone(call, call.args.ticket_key)
    else:
        done = receipt(ticket, call, already=not ticket.carries(call.key))
    return [Sighting(external_ref=done.external_ref, state="standing", result=done.result, execution=done.execution)]


CLOSE_TICKET = CounterTool(
    name="close_ticket",
    system="tickets",
    args=CloseArgs,
    perform=_perform,
    find=_find,
    grade="lookup",
    index_lag_s=READ_LAG_S,
    pace=PACE,
)
