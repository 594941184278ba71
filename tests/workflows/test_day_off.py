"""Workers are down for longer than anything waits: nothing is doubled, lost or stranded, and nothing waits for ever."""

import asyncio

import pytest
from temporalio.api.enums.v1 import EventType

from tests.lab import embedded, laboratory
from tests.workflows.plan import charge, draft, goods, hold, ticket
from tests.workflows.sight import events, statuses, world, writes
from workers.settings import Settings
from workflows.options import LOOKUPS, RUNS, TOOLS

DAY_S = 86_400
OVER = EventType.EVENT_TYPE_ACTIVITY_TASK_TIMED_OUT


def brief(url: str) -> Settings:
    """Whose patience is over within seconds: the test server skips no time while a call waits for a worker."""
    return Settings(sandbox_url=url, request_s=0.8, attempt_s=1.5, patience_s=3.0, tries=3, index_lag_s=0.5)


@pytest.fixture
async def brief_lab(tmp_path, plans):
    async with laboratory(tmp_path, model_of=plans.model_of, settings=brief, environment=embedded) as made:
        yield made


async def away(lab, run, *queues):
    """These workers are gone until the server has given a call up."""
    for queue in queues:
        if queue in lab.hired:
            await lab.end_work(queue)
    async with asyncio.timeout(40):
        while OVER not in [event.event_type for event in await events(run)]:
            await asyncio.sleep(0.1)
    for queue in queues:
        await lab.begin_work(queue)


async def seen(lab, kind):
    """The world shows it."""
    async with asyncio.timeout(40):
        while not await lab.effects(kind=kind):
            await asyncio.sleep(0.02)


@pytest.mark.parametrize("queues", [(TOOLS,), (TOOLS, LOOKUPS), (RUNS, TOOLS, LOOKUPS)], ids="+".join)
async def test_a_charge_whose_answer_was_lost_before_they_went_is_found_when_they_are_back(brief_lab, plans, queues):
    lab = brief_lab
    await lab.fault("payments", "capture", "after:slow:1", times=9)
    run = await lab.start("run-1", plans.make([charge()], [ticket()]))
    await seen(lab, "charge.capture")
    await away(lab, run, *queues)
    await lab.mend()
    assert await lab.end(run) == "COMMITTED"
    assert await world(lab) == ["charge.capture standing", "ticket.create standing"]
    await lab.check(run)


async def test_a_call_that_nobody_took_is_looked_for_and_only_then_sent_once(brief_lab, plans):
    lab = brief_lab
    await lab.end_work(TOOLS)
    run = await lab.start("run-1", plans.make([charge()]))
    await away(lab, run, TOOLS)
    assert await lab.end(run) == "COMMITTED"
    assert (await writes(lab), await world(lab)) == (["payments capture"], ["charge.capture standing"])
    assert statuses(await lab.check(run)) == ["charge_card CONFIRMED"]


async def test_an_unwind_goes_on_where_it_stood(brief_lab, plans):
    lab = brief_lab
    await lab.fault("warehouse", "reserve", "refuse:409")
    await lab.fault("payments", "refund", "after:slow:1", times=9)
    run = await lab.start("run-1", plans.make([draft()], [charge()], [goods()]))
    await seen(lab, "charge.refund")
    await away(lab, run, RUNS, TOOLS, LOOKUPS)
    await lab.mend()
    assert await lab.end(run) == "RunUnwound"
    assert await world(lab, kind="charge.refund") == ["charge.refund standing"]
    await lab.check(run)


async def test_a_proposal_waits_a_day_for_workers_that_come_back_in_time_and_then_the_approval_counts(lab, plans):
    run = await lab.start("run-1", plans.make([hold()]), approval_timeout_s=3 * DAY_S)
    await lab.proposal(run)
    for queue in (RUNS, TOOLS, LOOKUPS):
        await lab.end_work(queue)
    await lab.env.sleep(DAY_S)
    for queue in (RUNS, TOOLS, LOOKUPS):
        await lab.begin_work(queue)
    await lab.decide(run, "approve")
    assert await lab.end(run) == "COMMITTED"
    assert await world(lab, kind="charge.capture") == ["charge.capture standing"]
    await lab.check(run)
