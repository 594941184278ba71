"""Reading: a pure call of the model, run beside the workflow where it needs no credential."""

from __future__ import annotations

import json

from temporalio import workflow
from temporalio.exceptions import ActivityError, ApplicationError

with workflow.unsafe.imports_passed_through():
    from activities.read import Read
    from saga.doors import ReadOrder
    from saga.outcome import Problem
    from saga.turn import ReadItem, Told
    from workflows.options import HEARTBEAT, LOOKUPS, QUICK_ATTEMPT, QUICK_LIMIT, READ_ATTEMPT, READ_LIMIT, READ_RETRY


async def read(item: ReadItem) -> Told:
    """The answer of a pure tool, or its no; a provider that stays silent for READ_LIMIT is a no too."""
    order = ReadOrder(tool=item.tool, args=item.args)
    summary = f"read: {item.tool} {json.dumps(item.args)[:80]}"
    try:
        if item.quick:
            result = await workflow.execute_local_activity_method(
                Read.read,
                order,
                start_to_close_timeout=QUICK_ATTEMPT,
                schedule_to_close_timeout=QUICK_LIMIT,
                retry_policy=READ_RETRY,
                summary=summary,
            )
        else:
            result = await workflow.execute_activity_method(
                Read.read,
                order,
                task_queue=LOOKUPS,
                start_to_close_timeout=READ_ATTEMPT,
                heartbeat_timeout=HEARTBEAT,
                schedule_to_close_timeout=READ_LIMIT,
                retry_policy=READ_RETRY,
                summary=summary,
            )
    except (ActivityError, ApplicationError) as error:  # a local activity's failure arrives bare
        cause = error.cause if isinstance(error, ActivityError) else error
        code = cause.type if isinstance(cause, ApplicationError) and cause.type else "unavailable"
        problem = Problem(code=code, message=str(getattr(cause, "message", cause))[:300])
        return Told(call_id=item.call_id, outcome="refused", error=problem)
    return Told(call_id=item.call_id, outcome="confirmed", result=result)
