"""Ends that run no code, and second lives: nothing is done again under the same keys (T5, T31, T41)."""

from datetime import timedelta

import pytest
from temporalio.client import WorkflowExecutionStatus
from temporalio.common import RetryPolicy

from tests.crash.world import until

# A house starts in 5 to 15 s.
pytestmark = pytest.mark.timeout(120)


async def test_a_terminated_run_leaves_its_reconcilers_terminated_and_the_world_as_it_is(site):
    """T5, T31."""
    await site.fault("terminated", "tickets", "create", "after:504")
    async with site.everywhere("tickets", "search", "lag:600"):
        run = await site.start("terminated")
        reconciler = await until(lambda: site.reconciler(run), "the reconciler")
        await until(lambda: _slept(reconciler), "its first look")
        await run.terminate("a test")
        closed = await until(lambda: _closed(reconciler), "the reconciler's end")
    assert closed == WorkflowExecutionStatus.TERMINATED
    assert await site.kinds("terminated") == {"mail.draft": "standing", "ticket.create": "standing"}
    rows = await site.check(run)
    assert rows["stage_ticket"]["status"] == "UNKNOWN"


@pytest.mark.parametrize(("decision", "ending"), [("approve", "COMMITTED"), ("reject", "RunUnwound")])
async def test_the_same_id_started_again_is_refused_with_no_row_and_no_effect(site, decision, ending):
    run = await site.start(f"twice-{decision}", order="1183")
    await site.decide(run, decision)
    assert await site.end(run) == ending
    made = await site.effects(run.id)
    again = await site.start(run.id, order="1183")
    assert await site.end(again) == "RunRefused"
    assert await again.query("saga_log") == []
    assert await site.effects(run.id) == made
    await site.check(site.run(run.id, run.result_run_id))


async def test_temporals_own_retry_of_a_run_is_refused_with_no_row_and_no_effect(site):
    """T41."""
    retry = RetryPolicy(initial_interval=timedelta(milliseconds=100), maximum_attempts=3)
    first = await site.start("retried", order="1184", run_timeout=timedelta(seconds=10), retry_policy=retry)
    await site.proposal(first)
    made = await site.effects("retried")
    assert await site.end(first) == "RunRefused"  # the result follows the chain to its last execution
    latest = site.run("retried")
    assert (await latest.describe()).run_id != first.result_run_id
    assert await latest.query("saga_log") == []
    assert await site.effects("retried") == made
    await site.check(site.run("retried", first.result_run_id))


async def test_a_run_that_ends_is_not_started_again_by_a_retry_policy(site):
    """T41."""
    run = await site.start("final", order="1185", retry_policy=RetryPolicy(maximum_attempts=3))
    await site.decide(run, "reject")
    assert await site.end(run) == "RunUnwound"
    assert (await site.run("final").describe()).run_id == run.result_run_id
    await site.check(run)


async def _slept(reconciler):
    return any(each.HasField("timer_started_event_attributes") for each in (await reconciler.fetch_history()).events)


async def _closed(handle):
    status = (await handle.describe()).status
    return None if status == WorkflowExecutionStatus.RUNNING else status
