"""The deadline of an approval: what is heard after it is late, whenever it was sent, and everything is brought back."""

import asyncio
from datetime import datetime, timedelta

from temporalio.api.enums.v1 import EventType

from tests.workflows.plan import goods, hold, letter
from tests.workflows.sight import events, refusal, world
from workflows.options import RUNS

HOUR_S = 3600
FIRED = EventType.EVENT_TYPE_TIMER_FIRED


async def test_nobody_decides_and_the_run_brings_everything_back(lab):
    """T5."""
    run = await lab.start("run-b", approval_timeout_s=HOUR_S)
    assert await lab.end(run) == "RunUnwound"
    assert (await world(lab))[:4] == [
        "mail.draft undone",
        "ticket.create undone",
        "charge.authorise undone",
        "goods.reserve undone",
    ]
    assert (await run.query("status"))["why"] == "nobody approved before the deadline"
    await lab.check(run)


async def test_an_approval_sent_in_time_that_no_worker_heard_before_the_deadline_is_late(lab, plans):
    """T6: timer and decision come in one workflow task, and the decision is heard first."""
    run = await lab.start("run-1", plans.make([hold()]), approval_timeout_s=HOUR_S)
    proposal = await lab.proposal(run)
    left = datetime.fromisoformat(proposal["deadline"]) - await lab.env.get_current_time()
    await lab.env.sleep(left - timedelta(seconds=1))
    await lab.end_work(RUNS)
    decision = {"digest": proposal["digest"], "by": "bob"}
    await run.signal("approve_pivot", decision)
    sent = asyncio.create_task(refusal(run.execute_update("decide_pivot", {**decision, "decision": "approve"})))
    async with asyncio.timeout(30):
        while FIRED not in [event.event_type for event in await events(run)]:
            await asyncio.sleep(0.1)  # real seconds: with nobody at work the server skips none
    await lab.begin_work(RUNS)
    assert "too late: the deadline was" in await sent
    assert await lab.end(run) == "RunUnwound"
    assert await world(lab) == ["charge.authorise undone", "charge.cancel standing"]
    assert "too late" in (await run.query("status"))["refused"][0]
    await together(run)
    await lab.check(run)


async def together(run):
    """Fails where the signal and the timer did not come in one workflow task: then the test would show nothing."""
    kinds = [event.event_type for event in await events(run)]
    signalled = kinds.index(EventType.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED)
    fired = kinds.index(FIRED)
    done = kinds.index(EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED, min(signalled, fired))
    assert max(signalled, fired) < done


async def test_a_decision_that_waited_for_a_worker_counts_where_the_deadline_has_not_passed(lab, plans):
    """T6."""
    run = await lab.start("run-1", plans.make([hold()]), approval_timeout_s=HOUR_S)
    digest = (await lab.proposal(run))["digest"]
    await lab.end_work(RUNS)
    decision = {"decision": "approve", "digest": digest, "by": "bob"}
    sent = asyncio.create_task(run.execute_update("decide_pivot", decision))
    await asyncio.sleep(0.1)  # it is on its way
    await lab.begin_work(RUNS)
    await sent
    assert await lab.end(run) == "COMMITTED"
    assert await world(lab) == ["charge.authorise standing", "charge.capture standing"]
    await lab.check(run)


async def test_the_deadline_comes_from_the_hold_that_ends_first(lab, plans):
    """Two days were asked for; the goods are set aside for 25 hours, and a late yes must still be carried out (T23)."""
    run = await lab.start("run-1", plans.make([goods(), hold()]), approval_timeout_s=48 * HOUR_S)
    proposal = await lab.proposal(run)
    kept = (await lab.rows(run))[0]["holds_until"]
    assert proposal["undo_until"] == kept
    status = await run.query("status")
    assert status["deadline"] == proposal["deadline"] < kept
    assert await lab.end(run) == "RunUnwound"
    assert await world(lab) == [
        "goods.reserve undone",
        "charge.authorise undone",
        "goods.release standing",
        "charge.cancel standing",
    ]
    await lab.check(run)


async def test_a_letter_that_nobody_approved_is_never_sent(lab, plans):
    run = await lab.start("run-1", plans.make([letter()]), approval_timeout_s=1)
    assert await lab.end(run) == "RunUnwound"
    assert await lab.calls(system="mail") == []
    (row,) = await lab.check(run)
    assert row["status"] == "CANCELLED"
