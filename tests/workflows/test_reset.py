"""A reset throws a branch away and not what it did: nothing of that is called clean, undone twice, or forgotten."""

import asyncio

import pytest

from tests.workflows.plan import charge, draft, hold, ticket
from tests.workflows.sight import events, refusal, statuses, world, writes
from workers.reset import reset_request

# The server that users run, in real time: a reset is nothing that the test server can do.
pytestmark = pytest.mark.timeout(180)

READ = ("lookup_policy", {"topic": "refunds"})


async def reset(lab, run, to):
    """Reset to the workflow task that scheduled the first activity for which `to` is true; the execution it is now."""
    client = lab.env.client
    found = next(
        asked.workflow_task_completed_event_id
        for each in await events(run)
        if (asked := each.activity_task_scheduled_event_attributes).activity_type.name and to(asked)
    )
    request = reset_request(client, run.id, run.result_run_id, found, reason="a test")
    answer = await client.workflow_service.reset_workflow_execution(request)
    return client.get_workflow_handle(run.id, run_id=answer.run_id)


def perform_of(tool):
    """Whether an activity sends that tool's call."""
    return lambda asked: (
        asked.activity_type.name == "perform" and f'"tool":"{tool}"' in asked.input.payloads[0].data.decode()
    )


def last_turn(asked):
    """Whether an activity asks the model for the turn after the two of these plans."""
    return asked.activity_type.name == "propose" and b'"turn":2' in asked.input.payloads[0].data


async def awaited(run, true):
    """The status, in real time, as soon as it is as asked."""
    async with asyncio.timeout(90):
        while not true(status := await run.query("status")):
            await asyncio.sleep(0.1)
    return status


async def test_t34_after_a_step_that_the_branch_before_undid_the_run_does_not_close_as_committed(real_lab, plans):
    lab = real_lab
    await lab.fault("payments", "capture", "refuse:400")
    run = await lab.start("run-1", plans.make([ticket()], [charge()]))
    assert await lab.end(run) == "RunUnwound"
    run = await reset(lab, run, perform_of("charge_card"))
    assert await lab.end(run) == "RunUnwound"
    assert "undone before the reset: step 0 create_ticket" in (await run.query("status"))["why"]
    assert await world(lab, kind="charge.capture") == ["charge.capture undone"]
    assert await world(lab, kind="ticket.create") == ["ticket.create undone"]
    assert (await writes(lab, system="payments")).count("payments refund") == 1
    await lab.check(run)


async def test_t34_what_did_not_happen_is_not_sent_again_where_the_branch_before_has_undone_what_it_stands_on(
    real_lab, plans
):
    lab = real_lab
    await lab.fault("tickets", "create", "refuse:400")
    run = await lab.start("run-1", plans.make([charge()], [ticket()]))
    assert await lab.end(run) == "RunUnwound"
    run = await reset(lab, run, perform_of("create_ticket"))
    assert await lab.end(run) == "RunUnwound"
    assert "step 0 charge_card" in (await run.query("status"))["why"]
    assert await world(lab, kind="charge.capture") == ["charge.capture undone"]
    assert await world(lab, kind="ticket.create") == []
    assert (await writes(lab, system="payments")).count("payments refund") == 1
    await lab.check(run)


async def test_t34_a_commit_of_the_branch_before_is_taken_back_where_it_can_be_once_the_run_is_rejected(
    real_lab, plans
):
    lab = real_lab
    run = await lab.start("run-1", plans.make([hold()], [READ]))
    await lab.decide(run, "approve")
    assert await lab.end(run) == "COMMITTED"
    run = await reset(lab, run, last_turn)
    await awaited(run, lambda status: status["phase"] == "AWAITING_APPROVAL")
    await lab.decide(run, "reject")
    assert await lab.end(run) == "RunUnwound"
    assert await world(lab, kind="charge.capture") == ["charge.capture undone"]
    assert statuses(await lab.check(run)) == ["authorise_payment COMPENSATED", "capture_payment COMPENSATED"]


async def test_t34_a_letter_of_the_branch_before_is_put_on_somebodys_name_once_the_run_is_rejected(real_lab, plans):
    lab = real_lab
    run = await lab.start("run-1", plans.make([draft()], [READ]))
    await lab.decide(run, "approve")
    assert await lab.end(run) == "COMMITTED"
    run = await reset(lab, run, last_turn)
    await awaited(run, lambda status: status["phase"] == "AWAITING_APPROVAL")
    await lab.decide(run, "reject")
    (need,) = (await awaited(run, lambda status: status["needs_human"]))["needs_human"]
    assert (need["step_idx"], need["kind"]) == (1, "review")
    order = {"step_idx": 1, "half": "call", "by": "bob", "note": "I have written to her"}
    assert "waive it" in await refusal(run.execute_update("retry_step", order))
    await run.execute_update("waive_step", order)
    assert await lab.end(run) == "RunUnwound"
    assert await world(lab, kind="mail.send") == ["mail.send standing"]
    assert statuses(await lab.check(run)) == ["draft_email CONFIRMED", "send_draft CONFIRMED"]
