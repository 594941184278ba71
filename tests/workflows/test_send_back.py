"""Sent back: what was struck is undone in the world, the rest stands, and the model plans again and is told why."""

from tests.workflows.plan import draft, goods, hold, letter
from tests.workflows.sight import doors, needs, refusal, statuses, world

STAGED = ["mail.draft", "ticket.create", "charge.authorise", "goods.reserve"]


async def test_without_a_strike_everything_stands_and_a_new_proposal_is_made(lab):
    """T20."""
    run = await lab.start("run-b")
    first = await lab.proposal(run)
    await lab.decide(run, "send_back", note="say it more kindly")
    second = await lab.proposal(run)
    assert second["digest"] != first["digest"]
    assert second["commit"] == first["commit"]
    assert await world(lab) == [f"{kind} standing" for kind in STAGED]
    decision = {"decision": "approve", "digest": first["digest"], "by": "bob"}
    assert (await refusal(run.execute_update("decide_pivot", decision))).startswith("digest: is not the digest")
    await lab.decide(run, "approve")
    assert await lab.end(run) == "COMMITTED"
    assert len(await world(lab)) == 8
    await lab.check(run)


async def test_what_is_struck_is_undone_at_once_and_the_rest_is_committed(lab):
    run = await lab.start("run-b")
    await lab.decide(run, "send_back", strike=[1, 5], note="no letter, no fee")
    proposal = await lab.proposal(run)
    assert [each["tool"] for each in proposal["commit"]] == ["publish_ticket", "ship_parcel"]
    assert [each["tool"] for each in proposal["staged"]] == ["stage_ticket", "reship"]
    assert await world(lab) == [
        "mail.draft undone",
        "ticket.create standing",
        "charge.authorise undone",
        "goods.reserve standing",
        "charge.cancel standing",
        "mail.delete standing",
    ]
    await lab.decide(run, "approve")
    assert await lab.end(run) == "COMMITTED"
    assert (await world(lab))[6:] == ["ticket.transition standing", "parcel.send standing"]
    assert statuses(await lab.check(run)) == [
        "draft_email COMPENSATED",
        "send_draft CANCELLED",
        "stage_ticket CONFIRMED",
        "publish_ticket CONFIRMED",
        "authorise_payment COMPENSATED",
        "capture_payment CANCELLED",
        "reship CONFIRMED",
        "ship_parcel CONFIRMED",
    ]


async def test_the_model_is_told_what_the_reviewer_wrote_and_may_stage_what_was_struck_anew(lab, plans):
    plan = plans.make([draft("Sorry."), hold()], [], [draft("We are very sorry.")])
    run = await lab.start("run-1", plan)
    await lab.decide(run, "send_back", strike=[1], note="more kindly")
    proposal = await lab.proposal(run)
    assert [each["step_idx"] for each in proposal["commit"]] == [3, 5]
    assert [turn.note for turn in plans[plan].asked[-1].transcript if turn.note] == ["more kindly"]
    await lab.decide(run, "approve")
    assert await lab.end(run) == "COMMITTED"
    assert await world(lab, system="mail") == [
        "mail.draft undone",
        "mail.delete standing",
        "mail.draft standing",
        "mail.send standing",
    ]
    rows = await lab.check(run)
    assert statuses(rows)[4:] == ["draft_email CONFIRMED", "send_draft CONFIRMED"]
    assert len({row["idempotency_key"] for row in rows}) == 6


async def test_a_call_without_a_staged_half_is_struck_without_a_trace(lab, plans):
    run = await lab.start("run-1", plans.make([letter(), hold()]))
    await lab.decide(run, "send_back", strike=[0])
    await lab.decide(run, "approve")
    assert await lab.end(run) == "COMMITTED"
    assert await lab.calls(system="mail") == []
    assert statuses(await lab.check(run)) == [
        "send_email CANCELLED",
        "authorise_payment CONFIRMED",
        "capture_payment CONFIRMED",
    ]


async def test_with_everything_struck_nothing_is_left_to_approve(lab, plans):
    run = await lab.start("run-1", plans.make([hold(), goods()]))
    await lab.decide(run, "send_back", strike=[1, 3])
    assert await lab.end(run) == "COMMITTED"
    assert (await run.query("status"))["why"] == "nothing needed approval"
    assert sorted(await world(lab)) == [
        "charge.authorise undone",
        "charge.cancel standing",
        "goods.release standing",
        "goods.reserve undone",
    ]
    await lab.check(run)


async def test_an_undo_of_what_was_struck_that_fails_is_a_persons_matter_and_the_proposal_waits(lab, plans):
    await lab.fault("warehouse", "release", "refuse:422", times=3)
    run = await lab.start("run-1", plans.make([hold(), goods()]))
    await lab.decide(run, "send_back", strike=[3])
    await needs(lab, run, "undo_failed")
    assert await run.query("proposal") == {"digest": None}
    await run.execute_update("retry_step", {"step_idx": 2, "half": "compensation", "by": "bob"})
    await lab.decide(run, "approve")
    assert await lab.end(run) == "COMMITTED"
    assert [door for door in await doors(run) if door.startswith("compensate")] == ["compensate release_goods"] * 4
    assert (await lab.check(run))[2]["status"] == "COMPENSATED"


async def test_cancelled_while_what_was_struck_is_undone_the_run_brings_back_the_rest(lab, plans):
    await lab.fault("warehouse", "release", "refuse:422", times=2)
    run = await lab.start("run-1", plans.make([hold(), goods()]))
    await lab.decide(run, "send_back", strike=[3])
    await lab.until(run, lambda status: status["unsettled"] == 1)
    await run.cancel()
    assert await lab.end(run) == "Cancelled"
    assert sorted(await world(lab)) == [
        "charge.authorise undone",
        "charge.cancel standing",
        "goods.release standing",
        "goods.reserve undone",
    ]
    await lab.check(run)
