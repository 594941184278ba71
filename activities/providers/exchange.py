"""One HTTP request to an outside system within one time limit: its answer, or what it means that none came."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import httpx

from activities.providers.trust import trust
from saga.errors import NotSent, Unanswered


class Exchange:
    """The connections to one system. httpx by itself bounds only the pauses within a request, and not the whole."""

    def __init__(self, name: str, *, timeout_s: float) -> None:
        """`name` as people call the system; `timeout_s` bounds a whole request, connecting included."""
        self._name, self._timeout_s = name, timeout_s
        # Half for connecting: what times out there is known not to have been sent. Proxies named in the environment
        # are not used: settings are the only reader of the environment.
        limits = httpx.Timeout(timeout_s, connect=timeout_s / 2)
        self._client = httpx.AsyncClient(timeout=limits, trust_env=False, verify=trust())

    async def ask(self, method: str, url: str, *, headers: Mapping[str, str], **more: Any) -> httpx.Response:
        """Any answer, whatever its status. NotSent where no connection was made, Unanswered where no answer came."""
        try:
            async with asyncio.timeout(self._timeout_s):
                return await self._client.request(method, url, headers=headers, **more)
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout):
            raise NotSent(f"{self._name} cannot be reached", code="unreachable") from None
        except (httpx.HTTPError, TimeoutError) as error:
            raise Unanswered(f"{self._name} gave no answer ({type(error).__name__})", code="no_answer") from None

    async def close(self) -> None:
        """Let go of the connections."""
        await self._client.aclose()
