"""SIGKILL to the tools worker while an effect is in the world and its answer is not: found, and never made twice."""

import asyncio

import pytest

from tests.crash.ground import visiting
from workers.house import TOOLS

# A house starts in 5 to 15 s, a dead worker is noticed after 5, a new one needs up to 10 on a busy machine.
pytestmark = pytest.mark.timeout(150)

HELD = "after:slow:60"
"""Longer than the client waits: the answer never comes."""


@pytest.fixture(scope="module")
def killed(patient):
    """Four runs, each with one answer held back; the worker killed once all four effects are there; a new one."""
    asyncio.run(_kill(patient))


async def _kill(house):
    async with visiting(house) as site:
        await site.fault("capture", "payments", "capture", HELD)
        await site.fault("charge", "payments", "capture", HELD)
        await site.fault("refund", "payments", "refund", HELD)
        await site.fault("ticket", "tickets", "create", HELD)
        for run_id in ("charge", "refund"):
            await site.fault(run_id, "warehouse", "reserve", "refuse:409")
        capture = await site.start("capture", order="1184")
        await site.proposal(capture)
        await site.start("charge", "scripted:incident")
        await site.start("refund", "scripted:incident", order="1183")
        await site.decide(capture, "approve")
        await site.happened("capture", "charge.capture")
        await site.happened("charge", "charge.capture")
        await site.happened("refund", "charge.refund")
        await site.start("ticket", order="1185")  # last: Jira's client is the first to give up
        await site.happened("ticket", "ticket.create")
        site.kill(TOOLS)
        await site.restart(TOOLS)


async def test_killed_after_the_charge_the_call_is_repeated_under_its_key_and_replayed(killed, site):
    run = site.run("charge")
    assert await site.end(run) == "RunUnwound"
    assert await site.kinds("charge") == {
        "ticket.create": "undone",
        "charge.capture": "undone",
        "charge.refund": "standing",
        "ticket.transition": "standing",
    }
    charge = (await site.check(run))["charge_card"]
    assert (charge["attempts"], charge["how"]) == (2, "replayed")
    assert len(await site.writes(charge["idempotency_key"])) == 2


async def test_killed_in_a_refund_there_is_one_refund(killed, site):
    """T29."""
    run = site.run("refund")
    assert await site.end(run) == "RunUnwound"
    assert (await site.kinds("refund"))["charge.refund"] == "standing"
    undo = (await site.check(run))["charge_card"]["compensation"]
    assert undo["status"] == "CONFIRMED"
    assert len(await site.writes(undo["idempotency_key"])) == 1  # the second attempt read that it was given back


async def test_killed_in_a_capture_there_is_one_capture(killed, site):
    run = site.run("capture")
    assert await site.end(run) == "COMMITTED"
    assert set((await site.kinds("capture")).values()) == {"standing"}
    capture = (await site.check(run))["capture_payment"]
    assert (capture["attempts"], capture["how"]) == (2, "replayed")


async def test_killed_in_a_create_without_a_key_the_ticket_is_looked_for_and_not_made_again(killed, site):
    run = site.run("ticket")
    await site.decide(run, "reject")
    assert await site.end(run) == "RunUnwound"
    ticket = (await site.check(run))["stage_ticket"]
    assert len([each for each in await site.writes(ticket["idempotency_key"]) if each["operation"] == "create"]) == 1
