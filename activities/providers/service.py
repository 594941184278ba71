"""One of the shop's own JSON services over HTTP: a bearer token, objects in and out, one request a call.

It says no as {"error": {"code", "message"}}. A question that fails is NotSent (it changes nothing); of a write only a
no in that format is a refusal, and a 409 only with a code that is known to be one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping
from typing import Any

import httpx

from activities.providers.retry_after import retry_after_s
from activities.providers.trust import trust
from saga.errors import NotSent, ProviderError, Refused, Unanswered
from saga.record import Json

_OPEN = frozenset({408, 425})
"""Statuses below 500 that say nothing of this write: too slow, too early."""
_SENTENCE = 300
"""Characters of the service's own words that are kept."""


class Service:
    """One service, with one token. Nothing is sent before the first call."""

    def __init__(self, name: str, *, url: str, token: str, timeout_s: float, conflicts: Collection[str] = ()) -> None:
        """`name` as people call it; `timeout_s` bounds one request as a whole; `conflicts`: 409s that are a no."""
        self._name, self._timeout_s, self._conflicts = name, timeout_s, frozenset(conflicts)
        self._client = httpx.AsyncClient(
            base_url=url,
            headers={"Authorization": f"Bearer {token}"},
            # A machine that answers at all answers a SYN within seconds; the whole is bounded in `_request`.
            timeout=httpx.Timeout(timeout_s, connect=min(5.0, timeout_s / 2)),
            verify=trust(of_environment=True),
        )

    async def close(self) -> None:
        """Let go of the connections."""
        await self._client.aclose()

    async def get(self, path: str, params: Mapping[str, Any] | None = None) -> Json:
        """Read an object. NotSent, with the status and code of the service where it gave one."""
        try:
            return await self._request("GET", path, params=params)
        except (Refused, Unanswered) as error:
            # What it refuses to show it will refuse tomorrow.
            raise NotSent(
                error.message, code=error.code, status=error.status, lasting=isinstance(error, Refused)
            ) from None

    async def post(self, path: str, body: Json) -> Json:
        """One write. Refused, NotSent or Unanswered where no object came back."""
        return await self._request("POST", path, json=body)

    async def _request(self, method: str, path: str, **more: Any) -> Json:
        try:
            async with asyncio.timeout(self._timeout_s):
                answer = await self._client.request(method, path, **more)
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout):
            raise NotSent(f"the {self._name} could not be reached", code="unreachable") from None
        except (httpx.HTTPError, TimeoutError) as error:
            raise Unanswered(f"no answer of the {self._name} ({type(error).__name__})", code="no_answer") from None
        body = _object(answer)
        if answer.is_success and body is not None and "error" not in body:
            return body
        raise self._no(answer, body)

    def _no(self, answer: httpx.Response, body: Json | None) -> ProviderError:
        status, said = answer.status_code, _said(body)
        if status == 429:
            wait_s = retry_after_s(answer.headers)
            message = f"the {self._name} asks for patience"
            return NotSent(message, code="rate_limited", status=status, retry_after_s=wait_s)
        code, sentence = said or ("", "")
        is_no = 400 <= status < 500 and status not in _OPEN
        if said is None or not is_no or (status == 409 and code not in self._conflicts):
            message = f"HTTP {status} where the {self._name}'s answer should be"
            return Unanswered(message, code=code or f"http_{status}", status=status)
        if status in (401, 403):
            return NotSent(sentence, code=code, status=status, lasting=True)
        return Refused(sentence, code=code, status=status)


def _object(answer: httpx.Response) -> Json | None:
    try:
        body = answer.json()
    except ValueError:
        return None
    return body if isinstance(body, dict) else None


def _said(body: Json | None) -> tuple[str, str] | None:
    """(code, sentence) of a no in the service's own format; None where it is not."""
    error = body.get("error") if body else None
    if not isinstance(error, dict) or not isinstance(error.get("code"), str):
        return None
    return str(error["code"]), str(error.get("message", ""))[:_SENTENCE]
