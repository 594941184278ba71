"""Searching for tickets: /search/jql of Cloud with page tokens, /search of Server with startAt and total.

The index may be behind (`lag`): a search then knows neither tickets nor changes younger than that, and
still knows the deleted; Cloud's `reconcileIssues` makes it look at those ids as they are. To an expired
login (`blind`) a search answers 200 and nothing. As in Cloud: a query without a restriction is refused,
without `fields` only ids come back, and the old /search is gone (410).
"""

import base64
import binascii
import json
from collections.abc import Callable
from functools import partial
from typing import Any

from workers.sandbox.jql import JqlRefused, Query
from workers.sandbox.jql_parser import parse
from workers.sandbox.route import Ctx, Reply
from workers.sandbox.tickets_answers import Site, no, refusal
from workers.sandbox.tickets_record import SYSTEM, Ticket, as_indexed, find
from workers.sandbox.tickets_shape import NAVIGABLE, issue
from workers.sandbox.tickets_workflow import (
    CATEGORY_NAMES,
    ISSUE_TYPES,
    PROJECTS,
    RESOLUTIONS,
    STATUSES,
    named,
    project_of,
)
from workers.sandbox.world import World

MOST_WITH_FIELDS = 100
MOST = 1_000
"""Issues a page: what Cloud gives when fields are asked for, and what Server gives by default."""
_DEFAULT = 50


async def search_cloud(ctx: Ctx, site: Site) -> Reply:
    """GET or POST /search/jql."""
    asked = _asked(ctx)
    if ctx.blind:
        note_blindness(ctx.world)
        return Reply(200, {"issues": [], "isLast": True})
    saw_again(ctx.world)
    fresh = frozenset(str(id_) for id_ in asked("reconcileIssues"))
    found = _found(ctx, asked, strict=True, bounded=True, fresh=fresh)
    fields = asked("fields")
    size = min(_number(asked, "maxResults", _DEFAULT), MOST_WITH_FIELDS if fields else MOST) or _DEFAULT
    start = _start(asked("nextPageToken"), asked("jql"))
    page = found[start : start + size]
    if fields:
        issues = [issue(site, ticket, _comments(ctx.world, ticket), fields) for ticket in page]
    else:
        issues = [{"id": ticket.id} for ticket in page]
    body: dict[str, Any] = {"issues": issues, "isLast": start + size >= len(found)}
    if not body["isLast"]:
        body["nextPageToken"] = _token(start + size, asked("jql"))
    return Reply(200, body)


async def search_server(ctx: Ctx, site: Site) -> Reply:
    """GET or POST /search."""
    asked = _asked(ctx)
    start, size = _number(asked, "startAt", 0), min(_number(asked, "maxResults", _DEFAULT), MOST)
    found: list[Ticket] = []
    if ctx.blind:
        note_blindness(ctx.world)
    else:
        saw_again(ctx.world)
        strict = (asked("validateQuery") or ["true"])[0].lower() in ("true", "strict")
        found = _found(ctx, asked, strict=strict, bounded=False)
    fields = asked("fields") or [NAVIGABLE]
    page = [issue(site, ticket, _comments(ctx.world, ticket), fields) for ticket in found[start : start + size]]
    body = {
        "expand": "schema,names",
        "startAt": start,
        "maxResults": size,
        "total": len(found),
        "issues": page,
    }
    return Reply(200, body)


async def search_removed(_ctx: Ctx, _site: Site) -> Reply:
    """/search of Cloud, which Atlassian has taken away."""
    return refusal(410)


def note_blindness(world: World) -> None:
    """A search was blind: `myself` says so when it is asked next, even if the fault struck only once."""
    world.put(SYSTEM, "blinded", "login", {})


def saw_again(world: World) -> None:
    """A search found its way, or the expiry was told: the login counts as good again."""
    world.drop(SYSTEM, "blinded", "login")


