"""Decisions of people, sent as validated updates, under an id from which the server knows a second asking.

The id is made of run, what is decided on (digest or step), what is decided, and person. An update that no worker takes
up is nowhere in history: it may be applied minutes later, or be lost with the server. Then the answer is "cannot tell".
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import timedelta
from hashlib import sha256
from typing import Any

from temporalio.client import WorkflowHandle, WorkflowUpdateFailedError, WorkflowUpdateRPCTimeoutOrCancelledError
from temporalio.exceptions import ApplicationError
from temporalio.service import RPCError, RPCStatusCode

from saga.record import Json
from saga.row import Row
from workers.exits import AnswerIsNo, CannotTell
from workers.seen import described

ANSWER_S = 10.0
"""A worker that is up answers in milliseconds; after a restart it may have to replay the run first."""


def update_id(run_id: str, *parts: object) -> str:
    """The same for the same decision of the same person, whoever's terminal it comes from."""
    text = "\n".join([run_id, *(str(part) for part in parts)])
    return sha256(text.encode()).hexdigest()[:32]


def episode(row: Row, half: str) -> str:
    """Which time of being open a decision on a step is about: a retried step may open again, and be decided again."""
    if half == "call" or row.compensation is None:
        return f"{row.tries}"
    return f"{row.compensation.idempotency_key}:{row.compensation.attempts}"


async def send(handle: WorkflowHandle[Any, Any], update: str, payload: Mapping[str, Any], *, key: str) -> Json:
    """The run's answer. AnswerIsNo with its reason, or where it is closed; CannotTell where no worker answers."""
    try:
        async with asyncio.timeout(ANSWER_S):
            return await handle.execute_update(update, dict(payload), id=key, rpc_timeout=timedelta(seconds=ANSWER_S))
    except WorkflowUpdateFailedError as error:
        raise AnswerIsNo(_refusal(error)) from None
    except (WorkflowUpdateRPCTimeoutOrCancelledError, TimeoutError):
        raise unheard(handle.id) from None
    except RPCError as error:
        if error.status == RPCStatusCode.NOT_FOUND:
            await _closed(handle)
        if error.status in (RPCStatusCode.UNAVAILABLE, RPCStatusCode.DEADLINE_EXCEEDED, RPCStatusCode.CANCELLED):
            raise unheard(handle.id) from None
        raise


def unheard(run_id: str) -> CannotTell:
    """What to say where a decision got no answer."""
    return CannotTell(
        f"no worker answered within {ANSWER_S:.0f} s. The decision may still count once one is up, or be lost. "
        f"Look with `saga show {run_id}`, or give the same command again: it finds the first, and is not counted twice"
    )


async def _closed(handle: WorkflowHandle[Any, Any]) -> None:
    """Raises AnswerIsNo where the run has ended, BadInput where there is none."""
    about = await described(handle)
    if about.close_time is not None and about.status is not None:
        raise AnswerIsNo(f"{handle.id} has ended ({about.status.name}); nothing can be decided on it any more")


def _refusal(error: WorkflowUpdateFailedError) -> str:
    cause = error.cause
    return cause.message if isinstance(cause, ApplicationError) else str(cause)
