"""Patience: asking a server that the monkey may just have killed."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from temporalio.client import WorkflowQueryFailedError, WorkflowUpdateRPCTimeoutOrCancelledError
from temporalio.service import RPCError, RPCStatusCode

from workers.exits import CannotTell

T = TypeVar("T")

GIVE_UP_S = 90.0
"""A server is back within ten seconds, and a worker within twenty on a busy machine."""
AGAIN_S = 0.3

PASSING = (
    RPCStatusCode.UNAVAILABLE,
    RPCStatusCode.DEADLINE_EXCEEDED,
    RPCStatusCode.CANCELLED,
    RPCStatusCode.UNKNOWN,
    RPCStatusCode.INTERNAL,
    RPCStatusCode.RESOURCE_EXHAUSTED,
    RPCStatusCode.ABORTED,
    RPCStatusCode.FAILED_PRECONDITION,
)
"""What a server says that is going, coming, or has no worker to ask."""


async def patiently(ask: Callable[[], Awaitable[T]]) -> T:
    """The answer, as soon as there is one; CannotTell after GIVE_UP_S. Errors that say something are raised."""
    end = time.monotonic() + GIVE_UP_S
    while True:
        try:
            return await ask()
        except (RPCError, WorkflowUpdateRPCTimeoutOrCancelledError, WorkflowQueryFailedError, CannotTell) as error:
            if isinstance(error, RPCError) and error.status not in PASSING:
                raise
            if time.monotonic() > end:
                raise CannotTell(f"no answer within {GIVE_UP_S:.0f} s: {error}") from None
        await asyncio.sleep(AGAIN_S)
