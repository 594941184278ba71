"""Mail through an HTTP service, after Resend: letters sent under a key, drafts, and a send log.

The key travels twice, as `Idempotency-Key` (kept for a day) and as the header `X-Saga-Key` of the letter, by which
drafts and log are looked through.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Protocol
from urllib.parse import quote

import httpx

from activities.providers.exchange import Exchange
from activities.providers.letter import Kind, Letter, Mailed, marks
from activities.providers.retry_after import retry_after_s
from saga.draft import Grade, Pace
from saga.errors import NotSent, ProviderError, Refused, Unanswered
from saga.record import Json
from saga.tool import Tags

PACE = Pace(
    request_s=10,  # a service that queues a letter answers within a second; ten times that is no longer slow but silent
    attempt_s=45,  # sending a draft reads it, sends it, and at worst reads it and its letter again: four requests
    patience_s=600,  # a restarted worker is back in minutes; far from the day after which the key is forgotten
    tries=3,  # the second is answered from the service's memory; a third outlives a short outage
)
INDEX_LAG_S = 15.0
"""A send log shows what was queued within a second or two; ten times that, since no service promises it."""

KEY_LIFE_S = 23 * 3600.0
"""Resend keeps keys for 24 hours; an hour less for clocks and for what is under way."""

_LOOKBACK_S = 300
"""A list begins this much before the step did: so far may the clocks of two machines lie apart."""
_PAGE = 100
_PAGES = 50
"""100 is Resend's largest page. 5,000 letters of one key since the step began are no lookup but a mistake."""
_OPEN = frozenset({408, 425})
"""Statuses below 500 that say nothing of this write: too slow, too early."""
_CONFLICTS = frozenset({"draft_already_sent"})
"""The 409s that are a no. The others speak of another request under this key."""
_SENTENCE = 300
"""Characters of the service's own words that are kept."""


class Mail(Protocol):
    """What the tools ask of a mail system. One that keeps no drafts, or no log, refuses those."""

    @property
    def grade(self) -> Grade:
        """What a letter sent through it can be promised; the composition root puts it on the tools."""
        ...

    async def send(self, letter: Letter, tags: Tags, **also: str) -> str:
        """The letter's reference. `also`: further headers."""
        ...

    async def write(self, letter: Letter, tags: Tags, /) -> str:
        """The reference of a new draft."""
        ...

    async def send_draft(self, ref: str, tags: Tags, /) -> str:
        """The reference of the letter that the draft became."""
        ...

    async def delete_draft(self, ref: str, tags: Tags, /) -> None:
        """Refused with `not_found` where there is none."""
        ...

    async def draft(self, ref: str, /) -> Mailed | None:
        """The draft as it stands; None where there is none any more."""
        ...

    async def letter(self, ref: str) -> Mailed:
        """An entry of the send log."""
        ...

    async def carrying(self, kind: Kind, key: str, *, since: float) -> list[Mailed]:
        """All drafts, or all letters sent, that carry this key, oldest first."""
        ...

    async def close(self) -> None:
        """Let go of the connections."""
        ...


