"""What a laboratory puts between its parts: the world's clock follows the server's, steps are watched, queries wait."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from math import inf
from typing import Any

from temporalio import activity, client
from temporalio.worker import ActivityInboundInterceptor, ExecuteActivityInput, Interceptor

from saga.doors import FindOrder, SendOrder
from saga.row import Half, Row

YEAR_S = 365 * 86_400
"""Nothing is waited for as long; a server left alone skips to its runs' time-outs, ten years ahead."""


@dataclass(frozen=True)
class Moment:
    """An attempt at one half of a step, about to be made: `door` is perform, compensate or find."""

    door: str
    row: Row
    half: Half
    attempt: int


Around = Callable[[Moment], AbstractAsyncContextManager[Any]]
"""What is done before and after an attempt."""


class Attendant(Interceptor):
    """Sets the world's clock before every activity, and lets whoever watches stand around the attempts of steps."""

    def __init__(self, set_clock: Callable[[float], None]) -> None:
        """`set_clock` takes epoch seconds; it is called with ever later ones."""
        self._set_clock = set_clock
        self._now = 0.0
        self.around: Around | None = None

    def reach(self, now: datetime, *, within_s: float = inf) -> None:
        """Let the world's clock reach `now`, unless that is further away than `within_s`."""
        at = now.timestamp()
        if self._now < at and (not self._now or at < self._now + within_s):
            self._now = at
            self._set_clock(at)

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:  # noqa: A002
        """As Temporal asks."""
        return _Attended(next, self)


class _Attended(ActivityInboundInterceptor):
    def __init__(self, next: ActivityInboundInterceptor, attendant: Attendant) -> None:  # noqa: A002
        super().__init__(next)
        self._attendant = attendant

    async def execute_activity(self, input: ExecuteActivityInput) -> Any:  # noqa: A002
        self._attendant.reach(activity.info().started_time)
        order, around = (input.args[0] if input.args else None), self._attendant.around
        if around is None or not isinstance(order, SendOrder | FindOrder):
            return await super().execute_activity(input)
        async with around(_moment(order)):
            return await super().execute_activity(input)


def _moment(order: SendOrder | FindOrder) -> Moment:
    info = activity.info()
    counter: Half = "compensation" if info.activity_type == "compensate" else "call"
    half = order.half if isinstance(order, FindOrder) else counter
    return Moment(door=info.activity_type, row=order.row, half=half, attempt=info.attempt)


class OneQuery(client.Interceptor):
    """One query at a time: of two at once the test server may lose one, and its asker waits for half a minute."""

    def intercept_client(self, next: client.OutboundInterceptor) -> client.OutboundInterceptor:  # noqa: A002
        """As Temporal asks."""
        return _InTurn(next)


class _InTurn(client.OutboundInterceptor):
    def __init__(self, next: client.OutboundInterceptor) -> None:  # noqa: A002
        super().__init__(next)
        self._turn = asyncio.Lock()

    async def query_workflow(self, input: client.QueryWorkflowInput) -> Any:  # noqa: A002
        async with self._turn:
            return await super().query_workflow(input)
