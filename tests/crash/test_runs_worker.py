"""SIGKILL to the runs worker, which has every run's state in its memory: all of it is in the history as well."""

import asyncio

import pytest

from tests.crash.ground import visiting
from tests.crash.world import until
from workers.house import RUNS

# A house starts in 5 to 15 s; what the dead worker had in its cache is given to the new one after ten.
pytestmark = pytest.mark.timeout(150)


@pytest.fixture(scope="module")
def killed(patient):
    """One run whose turn ends while nobody is there, and one that waits for approval; the latter's digest."""
    return asyncio.run(_kill(patient))


async def _kill(house):
    async with visiting(house) as site:
        await site.fault("between", "tickets", "create", "after:slow:2")
        waiting = await site.start("thinking", order="1184")
        digest = (await site.proposal(waiting))["digest"]
        between = await site.start("between", "scripted:incident")
        await site.happened("between", "ticket.create")
        site.kill(RUNS)
        await until(lambda: _answered(between), "the turn's last answer, which nobody hears")
        await site.restart(RUNS)
        return digest


async def _answered(handle):
    last = (await handle.fetch_history()).events[-2:]
    return last[0].HasField("activity_task_completed_event_attributes")


async def test_killed_between_two_turns_the_next_turn_knows_what_was_done(killed, site):
    run = site.run("between")
    await site.decide(run, "reject")
    assert await site.end(run) == "RunUnwound"
    assert (await site.kinds("between"))["ticket.create"] == "undone"
    ticket = (await site.check(run))["create_ticket"]
    assert (ticket["attempts"], len(ticket["repeats"])) == (1, 2)


async def test_killed_while_a_person_thinks_what_was_shown_is_still_what_is_approved(killed, site):
    """T22."""
    run = site.run("thinking")
    assert (await site.proposal(run))["digest"] == killed
    await site.decide(run, "approve", digest=killed)
    assert await site.end(run) == "COMMITTED"
    assert set((await site.kinds("thinking")).values()) == {"standing"}
    await site.check(run)
