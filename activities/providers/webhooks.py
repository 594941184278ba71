"""The customers' own endpoints, told of events by Standard Webhooks (github.com/standard-webhooks/standard-webhooks).

`webhook-id` is our key, and a receiver drops an id that it has seen. Id and body are the same bytes at every attempt;
`webhook-timestamp`, and with it the signature, are the attempt's own: the specification says so, and receivers turn
away what is older than five minutes, while a call may wait a day for its approval.

Where an endpoint is comes from the settings, by client, and from nowhere else; redirects are not followed. So nothing
that a model or a customer's answer says can turn a request elsewhere.

What an answer means. The specification knows success (2xx) and failure (all else); a failure is sent again, so that a
receiver that had acted and then failed is expected to drop the second. For us a failure must be told from a doubt:

- 2xx: delivered, whatever the body; none is laid down. But a page of HTML is made for people, and no receiver's: a
  gateway's, a parked domain's, a login form's. Unanswered; asked again, a receiver that had it says so.
- 410: a definite no, and the specification's own word for it: the endpoint is to be switched off.
- 401, 403: turned away at the door; the secret, or where we send from, does not fit. NotSent; waiting mends nothing.
- 301, 307, 308: it lives elsewhere, and the request was not carried out here: a no. A person changes the settings.
- 302, 303: also said by a form that has taken the request and shows the next page. Unanswered.
- 408, 409, 425: too slow, another with this id under way (or seen), too early. Unanswered. 429: NotSent, with its wish.
- any other 4xx: the request "cannot be fulfilled" (RFC 9110, 15.5): a no.
- 5xx, and no answer at all: it may have acted first. Unanswered.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

import httpx
from standardwebhooks.webhooks import Webhook

from activities.providers.retry_after import retry_after_s
from saga.draft import Pace
from saga.errors import NotSent, ProviderError, Refused, Unanswered
from saga.record import Json
from saga.tool import Tags

PACE = Pace(
    request_s=15,  # the specification asks for 15 to 30 s; a receiver that needs more should have queued it
    attempt_s=25,  # one request and no second one; the rest is for a worker that is busy
    patience_s=240,  # a minute less than KEY_LIFE_S, so that no attempt begins beyond it
    tries=3,  # the second is dropped by its id if the first was taken; a third outlives a short outage
)
KEY_LIFE_S = 300.0
"""The specification's own example has a receiver keep ids for five minutes; none promises more."""

_MOVED = frozenset({301, 307, 308})
_OPEN = frozenset({408, 409, 425})
"""Below 500, and yet no answer to this very request."""
_GLANCE = 256
"""Bytes of an answer that are looked at: enough to tell a page from a word. The rest is not even read."""
_PAGE = re.compile(rb"\s*(<!doctype html|<html)", re.IGNORECASE)


@dataclass(frozen=True)
class Endpoint:
    """Where a client wants to be told, and the secret that they know us by; who only looks has none."""

    url: str
    secret: str = field(default="", repr=False)


class Webhooks:
    """All endpoints that the settings name."""

    def __init__(
        self, *, url: str, secret: str, timeout_s: float, endpoints: Mapping[str, Mapping[str, str]] | None = None
    ) -> None:
        """`endpoints`: {"url", "secret"} by client; everybody else's is `url`/<client> with `secret`, unless empty.

        `timeout_s` bounds one request as a whole.
        """
        self._endpoints = {client: Endpoint(**each) for client, each in (endpoints or {}).items()}
        self._otherwise, self._timeout_s = Endpoint(url.rstrip("/"), secret), timeout_s
        # Half for connecting: what times out there is known not to have been sent. Proxies named in the environment
        # are not used: settings are the only reader of the environment.
        limits = httpx.Timeout(timeout_s, connect=timeout_s / 2)
        self._client = httpx.AsyncClient(timeout=limits, trust_env=False, follow_redirects=False)

    async def close(self) -> None:
        """Let go of the connections."""
        await self._client.aclose()

    def endpoint(self, client: str) -> Endpoint | None:
        """Where that client is told of things; None where nobody has said."""
        if client in self._endpoints:
            return self._endpoints[client]
        named = self._otherwise.url
        return Endpoint(f"{named}/{client}", self._otherwise.secret) if named else None

    async def deliver(self, client: str, event: str, data: Json, tags: Tags) -> None:
        """Tell the client. Returns once their endpoint has taken it; else Refused, NotSent or Unanswered."""
        endpoint = self.endpoint(client)
        if endpoint is None:
            raise Refused(f"no endpoint is set up for {client}", code="no_endpoint")
        # No time of the event: it would have to be the same at every attempt, and nothing that is needs it.
        content = json.dumps({"type": event, "data": data}, sort_keys=True, separators=(",", ":"))
        headers = {**_marks(tags), **_signed(endpoint, tags.key, content), "Content-Type": "application/json"}
        problem = await self._post(endpoint.url, headers, content)
        if problem is not None:
            raise problem

    async def _post(self, url: str, headers: Mapping[str, str], content: str) -> ProviderError | None:
        try:
            async with (
                asyncio.timeout(self._timeout_s),
                self._client.stream("POST", url, headers=headers, content=content.encode()) as answer,
            ):
                return _problem(answer, await _glance(answer))
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol):
            return NotSent("the endpoint cannot be reached", code="unreachable")
        except (httpx.HTTPError, TimeoutError) as error:
            return Unanswered(f"the endpoint gave no answer ({type(error).__name__})", code="no_answer")


def _marks(tags: Tags) -> dict[str, str]:
    return {"X-Saga-Key": tags.key, "X-Saga-Run": tags.run_id, "X-Saga-Execution": tags.execution}


def _signed(endpoint: Endpoint, name: str, content: str) -> dict[str, str]:
    now = int(time.time())
    return {
        "webhook-id": name,
        "webhook-timestamp": str(now),
        "webhook-signature": Webhook(endpoint.secret).sign(name, datetime.fromtimestamp(now, UTC), content),
        # Uncompressed, so that a glance is one, and no small answer becomes a large one.
        "Accept-Encoding": "identity",
    }


async def _glance(answer: httpx.Response) -> bytes:
    seen = b""
    async for piece in answer.aiter_raw():
        seen += piece
        if len(seen) >= _GLANCE:
            break
    return seen[:_GLANCE]


def _problem(answer: httpx.Response, seen: bytes) -> ProviderError | None:
    """None: delivered. Nothing that the endpoint said in words is kept: they are a stranger's."""
    status = answer.status_code
    if answer.is_success:
        page = _PAGE.match(seen) is not None
        return Unanswered("the endpoint answered with a page for people", code="page", status=status) if page else None
    if status == 429:
        wait_s = retry_after_s(answer.headers)
        return NotSent("the endpoint asks for patience", code="rate_limited", status=status, retry_after_s=wait_s)
    if status in (401, 403):
        return NotSent("the endpoint turned us away", code=f"http_{status}", status=status, lasting=True)
    if status == 410:
        return Refused("the endpoint is gone, and wants no more", code="gone", status=status)
    if status in _MOVED:
        return Refused(
            "the endpoint has moved; its address in the settings is out of date", code="moved", status=status
        )
    if 400 <= status < 500 and status not in _OPEN:
        return Refused(f"the endpoint did not take it: HTTP {status}", code=f"http_{status}", status=status)
    return Unanswered(f"HTTP {status} from the endpoint", code=f"http_{status}", status=status)
