"""The tools worker dies after each call, commit and counter-action has happened and before anybody was told.

The doors kill it themselves, where the run asked for that; it is started again each time.
"""

import pytest

from tests.crash.ground import SHORT, standing, visiting
from tests.matrix.house import KIT
from workers.faultkit.expectation import Outcome, agreement
from workers.faultkit.target import offered
from workers.house import TOOLS

# A house starts in 5 to 15 s; each of four deaths is noticed after 5, and a new worker is up after 2 to 10.
pytestmark = pytest.mark.timeout(240)

PACE: dict[str, object] = {"tickets": SHORT, "mail": SHORT, "warehouse": SHORT, "payments": SHORT}
STAGED = [each for each in offered(KIT.registry, KIT.registry.agents["refund"]) if each.commits]
"""What the model `scripted:refund` stages: everything that comes in two halves."""


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    with standing(tmp_path_factory.mktemp("each-step"), PACE, SAGA_FAULT_INJECTION="true") as each:
        yield each


async def crashing(site, verb, order):
    faults = [{"verb": verb, "tool": each.name, "fault": "crash"} for each in STAGED]
    return await site.start(verb, order=order, faults=faults)


async def judge(site, run, closes):
    assert await site.end(run) == closes
    rows = list((await site.check(run)).values())
    assert list(agreement(Outcome(run.id, rows, await site.effects(run.id), closes))) == []


async def test_killed_after_each_call_each_effect_is_there_once(house):
    async with visiting(house) as site, site.kept_alive(TOOLS) as died:
        run = await crashing(site, "call", "1182")
        for each in STAGED:
            await site.row(run, each.name, "CONFIRMED")
        assert len(died) == len(STAGED)
        await site.decide(run, "approve")
        await judge(site, run, "COMMITTED")


async def test_killed_after_each_commit_each_is_carried_out_once(house):
    async with visiting(house) as site, site.kept_alive(TOOLS) as died:
        run = await crashing(site, "commit", "1184")
        await site.decide(run, "approve")
        for each in STAGED:
            await site.row(run, str(each.commits), "CONFIRMED")
        assert len(died) == len(STAGED)
        await judge(site, run, "COMMITTED")


async def test_killed_after_each_counter_action_each_effect_is_taken_back_once(house):
    """They run side by side, so that one death may strike several."""
    async with visiting(house) as site, site.kept_alive(TOOLS) as died:
        run = await crashing(site, "compensation", "1185")
        await site.decide(run, "reject")
        for each in STAGED:
            await site.row(run, each.name, "COMPENSATED")
        assert died
        await judge(site, run, "RunUnwound")
