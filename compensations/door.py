"""The door `compensate`: sends a step's counter-action, under that half's own key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from temporalio import activity
from temporalio.exceptions import ApplicationError

from activities.sending import UNANSWERED, send
from saga.doors import SendOrder
from saga.outcome import Answer
from saga.registry import Registry


class Compensate:
    """Holds the credentials that can write."""

    def __init__(self, registry: Registry, writers: Mapping[str, Any], *, inject: bool = False) -> None:
        """`writers`: provider by system name. `inject`: fail where a run asked for it."""
        self._registry, self._writers, self._inject = registry, writers, inject

    @activity.defn(name="compensate")
    async def compensate(self, order: SendOrder) -> Answer:
        """An answer that counts: undone (or `pending`), or the provider's refusal to undo."""
        counter = order.row.compensation
        if counter is None:
            raise ApplicationError("this step has no counter-action", type=UNANSWERED, non_retryable=True)
        half = self._registry.half(order.row.tool, "compensation", counter.tool)
        return await send(half, self._writers[half.system], order, "compensation", inject=self._inject)
