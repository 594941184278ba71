"""What the laboratory puts between its parts: the world's clock follows the server's, and queries take turns."""

from __future__ import annotations

import asyncio
from typing import Any

from temporalio import activity, client
from temporalio.worker import ActivityInboundInterceptor, ExecuteActivityInput, Interceptor

from workers.sandbox.app import Sandbox


class FollowingClock(Interceptor):
    """Sets the world's clock before every activity that could touch it."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:  # noqa: A002
        return _Follow(next, self._sandbox)


class _Follow(ActivityInboundInterceptor):
    def __init__(self, next: ActivityInboundInterceptor, sandbox: Sandbox) -> None:  # noqa: A002
        super().__init__(next)
        self._sandbox = sandbox

    async def execute_activity(self, input: ExecuteActivityInput) -> Any:  # noqa: A002
        now = activity.info().started_time.timestamp()
        if now > self._sandbox.world.now():
            self._sandbox.world.set_clock(now)
        return await super().execute_activity(input)


class OneQuery(client.Interceptor):
    """One query at a time: of two at once the test server may lose one, and its asker waits for half a minute."""

    def intercept_client(self, next: client.OutboundInterceptor) -> client.OutboundInterceptor:  # noqa: A002
        return _InTurn(next)


class _InTurn(client.OutboundInterceptor):
    def __init__(self, next: client.OutboundInterceptor) -> None:  # noqa: A002
        super().__init__(next)
        self._turn = asyncio.Lock()

    async def query_workflow(self, input: client.QueryWorkflowInput) -> Any:  # noqa: A002
        async with self._turn:
            return await super().query_workflow(input)
