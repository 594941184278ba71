"""Checking: the world is asked whether it would take a call's arguments, before there is a row."""

from __future__ import annotations

from temporalio import workflow
from temporalio.exceptions import ActivityError

with workflow.unsafe.imports_passed_through():
    from activities.check import Check
    from saga.doors import CheckOrder
    from saga.draft import Draft
    from saga.outcome import Problem
    from workflows.options import CHECK_ATTEMPT, CHECK_LIMIT, HEARTBEAT, LOOKUPS, READ_RETRY


async def check(draft: Draft) -> Problem | None:
    """What the world would not take; None where it would, or where nobody could be asked within CHECK_LIMIT."""
    try:
        return await workflow.execute_activity_method(
            Check.check,
            CheckOrder(tool=draft.tool, args=draft.args),
            task_queue=LOOKUPS,
            start_to_close_timeout=CHECK_ATTEMPT,
            schedule_to_close_timeout=CHECK_LIMIT,
            heartbeat_timeout=HEARTBEAT,
            retry_policy=READ_RETRY,
            summary=f"before there is a step: would {draft.target} be taken?",
        )
    except ActivityError:
        return None
