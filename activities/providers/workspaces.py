"""The workspace service: workspaces and what is in them, seats, purchases and refunds.

It honours our key as a natural one: whatever a key made is found under it for ever, whatever became of it. An action
(activate, release, …) leaves its key as a mark on what it acted on; done twice it is done once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from pydantic import JsonValue

from activities.providers.service import Service
from activities.providers.thing import Account, Kind, Thing
from saga.draft import Pace
from saga.errors import NotSent, Unanswered
from saga.record import Json
from saga.tool import Call, Tags

PACE = Pace(
    request_s=10,  # rows in a database: done within a second; ten times that is no longer slow but silent
    attempt_s=40,  # a half makes three requests at most (find, change, read back), none to outlive the attempt
    patience_s=600,  # a restart of the service, or of our workers, is over within minutes
    tries=3,  # the second is answered by key; a third outlives a short outage
)
UNDO_PACE = PACE.model_copy(update={"attempt_s": 90})
"""A refund reads the purchase and its refunds (proving an empty list) and asks; where what is left has changed
meanwhile, it does all that again: eight requests."""
INDEX_LAG_S = 5.0
"""Its lists are read from where it writes, so a new row shows at once; seconds more for one still being written."""

_REFUSALS = (
    *("workspace_abandoned", "workspace_in_use", "has_dependents", "project_removed"),
    *("document_removed", "not_archived"),
    *("not_enough_seats", "reservation_expired", "reservation_released", "reservation_confirmed", "over_refund"),
)
"""The 409s that are a no. `in_use` and `saga_key_in_use` speak of another request."""
_PAGE = 100
_PAGES = 10
"""100 is its largest page; a thousand of one key is no answer to work with."""


class Workspaces:
    """The workspace service, with one token: one that writes, or one that only reads."""

    def __init__(self, *, url: str, token: str, timeout_s: float) -> None:
        """`url` without `/workspaces`. Nothing is sent before the first call."""
        self._service = Service("workspace service", url=url, token=token, timeout_s=timeout_s, conflicts=_REFUSALS)

    async def close(self) -> None:
        """Let go of the connections."""
        await self._service.close()

    async def make(self, kind: Kind, tags: Tags, **fields: JsonValue) -> Thing:
        """Make one. The thing of this key where there is one, whatever became of it: `Thing.made` tells them apart."""
        return Thing.parse(kind, await self._service.post(_path(kind), {**fields, **_marks(tags)}))

    async def act(self, kind: Kind, ref: str, action: str, tags: Tags, **fields: JsonValue) -> Thing:
        """Act on one; twice is once. Refused with status 404 where the service knows none of this id."""
        return Thing.parse(kind, await self._service.post(_path(kind, ref, action), {**fields, **_marks(tags)}))

    async def one(self, kind: Kind, ref: str) -> Thing | None:
        """The thing of this id; None where the service knows none."""
        try:
            said = await self._service.get(_path(kind, ref))
        except NotSent as error:
            if error.status == 404 and error.code == "not_found":
                return None
            raise
        return _parsed(kind, said)

    async def carrying(self, kind: Kind, key: str) -> list[Thing]:
        """Every thing of that kind that this key made, oldest first. What it only acted on is found by `one`."""
        return [each for each in await self._listed(kind, {"saga_key": key}) if each.key == key]

    async def refunds(self, purchase: str) -> list[Thing]:
        """Every refund of a purchase, whoever asked for it, oldest first."""
        found = await self._listed("refunds", {"purchase_id": purchase})
        return [each for each in found if each.fields.get("purchase_id") == purchase]

    async def account(self, client: str) -> Account:
        """The client's account."""
        said = await self._service.get(f"/workspaces/v1/accounts/{quote(client, safe='')}")
        try:
            return Account.parse(said)
        except Unanswered as error:
            raise NotSent(error.message, code=error.code) from None

    async def _listed(self, kind: Kind, wanted: Mapping[str, str]) -> list[Thing]:
        """All pages. The filter is a hint; whose they are is decided by whoever asked."""
        found: list[Thing] = []
        asked: dict[str, Any] = {**wanted, "limit": _PAGE}
        for _ in range(_PAGES):
            page = await self._service.get(_path(kind), asked)
            data = page.get("data")
            if not isinstance(data, list):
                raise NotSent("the workspace service answered no list", code="no_answer")
            found += [_parsed(kind, each) for each in data if isinstance(each, dict)]
            asked["cursor"] = page.get("next_cursor")
            if not asked["cursor"]:
                break
        else:
            raise NotSent("the workspace service's list does not end", code="too_many", lasting=True)
        if not found:
            # A token that is known gets the service's own "there is none"; any other is turned away here.
            await self.one(kind, next(iter(wanted.values())))
        return sorted(found, key=lambda each: each.created_at)


async def located(workspaces: Workspaces, call: Call[Any], kind: Kind, forward_key: str) -> Thing | None:
    """The thing that a half points at by its forward key: by reference where one is known, else by that key.

    None where the reference names nothing any more. NotSent where it cannot be told which it is, or where it is not
    that step's: a reference that a person typed in may be anybody's.
    """
    ref = call.ref_of(forward_key) or call.external_ref
    if ref is None:
        found = await workspaces.carrying(kind, forward_key)
        if len(found) != 1:
            raise NotSent(f"{len(found)} of the {kind} carry the key to act on", code="target_unclear")
        return found[0]
    thing = await workspaces.one(kind, ref)
    if thing is not None and not thing.carries(forward_key):
        raise NotSent(f"{ref} does not carry the key of the step to act on", code="not_ours", lasting=True)
    return thing


def _path(kind: Kind, *more: str) -> str:
    return "/".join((f"/workspaces/v1/{kind}", *(quote(each, safe="") for each in more)))


def _marks(tags: Tags) -> Json:
    return {"saga_key": tags.key, "saga_run": tags.run_id, "saga_execution": tags.execution}


def _parsed(kind: Kind, said: Mapping[str, Any]) -> Thing:
    try:
        return Thing.parse(kind, said)
    except Unanswered as error:
        raise NotSent(error.message, code=error.code) from None
