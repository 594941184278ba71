"""Failing on purpose: what a door does about the faults that a run asked for. Nothing, unless it was started for it."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from saga.errors import NotSent, Refused, Unanswered
from saga.faults import Fault

INJECTED = "injected"
"""Problem code of what was done on purpose."""

_T = TypeVar("_T")


def struck(faults: Sequence[Fault], request: int) -> str | None:
    """The fault that strikes the request of that number; the first that fits."""
    return next((each.fault for each in faults if each.strikes(request)), None)


async def send(fault: str | None, act: Callable[[], Awaitable[_T]]) -> _T:
    """What `act` answers, spoilt as `fault` says."""
    if fault is None:
        return await act()
    if fault == "refuse":
        raise Refused("refused on purpose", code=INJECTED)
    if fault == "not_sent":
        raise NotSent("not sent, on purpose", code=INJECTED)
    if fault == "before":
        raise Unanswered("nothing was sent, and nobody said so, on purpose", code=INJECTED)
    await act()
    if fault == "twice":
        return await act()
    if fault == "hang":
        await asyncio.Event().wait()  # until the attempt's own limit
    if fault == "crash":
        os.kill(os.getpid(), signal.SIGKILL)
    raise Unanswered("the answer was lost on purpose", code=INJECTED)