class HttpMail:
    """One mail account, with one token: one that writes, or one that only reads."""

    grade: Grade = "key_and_lookup"

    def __init__(self, *, url: str, key: str, timeout_s: float, sender: str = "support@sandbox.test") -> None:
        """`url` is what `/emails` and `/drafts` stand under; `sender` is who the letters are from."""
        self._url, self._sender = url.rstrip("/"), sender
        self._token = {"Authorization": f"Bearer {key}"}
        self._exchange = Exchange("the mail service", timeout_s=timeout_s)

    async def close(self) -> None:
        """Let go of the connections."""
        await self._exchange.close()

    async def send(self, letter: Letter, tags: Tags, **also: str) -> str:
        """Queue the letter. Refused where the service accepted it for nobody."""
        return self._sent(await self._write("POST", "emails", tags, self._body(letter, tags, also)))

    async def write(self, letter: Letter, tags: Tags) -> str:
        """Keep the letter as a draft."""
        return _ref(await self._write("POST", "drafts", tags, self._body(letter, tags, {})))

    async def send_draft(self, ref: str, tags: Tags) -> str:
        """Send the draft, once, with the headers of this half in place of those it was written with."""
        body: Json = {"headers": {**marks(tags)}}
        return self._sent(await self._write("POST", f"drafts/{_quoted(ref)}/send", tags, body))

    async def delete_draft(self, ref: str, tags: Tags) -> None:
        """Throw the draft away. A delete has no body: its key is in the headers of the request."""
        _ref(await self._write("DELETE", f"drafts/{_quoted(ref)}", tags, None))

    async def draft(self, ref: str) -> Mailed | None:
        """None only where the service itself says `not_found`."""
        try:
            return _mailed(await self._read(f"drafts/{_quoted(ref)}"))
        except NotSent as error:
            if not _missing(error):
                raise
            return None

    async def letter(self, ref: str) -> Mailed:
        """NotSent (`not_found`) where the log has none."""
        return _mailed(await self._read(f"emails/{_quoted(ref)}"))

    async def carrying(self, kind: Kind, key: str, *, since: float) -> list[Mailed]:
        """The service's filter is a hint; the headers are compared here."""
        asked = {"header": "X-Saga-Key", "value": key, "since": str(max(0, math.floor(since) - _LOOKBACK_S))}
        listed = await self._pages(kind, asked)
        if not listed:
            # An empty list proves nothing from a credential that sees nothing: prove it, then look again.
            await self._prove()
            listed = await self._pages(kind, asked)
        return [each for each in map(_mailed, reversed(listed)) if each.is_of(key)]

    async def _prove(self) -> None:
        """NotSent where the account shows nothing: no domain (the sandbox lists none), no letter and no draft."""
        for path in ("domains", "log", "drafts"):
            try:
                if (await self._read(path, {"limit": "1"})).get("data"):
                    return
            except NotSent as error:
                if not _missing(error):
                    raise
        raise NotSent("the mail account shows nothing at all, so that absence proves nothing", code="blind")

    async def _pages(self, kind: Kind, asked: Mapping[str, str]) -> list[Json]:
        """All pages, newest first."""
        found: list[Json] = []
        params = {**asked, "limit": str(_PAGE)}
        for _ in range(_PAGES):
            page = await self._read(kind, params)
            data = page.get("data")
            if not isinstance(data, list):
                raise NotSent("the mail service answered no list", code="no_list")
            found += [each for each in data if isinstance(each, dict)]
            if not page.get("has_more"):
                return found
            params["cursor"] = str(page.get("next_cursor"))
        raise NotSent(f"more than {_PAGE * _PAGES} letters to look through", code="too_many", lasting=True)

    def _body(self, letter: Letter, tags: Tags, also: Mapping[str, str]) -> Json:
        headers: Json = {**marks(tags), **also}
        return {
            "from": self._sender,
            "to": [letter.to],
            "subject": letter.subject,
            "text": letter.text,
            "headers": headers,
        }

    @staticmethod
    def _sent(said: Json) -> str:
        ref = _ref(said)
        if said.get("rejected"):
            # There is one recipient, so that a rejected one is everybody. The key remembers this answer.
            raise Refused("the recipient was rejected", code="recipient_rejected", remembered=True)
        return ref

    async def _write(self, method: str, path: str, tags: Tags, body: Json | None) -> Json:
        headers = {**self._token, **marks(tags), "Idempotency-Key": tags.key}
        return _answer(await self._exchange.ask(method, f"{self._url}/{path}", headers=headers, json=body))

    async def _read(self, path: str, params: Mapping[str, str] | None = None) -> Json:
        """Whatever becomes of a read, nothing was done: NotSent, which is never an absence either."""
        try:
            url = f"{self._url}/{path}"
            return _answer(await self._exchange.ask("GET", url, headers=self._token, params=params))
        except (Refused, Unanswered) as error:
            lasting = isinstance(error, Refused)
            raise NotSent(error.message, code=error.code, status=error.status, lasting=lasting) from None


def _answer(answer: httpx.Response) -> Json:
    try:
        body: Any = answer.json()
    except ValueError:
        body = None
    if answer.is_success and isinstance(body, dict):
        return body
    raise _no(answer, body if isinstance(body, dict) else {})


def _no(answer: httpx.Response, body: Json) -> ProviderError:
    """The service's own format is {"statusCode", "name", "message"} (resend.com/docs/api-reference/errors)."""
    status, code, sentence = answer.status_code, str(body.get("name", "")), str(body.get("message", ""))[:_SENTENCE]
    if status == 429:
        wait_s = retry_after_s(answer.headers)
        return NotSent("the mail service asks for patience", code="rate_limit", status=status, retry_after_s=wait_s)
    own = isinstance(body.get("name"), str) and "message" in body
    if not own or not 400 <= status < 500 or status in _OPEN or (status == 409 and code not in _CONFLICTS):
        message = f"HTTP {status} where the mail service's answer should be"
        return Unanswered(message, code=code or f"http_{status}", status=status)
    if status in (401, 403):
        return NotSent(sentence, code=code, status=status, lasting=True)
    return Refused(sentence, code=code, status=status)


def _ref(said: Json) -> str:
    ref = said.get("id")
    if not isinstance(ref, str) or not ref:
        raise Unanswered("the mail service's answer names no letter", code="no_letter")
    return ref


def _mailed(said: Mapping[str, Any]) -> Mailed:
    try:
        return Mailed.of(said)
    except Unanswered as error:
        raise NotSent(error.message, code=error.code) from None


def _missing(error: NotSent) -> bool:
    """Whether the service itself says that there is no such thing."""
    return (error.status, error.code) == (404, "not_found")


def _quoted(ref: str) -> str:
    return quote(ref, safe="")
