"""One ticket: created, read, edited, deleted, moved along its workflow, commented on.

A refusal comes before anything is written. A transition answers 204 and nothing; it takes what is on its
screen and is refused where the ticket is not in a state that it leaves. As in Jira, who may not transition
sees no transitions.
"""

from typing import Any

from workers.sandbox import tickets_effects as effects
from workers.sandbox import tickets_shape as shape
from workers.sandbox.route import Ctx, Reply
from workers.sandbox.tickets_answers import NO_SUCH_ISSUE, WRITERS, Site, no, user_of
from workers.sandbox.tickets_input import (
    CREATE_SCREEN,
    EDIT_SCREEN,
    Wanted,
    birthplace,
    comment_trouble,
    wanted_of,
)
from workers.sandbox.tickets_record import SYSTEM, Ticket, begin, changed, find
from workers.sandbox.tickets_search import comments_of
from workers.sandbox.tickets_text import Text
from workers.sandbox.tickets_workflow import STATUSES, Transition


async def create(ctx: Ctx, site: Site) -> Reply:
    """POST /issue: always a new ticket, whatever there is already."""
    project, issuetype = birthplace(ctx.json())
    wanted = wanted_of(ctx.json(), site.version, CREATE_SCREEN, required=frozenset({"summary"}))
    ticket = begin(
        ctx.world,
        project,
        issuetype=issuetype,
        status=project.starts[issuetype],
        reporter=_who(ctx),
        **wanted.fields,
    )
    effects.created(ctx.world, ticket)
    return Reply(201, {"id": ticket.id, "key": ticket.key, "self": f"{site.api}/issue/{ticket.id}"})


async def read(ctx: Ctx, site: Site) -> Reply:
    """GET /issue/{issue}, with the fields that are asked for (all, unless told)."""
    ticket = _ticket(ctx)
    asked = [part for name, value in ctx.pairs if name == "fields" for part in value.split(",") if part]
    return Reply(200, shape.issue(site, ticket, comments_of(ctx.world, ticket.id), asked or [shape.ALL]))


async def edit(ctx: Ctx, site: Site) -> Reply:
    """PUT /issue/{issue}: 204. Adding a `saga-<key>` label announces the key of what follows."""
    ticket = _ticket(ctx)
    wanted = wanted_of(ctx.json(), site.version, EDIT_SCREEN, ticket.labels)
    ticket = changed(ctx.world, ticket, **wanted.fields)
    effects.announce(ctx.world, ticket, wanted.added_labels)
    for body in wanted.comments:
        effects.commented(ctx.world, ticket, _keep_comment(ctx, ticket, body)["id"], body)
    return Reply(204)


async def delete(ctx: Ctx, _site: Site) -> Reply:
    """DELETE /issue/{issue}: 204; the key stays unused."""
    effects.deleted(ctx.world, changed(ctx.world, _ticket(ctx), deleted=True))
    return Reply(204)


async def transitions(ctx: Ctx, site: Site) -> Reply:
    """GET /issue/{issue}/transitions: the ways out of the state it is in now."""
    ticket = _ticket(ctx)
    ways = _ways(ticket) if user_of(ctx) in WRITERS else ()
    one = ctx.query.get("transitionId")
    with_fields = "transitions.fields" in str(ctx.query.get("expand", ""))
    listed = [shape.transition(site, way, with_fields=with_fields) for way in ways if one in (None, way.id)]
    return Reply(200, {"expand": "transitions", "transitions": listed})


async def transition(ctx: Ctx, site: Site) -> Reply:
    """POST /issue/{issue}/transitions: 204. Out of a done category the resolution is cleared."""
    ticket, body = _ticket(ctx), ctx.json()
    way = _way(ticket, body)
    wanted = wanted_of(body, site.version, way.screen, ticket.labels, way.required)
    changes: dict[str, Any] = {"status": way.to, **wanted.fields}
    if STATUSES[way.to].category != "done":
        changes["resolution"] = None
    after = changed(ctx.world, ticket, **changes)
    for comment_body in wanted.comments:
        _keep_comment(ctx, after, comment_body)
    effects.transitioned(ctx.world, ticket, after, way, _said(wanted))
    return Reply(204)


async def comments(ctx: Ctx, site: Site) -> Reply:
    """GET /issue/{issue}/comment."""
    ticket = _ticket(ctx)
    docs = [] if ctx.blind else comments_of(ctx.world, ticket.id)
    if str(ctx.query.get("orderBy", "")).startswith("-"):
        docs.reverse()
    start, size = (_whole(ctx, name, default) for name, default in (("startAt", 0), ("maxResults", 5_000)))
    page = [shape.comment(site, doc) for doc in docs[start : start + size]]
    return Reply(200, {"startAt": start, "maxResults": size, "total": len(docs), "comments": page})


async def add_comment(ctx: Ctx, site: Site) -> Reply:
    """POST /issue/{issue}/comment."""
    ticket, given = _ticket(ctx), ctx.json()
    body = given.get("body") if isinstance(given, dict) else None
    wrong = comment_trouble(body, site.version)
    if wrong or body is None:
        raise no(400, comment=wrong or "")
    doc = _keep_comment(ctx, changed(ctx.world, ticket), body)
    effects.commented(ctx.world, ticket, doc["id"], body)
    return Reply(201, shape.comment(site, doc))


async def comment(ctx: Ctx, site: Site) -> Reply:
    """GET /issue/{issue}/comment/{comment}."""
    doc = ctx.world.get(SYSTEM, "comment", ctx.match["comment"])
    if doc is None or doc["ticket"] != _ticket(ctx).id:
        raise no(404, f"Can not find a comment for the id: {ctx.match['comment']}.")
    return Reply(200, shape.comment(site, doc))


def _ticket(ctx: Ctx) -> Ticket:
    """The ticket of the path, by id, key or former key: Jira answers for a moved one under its new key."""
    ticket = find(ctx.world, ctx.match["issue"])
    if ticket is None:
        raise no(404, NO_SUCH_ISSUE)
    return ticket


def _who(ctx: Ctx) -> str:
    return user_of(ctx) or ""


def _ways(ticket: Ticket) -> tuple[Transition, ...]:
    return ticket.where.transitions[ticket.status]


def _way(ticket: Ticket, body: Any) -> Transition:
    given = body.get("transition") if isinstance(body, dict) else None
    id_ = given.get("id") if isinstance(given, dict) else None
    if id_ is None:
        raise no(400, "Missing 'transition' identifier")
    way = next((way for way in _ways(ticket) if way.id == str(id_)), None)
    if way is None:
        raise no(400, f"Transition id '{id_}' is not valid for this issue.")
    return way


def _said(wanted: Wanted) -> effects.Stamp:
    return effects.said_by(wanted.added_labels, wanted.comments)


def _keep_comment(ctx: Ctx, ticket: Ticket, body: Text) -> dict[str, Any]:
    last = ctx.world.get(SYSTEM, "sequence", "comment") or {"last": 20_000}
    ctx.world.put(SYSTEM, "sequence", "comment", {"last": last["last"] + 1})
    id_ = str(last["last"] + 1)
    doc = {
        "id": id_, "ticket": ticket.id, "body": body, "author": _who(ctx),
        "created": ctx.world.now(),
    }  # fmt: skip
    ctx.world.put(SYSTEM, "comment", id_, doc)
    return doc


def _whole(ctx: Ctx, name: str, default: int) -> int:
    text = str(ctx.query.get(name, ""))
    return int(text) if text.isdecimal() else default
