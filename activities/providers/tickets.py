"""Jira, Cloud or Server: tickets created, looked for by label, moved along their workflow, deleted.

A question that fails is NotSent (it changes nothing), a write that fails is what became of the write. Blocking calls
run in threads, one request each, so that an attempt that is given up sends no further one.
"""

from __future__ import annotations

import asyncio
import json
import re
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from activities.providers.jira_client import THREADS, WAIT_SHARE, JiraClient
from activities.providers.ticket import Ticket, key_label
from activities.providers.ticket_way import Way
from activities.providers.tickets_error import of_read, of_write
from saga.draft import Pace
from saga.errors import NotSent, Unanswered
from saga.record import Json

T = TypeVar("T")

PACE = Pace(
    request_s=10,  # Jira answers a create within a second or two; five times that is no longer slow but silent
    attempt_s=120,  # closing in two hops makes eleven requests at most, and none may outlive the attempt
    patience_s=600,  # a restart of a Jira, or of our workers, is over within minutes; then a person should know
    tries=3,  # each try reads first where it can; Jira has no key, so a lost create is never repeated blindly
)
INDEX_LAG_S = 120.0
"""JQL may not show a new ticket before. Atlassian: "a few seconds to minutes", mostly seconds ("Search After Write with
Search And Reconcile", 2026). Two minutes take the plural at its word."""
READ_LAG_S = 0.0
"""A ticket read by id or key comes from the database, not from the index."""

_REFERENCE = re.compile(r"\d+|[A-Za-z][A-Za-z0-9_]*-\d+")


@dataclass(frozen=True, kw_only=True)
class Desk:
    """Where our tickets live. The draft type must begin in the draft status, which the team's queue leaves out."""

    project: str = "SUP"
    issue_type: str = "Task"
    draft_type: str = "Draft Request"
    draft_status: str = "Draft"
    resolutions: tuple[str, ...] = ("Won't Do", "Won't Fix", "Cancelled", "Declined")
    """What a ticket that we take back is closed as: the first that Jira allows."""


