"""SIGKILL to the whole outside world, and a restart: what it had done it still knows, and is asked, not told again."""

import asyncio

import pytest

from tests.crash.ground import visiting
from workers.house import SANDBOX

# A house starts in 5 to 15 s; a call that met a dead port waits a few seconds for its next attempt.
pytestmark = pytest.mark.timeout(150)


@pytest.fixture(scope="module")
def killed(patient):
    """A run whose charge is answered by a broken connection, and one that begins while nobody answers at all."""
    asyncio.run(_kill(patient))


async def _kill(house):
    async with visiting(house) as site:
        await site.fault("broken", "payments", "capture", "after:slow:30")
        await site.start("broken", "scripted:incident")
        await site.happened("broken", "charge.capture")
        site.kill(SANDBOX)
        await site.start("nobody", order="1184")
        await site.restart(SANDBOX)


async def test_a_charge_whose_answer_died_with_the_provider_is_found_and_not_made_again(killed, site):
    run = site.run("broken")
    await site.decide(run, "reject")
    assert await site.end(run) == "RunUnwound"
    assert (await site.kinds("broken"))["charge.capture"] == "undone"
    charge = (await site.check(run))["charge_card"]
    assert charge["how"] in ("replayed", "found by lookup")


async def test_a_run_begun_while_nobody_answers_waits_and_does_everything_once(killed, site):
    run = site.run("nobody")
    await site.decide(run, "approve")
    assert await site.end(run) == "COMMITTED"
    assert set((await site.kinds("nobody")).values()) == {"standing"}
    await site.check(run)
