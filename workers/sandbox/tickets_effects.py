"""What the world's ledger says of tickets: which effect a request was, under which key, and what it undid.

The key of a transition is that of a `saga-<key>` label added in the same request, else of a comment in it.
A request that says none (a deletion cannot; nor can a transition without a screen) goes by the key among the
ticket's labels that no effect has yet: put on before, by an edit; of several the newest. Several hops under
one key, each beginning where the last ended, are one effect. Edits of a ticket, and what people do to it,
leave none.
"""

from typing import Any

from workers.sandbox.stamp import Stamp, stamp_of
from workers.sandbox.tickets_record import SYSTEM, Ticket
from workers.sandbox.tickets_text import Text
from workers.sandbox.tickets_workflow import Transition
from workers.sandbox.world import Effect, World

AGENT, TEAM = ["agent"], ["support_team"]


def said_by(labels: tuple[str, ...], texts: tuple[Text, ...] = ()) -> Stamp:
    """Key, run and execution as labels say them, or texts where no label does."""
    said: dict[str, Any] = {"labels": list(labels), "texts": list(texts)}
    return stamp_of({}, "application/json", dict, lambda: said)


def created(world: World, ticket: Ticket) -> None:
    """A ticket came to be; nobody but the agent sees a draft."""
    about = {"summary": ticket.summary}
    _record(world, "ticket.create", ticket, said_by(ticket.labels), _audience(ticket), about=about)


def transitioned(world: World, before: Ticket, after: Ticket, way: Transition, said: Stamp) -> None:
    """A ticket went a way; in a done category its creation counts as undone, out of one it stands again."""
    settle(world, after)
    hops = world.get(SYSTEM, "hops", before.id) or {"key": None, "to": None, "ways": []}
    goes_on = hops["to"] == before.status and way.id not in hops["ways"]
    carried = hops["key"] if goes_on and not way.screen else None
    key = said.key or carried or announced(world, before)
    if key is not None and goes_on and key == hops["key"]:
        world.put(SYSTEM, "hops", before.id, {"key": key, "to": after.status, "ways": [*hops["ways"], way.id]})
        return
    world.put(SYSTEM, "hops", before.id, {"key": key, "to": after.status, "ways": [way.id]})
    audience = _audience(before) if after.category == "done" else TEAM
    about = {
        "transition": way.name,
        "from": before.status,
        "to": after.status,
        "resolution": after.resolution,
    }
    _record(world, "ticket.transition", after, said, audience, key=key, about=about)


def commented(world: World, ticket: Ticket, comment_id: str, body: Text) -> None:
    """A comment was added by itself; one added in a transition is part of that."""
    said = said_by((), (body,))
    _record(world, "ticket.comment", ticket, said, _audience(ticket), ref=comment_id)


def deleted(world: World, ticket: Ticket) -> None:
    """A ticket was deleted by a request."""
    settle(world, ticket)
    _record(world, "ticket.delete", ticket, Stamp(), _audience(ticket), key=announced(world, ticket))


def settle(world: World, ticket: Ticket) -> None:
    """Let the state of the creation follow the ticket: done or deleted is undone."""
    gone = ticket.deleted or ticket.category == "done"
    world.restate(SYSTEM, ticket.born, "ticket.create", "undone" if gone else "standing")


def announce(world: World, ticket: Ticket, labels: tuple[str, ...]) -> None:
    """Labels were put on: a key among them is the newest that was announced."""
    for label in labels:
        key = said_by((label,)).key
        if key is not None:
            world.put(SYSTEM, "announced", ticket.id, {"key": key})


def announced(world: World, ticket: Ticket) -> str | None:
    """The key among its labels that no effect on it has yet: the newest, or the only one; None where neither is."""
    keys = [key for label in ticket.labels if (key := said_by((label,)).key) is not None]
    free = [key for key in keys if not any(_is_on(ticket, each) for each in world.effects(system=SYSTEM, key=key))]
    newest = (world.get(SYSTEM, "announced", ticket.id) or {}).get("key")
    if newest in free:
        return newest
    return free[0] if len(free) == 1 else None


def _is_on(ticket: Ticket, effect: Effect) -> bool:
    return effect.ref == ticket.born or effect.about.get("issue") == ticket.key


def _audience(ticket: Ticket) -> list[str]:
    return TEAM if ticket.state.in_queue else AGENT


def _record(
    world: World,
    kind: str,
    ticket: Ticket,
    said: Stamp,
    audience: list[str],
    *,
    key: str | None = None,
    ref: str | None = None,
    about: dict[str, Any] | None = None,
) -> None:
    own = said_by(ticket.labels)
    undoes = ticket.deleted or (kind == "ticket.transition" and ticket.category == "done")
    world.effect(
        system=SYSTEM,
        kind=kind,
        ref=ref or ticket.born,
        key=key or said.key,
        run=said.run or own.run,
        execution=said.execution or own.execution,
        audience=audience,
        about={"issue": ticket.key, **(about or {}), **({"undoes": ticket.born} if undoes else {})},
    )
