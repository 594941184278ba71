"""Tickets and what surrounds them as Jira's JSON: issues, comments, transitions, statuses, projects, users.

Only what our clients read and what the `jira` package needs to make objects of it; avatars, watchers, votes
and the like are left out. Times are UTC with milliseconds.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from workers.sandbox.tickets_answers import Site
from workers.sandbox.tickets_record import Ticket
from workers.sandbox.tickets_text import shown
from workers.sandbox.tickets_workflow import (
    CATEGORY_NAMES,
    ISSUE_TYPES,
    PRIORITIES,
    RESOLUTIONS,
    STATUSES,
    Category,
    Project,
    Status,
    Transition,
)

Json = dict[str, Any]

ALL = "*all"
NAVIGABLE = "*navigable"
_NOT_NAVIGABLE = frozenset({"comment", "description"})
_FIELDS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "issuekey": ("Key", "string", ("id", "issue", "issuekey", "key")),
    "summary": ("Summary", "string", ("summary",)),
    "description": ("Description", "string", ("description",)),
    "labels": ("Labels", "array", ("labels",)),
    "priority": ("Priority", "priority", ("priority",)),
    "project": ("Project", "project", ("project",)),
    "issuetype": ("Issue Type", "issuetype", ("issuetype", "type")),
    "status": ("Status", "status", ("status",)),
    "resolution": ("Resolution", "resolution", ("resolution",)),
    "reporter": ("Reporter", "user", ("reporter",)),
    "comment": ("Comment", "comments-page", ("comment",)),
    "created": ("Created", "datetime", ("created", "createdDate")),
    "updated": ("Updated", "datetime", ("updated", "updatedDate")),
}
"""Id -> name, type, and the names that JQL has for it."""


def moment(at: float) -> str:
    """A time as Jira writes it."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "+0000"


def field_list() -> list[Json]:
    """What GET /field lists."""
    return [
        {
            "id": id_, "key": id_, "name": name, "custom": False, "orderable": True, "searchable": True,
            "navigable": id_ not in _NOT_NAVIGABLE, "clauseNames": list(clauses),
            "schema": {"type": type_, "system": id_},
        }
        for id_, (name, type_, clauses) in _FIELDS.items()
    ]  # fmt: skip


def user(site: Site, name: str) -> Json:
    """A person: by account id in Cloud, by name in Server."""
    known = {"displayName": f"Sandbox {name}", "emailAddress": f"{name}@sandbox.test", "active": True}
    if site.cloud:
        account_id = f"sandbox:{name}"
        by = f"{site.api}/user?accountId={account_id}"
        return {
            "self": by,
            "accountId": account_id,
            "accountType": "atlassian",
            "timeZone": "Etc/UTC",
            **known,
        }
    return {
        "self": f"{site.api}/user?username={name}",
        "name": name,
        "key": name,
        "timeZone": "Etc/UTC",
        **known,
    }


def named(site: Site, resource: str, table: Mapping[str, str], name: str | None) -> Json | None:
    """An issue type, priority or resolution."""
    return None if name is None else {"self": f"{site.api}/{resource}/{table[name]}", "id": table[name], "name": name}


def category(site: Site, key: Category) -> Json:
    """A status category."""
    id_, name, colour = CATEGORY_NAMES[key]
    return {
        "self": f"{site.api}/statuscategory/{id_}",
        "id": id_,
        "key": key,
        "colorName": colour,
        "name": name,
    }


def status(site: Site, state: Status) -> Json:
    """A status with its category."""
    return {
        "self": f"{site.api}/status/{state.id}", "id": state.id, "name": state.name, "description": "",
        "statusCategory": category(site, state.category),
    }  # fmt: skip


def project(site: Site, place: Project, *, whole: bool = False) -> Json:
    """A project; `whole` with its issue types."""
    it: Json = {
        "self": f"{site.api}/project/{place.id}",
        "id": place.id,
        "key": place.key,
        "name": place.name,
    }
    if whole:
        it["issueTypes"] = [issuetype(site, name) for name in place.starts]
    return it


def issuetype(site: Site, name: str) -> Json:
    """An issue type."""
    return {**(named(site, "issuetype", ISSUE_TYPES, name) or {}), "subtask": False}


def project_statuses(site: Site, place: Project) -> list[Json]:
    """What GET /project/{key}/statuses lists: per issue type, the statuses of its workflow."""
    statuses = [status(site, STATUSES[name]) for name in place.transitions]
    return [{**issuetype(site, name), "statuses": statuses} for name in place.starts]


def transition(site: Site, way: Transition, *, with_fields: bool) -> Json:
    """A transition, with the fields of its screen where `expand` asks for them."""
    it: Json = {
        "id": way.id, "name": way.name, "to": status(site, STATUSES[way.to]), "hasScreen": bool(way.screen),
        "isGlobal": False, "isInitial": False, "isAvailable": True, "isConditional": False, "isLooped": False,
    }  # fmt: skip
    if with_fields:
        it["fields"] = {name: _on_screen(site, name, name in way.required) for name in sorted(way.screen)}
    return it


def _on_screen(site: Site, name: str, required: bool) -> Json:
    title, type_, _ = _FIELDS[name]
    verbs = {"resolution": ["set"], "labels": ["add", "set", "remove"], "comment": ["add"]}[name]
    it: Json = {"required": required, "schema": {"type": type_, "system": name}, "name": title, "key": name}
    it |= {"hasDefaultValue": False, "operations": verbs}
    if name == "resolution":
        it["allowedValues"] = [named(site, "resolution", RESOLUTIONS, each) for each in RESOLUTIONS]
    return it


def comment(site: Site, doc: Json) -> Json:
    """A comment."""
    author = user(site, doc["author"])
    return {
        "self": f"{site.api}/issue/{doc['ticket']}/comment/{doc['id']}", "id": doc["id"], "author": author,
        "updateAuthor": author, "body": shown(doc["body"], site.version), "created": moment(doc["created"]),
        "updated": moment(doc["created"]),
    }  # fmt: skip


def issue(site: Site, ticket: Ticket, comments: list[Json], wanted: list[str]) -> Json:
    """A ticket with the fields that are asked for: names, *all, *navigable, and -name to leave one out."""
    every: Json = {
        "summary": ticket.summary,
        "description": shown(ticket.description, site.version),
        "labels": list(ticket.labels),
        "priority": named(site, "priority", PRIORITIES, ticket.priority),
        "project": project(site, ticket.where),
        "issuetype": issuetype(site, ticket.issuetype),
        "status": status(site, ticket.state),
        "resolution": named(site, "resolution", RESOLUTIONS, ticket.resolution),
        "reporter": user(site, ticket.reporter),
        "creator": user(site, ticket.reporter),
        "assignee": None,
        "created": moment(ticket.created),
        "updated": moment(ticket.updated),
        "comment": {
            "comments": [comment(site, doc) for doc in comments],
            "maxResults": len(comments), "total": len(comments), "startAt": 0,
        },
    }  # fmt: skip
    fields = {name: value for name, value in every.items() if _is_wanted(name, wanted)}
    return {
        "expand": "transitions", "id": ticket.id, "self": f"{site.api}/issue/{ticket.id}", "key": ticket.key,
        "fields": fields,
    }  # fmt: skip


def _is_wanted(name: str, wanted: list[str]) -> bool:
    if f"-{name}" in wanted:
        return False
    return name in wanted or ALL in wanted or (NAVIGABLE in wanted and name not in _NOT_NAVIGABLE)
