"""SIGKILL to the lookups worker: a look that could not be made is no absence, and the reconciler waits for the next."""

import asyncio

import pytest

from tests.crash.ground import visiting
from tests.crash.world import until
from workers.house import LOOKUPS

# A house starts in 5 to 15 s; Jira's client waits 5 s for an answer here, and the reconciler's clock is 16 s.
pytestmark = pytest.mark.timeout(150)


@pytest.fixture(scope="module")
def killed(patient):
    """A reconciler between two looks, and one that begins while nobody is there to look."""
    asyncio.run(_kill(patient))


async def _kill(house):
    async with visiting(house) as site, site.everywhere("tickets", "search", "lag:4"):
        await site.fault("second-look", "tickets", "create", "after:504")
        await site.fault("first-look", "tickets", "create", "after:slow:60")
        await site.start("second-look", order="1184")
        await until(lambda: _sleeps(site, "second-look"), "its first look, which saw nothing")
        first = await site.start("first-look", "scripted:incident")
        await site.happened("first-look", "ticket.create")
        site.kill(LOOKUPS)
        await site.row(first, "create_ticket", "UNKNOWN")
        await site.restart(LOOKUPS)
        await site.row(first, "create_ticket", "CONFIRMED")


@pytest.mark.parametrize(("run_id", "tool"), [("first-look", "create_ticket"), ("second-look", "stage_ticket")])
async def test_what_nobody_could_look_for_is_found_by_the_next_worker(killed, site, run_id, tool):
    run = site.run(run_id)
    await site.decide(run, "reject")
    assert await site.end(run) == "RunUnwound"
    assert (await site.kinds(run_id))["ticket.create"] == "undone"
    ticket = (await site.check(run))[tool]
    assert (ticket["how"], ticket["doubted"], ticket["attempts"]) == ("found by lookup", True, 1)


async def _sleeps(site, run_id):
    reconciler = await site.reconciler(site.run(run_id))
    events = (await reconciler.fetch_history()).events if reconciler else []
    return any(each.HasField("timer_started_event_attributes") for each in events)
