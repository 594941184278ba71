"""Cancelling: what is under way is let end, nothing further is sent, everything is found out and brought back."""

import asyncio

import pytest

from tests.workflows.plan import charge, draft, goods, hold, ticket
from tests.workflows.sight import doors, statuses, world, writes

STEPS = [draft(), ticket(), charge(), goods()]
DONE = ["mail.draft", "ticket.create", "charge.capture", "goods.reserve"]


async def there(lab, kind):
    """Wait, in real time, until the world shows it."""
    while not await lab.effects(kind=kind):
        await asyncio.sleep(0.02)


@pytest.mark.parametrize("steps", range(5))
async def test_cancelled_between_two_steps_no_further_one_begins_and_those_done_are_undone(lab, plans, steps):
    """T1."""
    plan = plans.make(*([step] for step in STEPS))
    run = await lab.start("run-1", plan)

    async def cancel():
        await run.cancel()
        await asyncio.sleep(0.3)  # until the run has heard it

    plans[plan].before[steps] = cancel
    assert await lab.end(run) == "Cancelled"
    effects = await world(lab)
    assert effects[:steps] == [f"{kind} undone" for kind in DONE[:steps]]
    assert len(effects) == 2 * steps
    assert len(plans[plan].asked) == steps + 1
    status = await run.query("status")
    assert (status["phase"], status["why"]) == ("UNWOUND", "cancelled")
    await lab.check(run)


async def test_cancelled_within_an_answer_the_calls_behind_are_not_made(lab, plans):
    """T1."""
    await lab.fault("tickets", "create", "after:slow:0.5")
    run = await lab.start("run-1", plans.make([draft(), ticket(), charge()]))
    await there(lab, "ticket.create")
    await run.cancel()
    assert await lab.end(run) == "Cancelled"
    assert await lab.calls(system="payments") == []
    assert (await world(lab))[:2] == ["mail.draft undone", "ticket.create undone"]
    await lab.check(run)


async def test_cancelled_while_a_charge_is_under_way_its_answer_is_heard_and_the_charge_refunded(lab, plans):
    """T1: the attempt ends, and only then is it undone."""
    await lab.fault("payments", "capture", "after:slow:0.7")
    run = await lab.start("run-1", plans.make([charge()], [ticket()]))
    await there(lab, "charge.capture")
    await run.cancel()
    assert await lab.end(run) == "Cancelled"
    assert await writes(lab) == ["payments capture", "payments refund"]
    assert await world(lab) == ["charge.capture undone", "charge.refund standing"]
    (row,) = await lab.check(run)
    assert (row["status"], row["how"], row["attempts"]) == ("COMPENSATED", "answered", 1)


async def test_cancelled_while_a_charge_is_under_way_whose_answer_is_lost_no_second_attempt_is_made(real_lab, plans):
    """On the real server: the test server forgets an activity that fails after it was asked to cancel (T1)."""
    lab = real_lab
    await lab.fault("payments", "capture", "after:slow:3")
    run = await lab.start("run-1", plans.make([charge()]))
    await there(lab, "charge.capture")
    await run.cancel()
    assert await lab.end(run) == "Cancelled"
    assert await writes(lab) == ["payments capture", "payments refund"]
    assert await world(lab) == ["charge.capture undone", "charge.refund standing"]
    assert "Reconcile charge_card" in await doors(run)
    (row,) = await lab.check(run)
    assert row["attempts"] == 1


async def test_cancelled_between_two_attempts_the_next_is_not_made(lab, plans):
    """T1."""
    await lab.fault("payments", "capture", "429:30")
    run = await lab.start("run-1", plans.make([charge()]))
    while not await lab.calls(operation="capture"):
        await asyncio.sleep(0.02)
    await asyncio.sleep(0.3)  # the attempt has ended, and the next waits for its time
    await run.cancel()
    assert await lab.end(run) == "Cancelled"
    assert len(await lab.calls(operation="capture")) == 1
    assert await world(lab) == []
    assert statuses(await lab.check(run)) == ["charge_card NOT_EXECUTED"]


async def test_cancelled_while_it_waits_for_approval_everything_vanishes(lab):
    """T2."""
    run = await lab.start("run-b")
    await lab.proposal(run)
    await run.cancel()
    assert await lab.end(run) == "Cancelled"
    assert (await world(lab))[:4] == [
        "mail.draft undone",
        "ticket.create undone",
        "charge.authorise undone",
        "goods.reserve undone",
    ]
    assert {row["status"] for row in await lab.check(run)} == {"COMPENSATED", "CANCELLED"}


async def test_cancelled_again_and_again_while_it_is_brought_back_the_undoing_goes_on_to_its_end(lab, plans):
    """T2."""
    await lab.fault("payments", "refund", "after:slow:0.5")
    run = await lab.start("run-1", plans.make([ticket(), charge()], [hold()]))
    await lab.proposal(run)
    await run.cancel()
    await run.cancel()
    await there(lab, "charge.refund")
    await run.cancel()
    await run.execute_update("cancel_run", {"by": "carol"})
    assert await lab.end(run) == "Cancelled"
    assert (await world(lab))[:3] == ["ticket.create undone", "charge.capture undone", "charge.authorise undone"]
    assert len(await lab.calls(operation="refund")) == 1
    await lab.check(run)


async def test_cancelled_while_a_rejection_is_brought_back_it_ends_as_what_it_was(lab):
    await lab.fault("payments", "cancel", "after:slow:0.5")
    run = await lab.start("run-b")
    await lab.decide(run, "reject")
    await there(lab, "charge.cancel")
    await run.cancel()
    assert await lab.end(run) == "RunUnwound"
    assert len([each for each in await world(lab) if each.endswith("undone")]) == 4
    await lab.check(run)


async def test_cancelled_while_what_is_staged_is_looked_at_once_more_nothing_is_committed(lab):
    run = await lab.start("run-b")
    await lab.proposal(run)
    await lab.fault("payments", "list", "after:slow:0.7")
    await lab.decide(run, "approve")
    while not await lab.calls(operation="list", system="payments"):
        await asyncio.sleep(0.02)
    await run.cancel()
    assert await lab.end(run) == "Cancelled"
    assert await lab.effects(kind="charge.capture") == []
    assert not any(row["approved_by"] for row in await lab.check(run))


async def test_cancelled_while_the_first_commit_is_under_way_the_run_goes_forward_to_its_end(lab):
    run = await lab.start("run-b")
    await lab.proposal(run)
    await lab.fault("payments", "capture", "after:slow:0.7")
    await lab.decide(run, "approve")
    await there(lab, "charge.capture")
    await run.cancel()
    assert (await run.result())["phase"] == "COMMITTED"
    assert len(await world(lab)) == 8
    await lab.check(run)


async def test_cancelled_while_the_first_commit_waits_for_its_next_attempt_that_attempt_is_made(lab):
    run = await lab.start("run-b")
    await lab.proposal(run)
    await lab.fault("payments", "capture", "429:30")
    await lab.decide(run, "approve")
    while not await lab.calls(operation="capture"):
        await asyncio.sleep(0.02)
    await asyncio.sleep(0.3)  # the attempt has ended, and the next waits for its time
    await run.cancel()
    assert (await run.result())["phase"] == "COMMITTED"
    assert len(await lab.calls(operation="capture")) == 2
    assert len(await world(lab)) == 8
    await lab.check(run)
