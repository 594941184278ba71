"""One look at one half, bounded: for where a run asks once more about what it knows already."""

from __future__ import annotations

from temporalio import workflow
from temporalio.exceptions import ActivityError

with workflow.unsafe.imports_passed_through():
    from activities.find import Find
    from saga.doors import FindOrder
    from saga.outcome import Finding
    from workflows.options import HEARTBEAT, LOOK_AGAIN_LIMIT, LOOK_ATTEMPT, LOOK_RETRY, LOOKUPS


async def look(order: FindOrder, summary: str) -> Finding | None:
    """What it saw; None where nobody could be asked within LOOK_AGAIN_LIMIT. `summary`: for the Web UI."""
    try:
        return await workflow.execute_activity_method(
            Find.find,
            order,
            task_queue=LOOKUPS,
            start_to_close_timeout=LOOK_ATTEMPT,
            schedule_to_close_timeout=LOOK_AGAIN_LIMIT,
            heartbeat_timeout=HEARTBEAT,
            retry_policy=LOOK_RETRY,
            summary=summary,
        )
    except ActivityError:
        return None
