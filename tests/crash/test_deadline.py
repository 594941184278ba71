"""SIGKILL to all workers while the approval's deadline passes: a decision handled after it is late (T6)."""

import asyncio

import pytest
from temporalio.client import WorkflowUpdateFailedError
from temporalio.service import RPCError

from tests.crash.site import WORKERS
from tests.crash.world import until

# A house starts in 5 to 15 s, the deadline is 5 s away, and three new workers need up to 15.
pytestmark = pytest.mark.timeout(150)


async def test_an_approval_that_waited_for_a_worker_past_the_deadline_is_refused_and_the_run_unwinds(site):
    """T6."""
    run = await site.start("late", order="1186", approval_timeout_s=5)
    proposal = await site.proposal(run)
    site.kill(*WORKERS)
    approval = {"digest": proposal["digest"], "by": "bob"}
    await run.signal("approve_pivot", approval)  # in time, and nobody hears it
    await until(lambda: _fired(run), "the deadline")
    later = asyncio.create_task(run.execute_update("decide_pivot", {"decision": "approve", **approval}))
    await site.restart(*WORKERS)
    assert await site.end(run) == "RunUnwound"
    with pytest.raises((WorkflowUpdateFailedError, RPCError)):  # refused by the run, or it has ended
        await later
    status = await run.query("status")
    assert ["too late" in each for each in status["refused"]] == [True]
    kinds = await site.kinds("late")
    assert "charge.capture" not in kinds
    assert kinds["charge.authorise"] == "undone"
    await site.check(run)


async def _fired(run):
    return any(each.HasField("timer_fired_event_attributes") for each in (await run.fetch_history()).events)