class Tickets:
    """One Jira, as one user. Nothing is sent before the first call."""

    def __init__(
        self, *, url: str, user: str, token: str, timeout_s: float, desk: Desk | None = None, api: str = "2"
    ) -> None:
        """`url` without `/rest`; `user` empty: a Server's access token; `api` "2" or "3" (texts as documents)."""
        self.desk = desk or Desk()
        self._api = api
        self._connect = partial(JiraClient, url=url, user=user, token=token, timeout_s=timeout_s, api=api)
        self._made: JiraClient | None = None
        self._making = threading.Lock()
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="jira")
        self._wait_s = timeout_s * WAIT_SHARE
        self._checked: set[str] = set()

    async def close(self) -> None:
        """Let go of connections and threads; what is under way is not waited for."""
        if self._made is not None:
            self._made.close()
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def carrying(self, key: str, *, proven: bool = True) -> list[Ticket]:
        """The tickets that carry this key, oldest first, all pages, compared on our side.

        `proven`: an empty list comes only after `prove`; Cloud answers 200 and nothing to an expired token.
        """
        found = await self._ask(lambda client: list(client.labelled(key_label(key))))
        if not found and proven:
            await self.prove()
        return sorted((each for each in found if each.carries(key)), key=lambda each: int(each.id))

    async def prove(self) -> None:
        """Return only if the credential is good and still sees our project; else what we did not find may be there."""
        if not await self._ask(lambda client: client.who()):
            raise NotSent("Jira does not say who we are", code="no_answer")
        await self._ask(lambda client: client.project(self.desk.project))

    async def read(self, reference: str) -> Ticket | None:
        """The ticket of this id or key, also when it was moved since; None once it is gone, the credential proven.

        A ticket moved to where we may not look is like one that was deleted: Jira answers 404 to both.
        """
        if not _REFERENCE.fullmatch(reference):
            raise NotSent("that is no reference to a ticket", code="bad_reference", lasting=True)
        ticket = await self._ask(lambda client: client.ticket(reference))
        if ticket is None:
            await self.prove()
        return ticket

    async def check(self, *, draft: bool) -> None:
        """Before the first creation: tickets of this type exist, can be closed, and have the draft state (T28)."""
        name = self.desk.draft_type if draft else self.desk.issue_type
        if name in self._checked:
            return
        states = await self._ask(lambda client: client.states(self.desk.project, name))
        if states is None:
            problem, code = f"project {self.desk.project} has no issue type {name}", "no_issue_type"
        elif "done" not in states.values():
            problem, code = f"{name} has no state in which it is done: it could not be closed", "no_way_to_close"
        elif draft and self.desk.draft_status not in states:
            problem, code = f"{name} has no state {self.desk.draft_status}", "no_draft_state"
        else:
            self._checked.add(name)
            return
        raise NotSent(problem, code=code, lasting=True)

    async def create(
        self, *, draft: bool, summary: str, description: str, labels: list[str], priority: str | None
    ) -> Json:
        """One POST; {"key", "id"}. Not read back: an error of that would look like a refusal (T8)."""
        fields: dict[str, Any] = {
            "project": {"key": self.desk.project},
            "issuetype": {"name": self.desk.draft_type if draft else self.desk.issue_type},
            "summary": summary,
            "description": self._text(description),
            "labels": labels,
        }
        if priority:
            fields["priority"] = {"name": priority}
        raw = await self._send(lambda client: client.create_issue(fields=fields, prefetch=False).raw)
        if not (isinstance(raw.get("key"), str) and raw.get("id")):
            raise Unanswered("Jira's answer names no ticket", code="no_answer")
        return {"key": raw["key"], "id": str(raw["id"])}

    async def ways(self, ticket: Ticket) -> list[Way]:
        """The ways out of its state that are open to this user."""
        listed = await self._ask(lambda client: client.transitions(ticket.id, expand="transitions.fields"))
        try:
            return [Way.parse(each) for each in listed]
        except (KeyError, TypeError):
            raise NotSent("Jira's answer lists no transitions", code="no_answer") from None

    async def move(self, ticket: Ticket, way: Way, *, label: str, comment: str, resolution: Json | None) -> None:
        """One POST of a transition; label and comment may be "". Jira's answer is always empty: read it back."""
        update: dict[str, Any] = {"labels": [{"add": label}]} if label else {}
        if comment:
            update["comment"] = [{"add": {"body": self._text(comment)}}]
        fields = {"resolution": resolution} if resolution else {}
        await self._send(lambda client: client.move(ticket.id, way.id, fields, update))

    async def mark(self, ticket: Ticket, label: str) -> None:
        """Add a label; adding it twice is adding it once."""
        await self._send(lambda client: client.edit(ticket.id, {"labels": [{"add": label}]}))

    async def comment(self, ticket: Ticket, text: str) -> None:
        """Add a comment; twice is two."""
        made = await self._send(lambda client: client.add_comment(ticket.id, self._text(text)).raw)
        if not (made or {}).get("id"):
            # A blank 200 looks like success to the package.
            raise Unanswered("Jira's answer names no comment", code="no_answer")

    async def says(self, ticket: Ticket, word: str) -> bool:
        """Whether any comment contains this word."""
        comments = await self._ask(lambda client: client.comments(ticket.id, order_by="-created"))
        return any(word in json.dumps(each.raw.get("body")) for each in comments)

    async def delete(self, ticket: Ticket) -> None:
        """One DELETE. Unanswered where the answer is not Jira's 204."""
        status = await self._send(lambda client: client.remove(ticket.id))
        if status != 204:
            raise Unanswered(f"HTTP {status} where Jira's 204 should be", code=f"http_{status}", status=status)

    def _text(self, text: str) -> Any:
        """The text as this version of the API takes it: v3 wants an Atlassian document, one paragraph a line here."""
        if self._api != "3":
            return text
        lines = [[{"type": "text", "text": line}] if line else [] for line in text.split("\n")]
        return {
            "type": "doc",
            "version": 1,
            "content": [{"type": "paragraph", "content": line} for line in lines],
        }

    async def _ask(self, question: Callable[[JiraClient], T]) -> T:
        try:
            return await self._in_thread(lambda: question(self._client()))
        except Exception as error:  # noqa: BLE001 - what nobody recognises is no answer
            raise of_read(error) from None

    async def _send(self, write: Callable[[JiraClient], T]) -> T:
        # Made as a question: what goes wrong while it asks serverInfo is not what became of the write.
        client = self._made or await self._ask(lambda made: made)
        begun = time.monotonic()

        def in_time() -> T:
            if time.monotonic() - begun > self._wait_s:
                # Sent now, it could land after everybody has stopped waiting for it.
                raise NotSent("too many requests to Jira at once", code="busy")
            return write(client)

        try:
            return await self._in_thread(in_time)
        except Exception as error:  # noqa: BLE001 - what nobody recognises is no answer
            raise of_write(error) from None

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    def _client(self) -> JiraClient:
        with self._making:
            if self._made is None:
                self._made = self._connect()
            return self._made