def is_blind(world: World) -> bool:
    """Whether the login counts as expired: the last search was blind, or `blind` is armed for all."""
    if world.get(SYSTEM, "blinded", "login") is not None:
        return True
    return any(
        (fault["system"], fault["fault"], fault["run"], fault["skip"]) == (SYSTEM, "blind", None, 0)
        and world.now() >= fault["armed_at"] + fault["after_s"]
        for _, fault in world.armed()
    )  # fmt: skip


def comments_of(world: World, ticket_id: str) -> list[dict[str, Any]]:
    """The comments on a ticket, oldest first."""
    return world.all(SYSTEM, "comment", ticket=ticket_id)


Asked = Callable[[str], list[str]]


def _comments(world: World, ticket: Ticket) -> list[dict[str, Any]]:
    return comments_of(world, ticket.id)


def _asked(ctx: Ctx) -> Asked:
    """The parameters of a search, of the query string or of a JSON body: name -> its values; none is []."""
    body = ctx.json() if ctx.method == "POST" else None
    if ctx.method == "POST" and not isinstance(body, dict):
        raise no(400, "INVALID_INPUT")

    def asked(name: str) -> list[str]:
        if body is None:
            values: Any = [value for each, value in ctx.pairs if each == name]
        else:
            values = body.get(name)
            values = values if isinstance(values, list) else [] if values is None else [values]
        texts = [str(value) for value in values]
        return [part for text in texts for part in text.split(",") if part] if name == "fields" else texts

    return asked


def _number(asked: Asked, name: str, default: int) -> int:
    given = asked(name)
    if not given:
        return default
    if not given[-1].isdecimal():
        raise no(400, f"The value '{given[-1]}' of '{name}' is not a whole number from 0 on.")
    return int(given[-1])


def _found(ctx: Ctx, asked: Asked, *, strict: bool, bounded: bool, fresh: frozenset[str] = frozenset()) -> list[Ticket]:
    tickets = as_indexed(ctx.world, ctx.lag_s, fresh)
    indexed = [ticket.indexed() for ticket in tickets.values()]
    canonical = partial(_canonical, ctx.world)
    try:
        query = _query("".join(asked("jql")[-1:]), bounded=bounded)
        found = query.select(indexed, canonical, ctx.world.now(), strict=strict)
    except JqlRefused as refused:
        raise no(400, str(refused)) from None
    return [tickets[ticket.id] for ticket in found]


def _query(jql: str, *, bounded: bool) -> Query:
    query = parse(jql)
    if bounded and query.where is None:
        wanted = "Please add a search restriction to your query."
        raise JqlRefused(f"Unbounded JQL queries are not allowed here. {wanted}")
    return query


def _canonical(world: World, field: str, value: str) -> str | None:
    """A value of JQL as the index has it; None where this Jira has no such thing."""
    if field == "labels":
        return value.casefold()
    if field == "key":
        ticket = find(world, value)
        return ticket.id if ticket else None
    if field == "project":
        named_so = next((p for p in PROJECTS.values() if p.name.casefold() == value.casefold()), None)
        place = project_of(value) or named_so
        return place.key if place else None
    if field == "status":
        return named({status.name: status.id for status in STATUSES.values()}, value)
    if field == "statusCategory":
        return next(
            (
                key
                for key, (id_, name, _) in CATEGORY_NAMES.items()
                if value.casefold() in (key, name.casefold(), str(id_))
            ),
            None,
        )
    return named(ISSUE_TYPES if field == "issuetype" else RESOLUTIONS, value)


def _token(start: int, jql: list[str]) -> str:
    return base64.urlsafe_b64encode(json.dumps([start, *jql]).encode()).decode()


def _start(token: list[str], jql: list[str]) -> int:
    """Where the page of this token begins; a token of another query is refused."""
    if not token:
        return 0
    try:
        start, *query = json.loads(base64.urlsafe_b64decode(token[-1]))
    except (ValueError, binascii.Error):
        start, query = None, []
    if not isinstance(start, int) or query != jql:
        raise no(400, "The provided next page token is invalid or expired.")
    return start
