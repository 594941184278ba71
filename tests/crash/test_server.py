"""SIGKILL to the Temporal server and a restart on its file: nothing is lost, and an approval counts once."""

import asyncio

import pytest

from tests.crash.ground import visiting
from workers.decisions import send
from workers.exits import CannotTell
from workers.house import SERVER

# A house starts in 5 to 15 s; workers notice a server that is back within a few seconds more.
pytestmark = pytest.mark.timeout(150)


@pytest.fixture(scope="module")
def killed(patient):
    """A run in the middle of a charge, and one that waits for approval, which somebody sends while nobody is there."""
    return asyncio.run(_kill(patient))


async def _kill(house):
    async with visiting(house) as site:
        await site.fault("midway", "payments", "capture", "after:slow:3")
        waiting = await site.start("waiting", order="1184")
        proposal = await site.proposal(waiting)
        approval = {"decision": "approve", "digest": proposal["digest"], "by": "bob"}
        await site.start("midway", "scripted:incident")
        await site.happened("midway", "charge.capture")
        site.kill(SERVER)
        with pytest.raises(CannotTell):
            await send(waiting, "decide_pivot", approval, key="once")
        await site.restart(SERVER)
        return approval


async def test_killed_in_the_middle_of_a_charge_the_run_goes_on_and_there_is_one_charge(killed, site):
    run = site.run("midway")
    await site.decide(run, "reject")
    assert await site.end(run) == "RunUnwound"
    assert (await site.kinds("midway"))["charge.capture"] == "undone"
    await site.check(run)


async def test_an_approval_sent_into_the_silence_and_twice_again_counts_once(killed, site):
    """T20."""
    run = site.run("waiting")
    assert (await site.proposal(run))["digest"] == killed["digest"]
    first, second = [await send(run, "decide_pivot", killed, key="once") for _ in range(2)]
    assert first == second
    assert await site.end(run) == "COMMITTED"
    assert set((await site.kinds("waiting")).values()) == {"standing"}
    rows = await site.check(run)
    assert [len(await site.writes(each["idempotency_key"])) for each in rows.values()] == [1] * 8
