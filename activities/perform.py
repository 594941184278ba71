"""The door `perform`: sends a step's call, once per attempt, under the key in its row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from temporalio import activity

from activities.sending import send
from saga.doors import SendOrder
from saga.outcome import Answer
from saga.registry import Registry


class Perform:
    """Holds the credentials that can write."""

    def __init__(self, registry: Registry, writers: Mapping[str, Any], *, inject: bool = False) -> None:
        """`writers`: provider by system name. `inject`: fail where a run asked for it."""
        self._registry, self._writers, self._inject = registry, writers, inject

    @activity.defn(name="perform")
    async def perform(self, order: SendOrder) -> Answer:
        """An answer that counts. Raises where there is none: the row is UNKNOWN then."""
        tool = self._registry.tool(order.row.tool)
        return await send(tool, self._writers[tool.system], order, "call", inject=self._inject)
