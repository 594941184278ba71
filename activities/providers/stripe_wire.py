"""How the `stripe` package speaks HTTP here: through one `Exchange`, so that silence is told from refusal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import stripe

from activities.providers.exchange import Exchange


class StripeWire(stripe.HTTPClient):
    """A client of the package's own kind. NotSent and Unanswered pass through the package as they are."""

    name = "httpx"

    def __init__(self, timeout_s: float) -> None:
        """`timeout_s` bounds a whole request."""
        super().__init__()
        self._exchange = Exchange("Stripe", timeout_s=timeout_s)

    async def request_async(
        self, method: str, url: str, headers: Mapping[str, str], post_data: Any = None
    ) -> tuple[bytes, int, Mapping[str, str]]:
        """Body, status, headers."""
        answer = await self._exchange.ask(method, url, headers=headers, content=post_data)
        return answer.content, answer.status_code, answer.headers

    async def close_async(self) -> None:
        """Let go of the connections."""
        await self._exchange.close()
