"""One change of one ticket, made of several requests to Jira.

Once one of them was sent, no error of a later one says "not sent" any more; and a transition, whose answer is always
empty, counts only when the ticket, read back, is in its new state.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self

from activities.providers.ticket import Ticket, key_label
from activities.providers.ticket_way import Way
from activities.providers.tickets import Tickets
from saga.errors import NotSent, Refused, Unanswered
from saga.outcome import Receipt
from saga.tool import Call


class TicketChange:
    """A change under one key: `async with TicketChange(tickets, ticket, key) as change: …`."""

    def __init__(self, tickets: Tickets, ticket: Ticket, key: str, *, sent: bool = False) -> None:
        """`ticket` as it was just read. `sent`: something of this half was sent before, to another ticket."""
        self._tickets, self._key = tickets, key
        self.ticket = ticket
        self._label = key_label(key)
        self._marked = ticket.carries(key)
        self._sent = sent

    async def __aenter__(self) -> Self:
        """Nothing is sent yet."""
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        """What was sent cannot be called unsent by what came after it."""
        if self._sent and isinstance(error, NotSent):
            raise Unanswered(error.message, code=error.code, status=error.status) from None

    async def announce(self) -> None:
        """Leave our key on the ticket, by an edit of its own."""
        if self._marked:
            return
        await self._tickets.mark(self.ticket, self._label)
        self._sent = self._marked = True

    async def go(self, way: Way, *, comment: str = "") -> Ticket:
        """One hop: our key and the comment with it where its screen takes them, before it where not."""
        if not way.takes("labels"):
            await self.announce()
        if comment and not way.takes("comment"):
            await self._tickets.comment(self.ticket, comment)
            self._sent, comment = True, ""
        refused: Refused | None = None
        try:
            await self._tickets.move(
                self.ticket,
                way,
                label="" if self._marked else self._label,
                comment=comment,
                resolution=way.resolution(self._tickets.desk.resolutions) if way.category == "done" else None,
            )
        except Refused as no:
            refused = no  # delivered twice, the second is refused: the way leads from a state that it has left
        self._sent = True
        back = await self._tickets.read(self.ticket.id)
        if refused and (back is None or back.status == self.ticket.status or not back.carries(self._key)):
            raise refused
        self._marked = True
        if back is None or back.status == self.ticket.status:
            raise Unanswered("the ticket has not, or not yet, left its state", code="not_read_back")
        self.ticket = back
        return back

    async def delete(self) -> None:
        """Take the ticket out of the world."""
        await self._tickets.delete(self.ticket)


async def locate(tickets: Tickets, call: Call[Any], forward_key: str) -> Ticket | None:
    """The ticket that a half points at by its forward key; None once it is gone.

    By id where the row has it (a ticket that is moved keeps it), by reference, or by the key's label. Not finding the
    label proves nothing, the search may lag: NotSent.
    """
    known = call.result.get("id") or call.external_ref or call.ref_of(forward_key)
    if known:
        return await tickets.read(str(known))
    found = await tickets.carrying(forward_key)
    if len(found) != 1:
        raise NotSent(f"{len(found)} tickets carry the key to act on", code="target_unclear")
    return found[0]


async def twins(tickets: Tickets, call: Call[Any], forward_key: str, known: Ticket | None) -> list[Ticket]:
    """The other open tickets of this execution that carry the forward key: a create delivered twice made two."""
    found = await tickets.carrying(forward_key, proven=False)
    others = [each for each in found if known is None or each.id != known.id]
    read = [await tickets.read(each.id) for each in others if each.owner(call.tags) in (None, call.tags.execution)]
    return [each for each in read if each is not None and not each.closed]


def receipt(ticket: Ticket, call: Call[Any], *, already: bool = False) -> Receipt:
    """What a change of this ticket amounts to; `already`: somebody else had made it before us."""
    more = {"already": True} if already else {}
    return Receipt(external_ref=ticket.key, result=ticket.result(**more), execution=ticket.owner(call.tags))


def gone(call: Call[Any], forward_key: str, *, already: bool = False) -> Receipt:
    """What a change amounts to that wanted the ticket away, where it is away."""
    more = {"already": True} if already else {}
    reference = call.external_ref or call.ref_of(forward_key) or ""
    return Receipt(external_ref=reference, result={"gone": True, **more})
