"""The shop's orders, to be read: one by its number, or a search by customer and words."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from activities.providers.service import Service
from saga.errors import NotSent
from saga.record import Json


class Orders:
    """The order service, with a token that only reads. Each request has one answer and is never sent twice."""

    def __init__(self, *, url: str, token: str, timeout_s: float) -> None:
        """`url` without `/orders`. Nothing is sent before the first call."""
        self._service = Service("order service", url=url, token=token, timeout_s=timeout_s)

    async def close(self) -> None:
        """Let go of the connections."""
        await self._service.close()

    async def order(self, order_id: str) -> Json | None:
        """The order as the shop has it; None where it has none of that number."""
        try:
            return await self._service.get(f"/orders/{quote(order_id, safe='')}")
        except NotSent as error:
            if error.status == 404 and error.code == "not_found":
                return None
            raise

    async def search(self, *, customer_id: str | None, words: str | None) -> list[Json]:
        """The orders of a customer, those with all of these words in them, or both."""
        asked: dict[str, Any] = {"customer_id": customer_id, "q": words}
        page = await self._service.get("/orders", {name: value for name, value in asked.items() if value})
        found = page.get("data")
        if not isinstance(found, list):
            raise NotSent("the order service answered no list", code="no_answer")
        return [each for each in found if isinstance(each, dict)]
