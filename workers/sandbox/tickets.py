"""A Jira: as Cloud under /jira (API v2, v3), as Server under /jira-server (v2), the same tickets behind both.

Wire-true where the `jira` package touches it; not compared with a live Jira. There is no idempotency: two
creations are two tickets. GET by key always sees what is, searches may lag. What is not here (attachments,
links, boards, properties, users, bulk creation, createmeta) is a 404. People, too, touch tickets: `act`
closes, moves and deletes.
"""

import re
from collections.abc import Awaitable, Callable
from typing import Any

from workers.sandbox import tickets_effects as effects
from workers.sandbox import tickets_issue as issues
from workers.sandbox import tickets_place as place
from workers.sandbox import tickets_search as searches
from workers.sandbox.route import BadAct, Ctx, Reply, Route, View
from workers.sandbox.tickets_answers import WRITERS, JiraRefused, Site, refusal, site_of, user_of
from workers.sandbox.tickets_record import SYSTEM, Ticket, changed, find, moved
from workers.sandbox.tickets_workflow import PROJECTS
from workers.sandbox.world import World

__all__ = ["act", "guard", "in_use", "refusal", "routes", "run_of"]

JiraHandler = Callable[[Ctx, Site], Awaitable[Reply]]
_WRITES = frozenset({"create", "update", "delete", "transition", "comment"})
_CLOUD, _SERVER = "/jira/rest/api/{version:[23]}", "/jira-server/rest/api/{version:2}"


def _routes(
    method: str, path: str, operation: str, cloud: JiraHandler, server: JiraHandler | None = None
) -> list[Route]:
    by_prefix = {_CLOUD: cloud, _SERVER: server or cloud}
    return [Route(method, pre + path, SYSTEM, (operation,), _answering(own)) for pre, own in by_prefix.items()]


def _answering(handler: JiraHandler) -> Callable[[Ctx], Awaitable[Reply]]:
    async def answer(ctx: Ctx) -> Reply:
        try:
            return await handler(ctx, site_of(ctx))
        except JiraRefused as refused:
            return refused.reply

    return answer


routes: list[Route] = [
    *_routes("GET", "/serverInfo", "read", place.server_info),
    *_routes("GET", "/myself", "read", place.myself),
    *_routes("GET", "/field", "read", place.fields),
    *_routes("GET", "/status", "read", place.statuses),
    *_routes("GET", "/issuetype", "read", place.issuetypes),
    *_routes("GET", "/priority", "read", place.priorities),
    *_routes("GET", "/resolution", "read", place.resolutions),
    *_routes("GET", "/project", "read", place.projects),
    *_routes("GET", "/project/{project}", "read", place.project),
    *_routes("GET", "/project/{project}/statuses", "read", place.project_statuses),
    *[
        route
        for method in ("GET", "POST")
        for route in (
            Route(method, _CLOUD + "/search/jql", SYSTEM, ("search",), _answering(searches.search_cloud)),
            *_routes(method, "/search", "search", searches.search_removed, searches.search_server),
        )
    ],
    *_routes("POST", "/issue", "create", issues.create),
    *_routes("GET", "/issue/{issue}", "read", issues.read),
    *_routes("PUT", "/issue/{issue}", "update", issues.edit),
    *_routes("DELETE", "/issue/{issue}", "delete", issues.delete),
    *_routes("GET", "/issue/{issue}/transitions", "read", issues.transitions),
    *_routes("POST", "/issue/{issue}/transitions", "transition", issues.transition),
    *_routes("GET", "/issue/{issue}/comment", "list", issues.comments),
    *_routes("POST", "/issue/{issue}/comment", "comment", issues.add_comment),
    *_routes("GET", "/issue/{issue}/comment/{comment}", "read", issues.comment),
]


def in_use() -> Reply:
    """The 409 of a conflict; Jira has no idempotency keys that could be in use."""
    return refusal(409)


def guard(ctx: Ctx) -> Reply | None:
    """401 for everyone unknown (but for serverInfo), 403 for a write by one who may only read."""
    user = user_of(ctx)
    if user is None:
        return None if ctx.path.endswith("/serverInfo") else refusal(401)
    return refusal(403) if ctx.operation in _WRITES and user not in WRITERS else None


def run_of(world: World, view: View) -> str | None:
    """The run (its hash) of a request that does not say it: the ticket's, or the one that JQL names."""
    ticket = find(world, view.match["issue"]) if "issue" in view.match else None
    if ticket is not None:
        return effects.said_by(ticket.labels).run
    words = re.findall(r"saga-[0-9A-Za-z:-]+", str(view.query.get("jql", "")))
    said = effects.said_by(tuple(words))
    if said.run is None and said.key is not None:
        known = world.effects(system=SYSTEM, key=said.key)
        return known[0].run if known else None
    return said.run


def act(world: World, ref: str, act: str) -> dict[str, Any]:
    """What a person does to a ticket in the browser: close, move (to the other project), delete."""
    ticket = find(world, ref)
    if ticket is None:
        raise BadAct(f"ref: there is no ticket {ref!r}")
    if act == "close":
        new = _close(world, ticket)
    elif act == "move":
        other = next(project for key, project in PROJECTS.items() if key != ticket.project)
        new = moved(world, ticket, other)
    elif act == "delete":
        new = changed(world, ticket, deleted=True)
    else:
        raise BadAct(f"act: nobody can {act!r} a ticket; allowed: close, move, delete")
    effects.settle(world, new)
    return {"id": new.id, "key": new.key, "status": new.status, "deleted": new.deleted}


def _close(world: World, ticket: Ticket) -> Ticket:
    if ticket.category == "done":
        raise BadAct(f"act: {ticket.key} is closed already")
    status = "Closed" if ticket.project == "SUP" else "Resolved"
    return changed(world, ticket, status=status, resolution="Done")
