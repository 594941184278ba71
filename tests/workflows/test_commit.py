"""Committing: what moved meanwhile or is refused first means that the pivot did not happen; after that only forward."""

import asyncio

import pytest

from tests.workflows.plan import draft_ticket, goods, hold, letter, ticket
from tests.workflows.sight import doors, needs, refusal, statuses, world, writes
from workflows.options import RUNS

NEVER = 999
NEUTRAL = ["mail.draft undone", "ticket.create undone", "charge.authorise undone", "goods.reserve undone"]
HOLD_OVER = "charge.authorise expired"
SHIP = {"step_idx": 7, "half": "call", "by": "bob"}


@pytest.mark.parametrize(
    ("system", "kind", "act"),
    [
        ("payments", "charge.authorise", "expire"),
        ("warehouse", "goods.reserve", "expire"),
        ("tickets", "ticket.create", "close"),
        ("tickets", "ticket.create", "delete"),
        ("mail", "mail.draft", "delete"),
    ],
)
async def test_what_is_gone_when_the_person_says_yes_means_that_nothing_is_committed(lab, system, kind, act):
    """T23."""
    run = await lab.start("run-b")
    await lab.proposal(run)
    await lab.act(system, (await lab.effects(kind=kind))[0]["ref"], act)
    await lab.decide(run, "approve")
    assert await lab.end(run) == "RunUnwound"
    status = await run.query("status")
    assert status["why"].startswith("nothing was committed: step")
    assert [each for each in (await world(lab))[:4] if not each.endswith("standing")] == [
        each if not each.startswith(kind) else f"{kind} {'expired' if act == 'expire' else 'undone'}"
        for each in NEUTRAL
    ]
    assert await lab.effects(kind="charge.capture") == []
    assert await lab.effects(kind="mail.send") == []
    assert not any(row["approved_by"] for row in await lab.check(run))


async def test_a_first_commit_that_is_refused_unwinds_the_run(lab):
    await lab.fault("payments", "capture", "refuse:400")
    run = await lab.start("run-b")
    await lab.decide(run, "approve")
    assert await lab.end(run) == "RunUnwound"
    assert (await run.query("status"))["why"] == "the first commit was refused, so the pivot did not happen"
    assert (await world(lab))[:4] == NEUTRAL
    assert await lab.effects(kind="parcel.send") == []
    assert "capture_payment FAILED" in statuses(await lab.check(run))


async def test_a_first_commit_whose_answer_is_lost_has_happened_and_the_run_goes_forward(lab):
    await lab.fault("payments", "capture", "after:reset", times=NEVER)
    await lab.fault("warehouse", "confirm", "after:204")
    run = await lab.start("run-b")
    await lab.decide(run, "approve")
    assert await lab.end(run) == "COMMITTED"
    assert len(await lab.effects(kind="charge.capture")) == 1
    assert (await lab.check(run))[5]["how"] == "found by lookup"


@pytest.fixture
def half_way(lab):
    """Starts a run whose money is taken and whose parcel is refused, until a person is called."""

    async def start():
        await lab.fault("warehouse", "confirm", "refuse:422")
        run = await lab.start("run-b")
        await lab.decide(run, "approve")
        need = await needs(lab, run, "commit_failed")
        assert (need["step_idx"], need["half"]) == (7, "call")
        assert (await run.query("status"))["phase"] == "NEEDS_HUMAN"
        assert await world(lab, kind="charge.capture") == ["charge.capture standing"]
        assert await lab.effects(kind="mail.send") == []
        return run

    return start


async def test_a_later_commit_that_is_refused_is_tried_again_as_a_new_step_when_a_person_says_so(lab, half_way):
    """T14."""
    run = await half_way()
    row = await run.execute_update("retry_step", SHIP)
    assert (row["step_idx"], row["tool"]) == (8, "ship_parcel")
    assert await lab.end(run) == "COMMITTED"
    assert (await world(lab))[4:] == [
        "charge.capture standing",
        "ticket.transition standing",
        "parcel.send standing",
        "mail.send standing",
    ]
    rows = await lab.check(run)
    assert statuses(rows)[7:] == ["ship_parcel FAILED", "ship_parcel CONFIRMED"]
    assert rows[8]["args"] == rows[7]["args"]
    assert rows[8]["idempotency_key"] != rows[7]["idempotency_key"]
    assert rows[8]["approved_by"]["digest"] == rows[7]["approved_by"]["digest"]


async def test_two_people_who_want_it_tried_again_have_it_tried_once(lab, half_way):
    run = await half_way()
    await lab.end_work(RUNS)
    asked = [run.execute_update("retry_step", {**SHIP, "by": by}) for by in ("bob", "carol")]
    answers = asyncio.gather(*asked, return_exceptions=True)
    await asyncio.sleep(0.1)  # both are on their way
    await lab.begin_work(RUNS)
    assert sorted(isinstance(each, Exception) for each in await answers) == [False, True]
    assert await lab.end(run) == "COMMITTED"
    assert await world(lab, kind="parcel.send") == ["parcel.send standing"]
    assert statuses(await lab.check(run))[7:] == ["ship_parcel FAILED", "ship_parcel CONFIRMED"]


async def test_waived_the_rest_is_committed_without_it(lab, half_way):
    run = await half_way()
    await run.execute_update("waive_step", {**SHIP, "note": "it goes by courier"})
    assert await lab.end(run) == "COMMITTED"
    assert (await world(lab))[4:] == [
        "charge.capture standing",
        "ticket.transition standing",
        "mail.send standing",
    ]
    assert (await lab.check(run))[7]["waived"]["note"] == "it goes by courier"


async def test_after_a_commit_a_cancel_or_a_rejection_undoes_nothing(lab, half_way):
    run = await half_way()
    decision = {"decision": "reject", "digest": "0123456789abcdef", "by": "bob"}
    assert "nothing awaits approval" in await refusal(run.execute_update("decide_pivot", decision))
    assert "who asked" in await refusal(run.execute_update("retry_step", {**SHIP, "by": "ann"}))
    assert "not open" in await refusal(run.execute_update("resolve_step", {**SHIP, "happened": False}))
    await run.execute_update("cancel_run", {"by": "bob"})
    await run.cancel()
    await lab.env.sleep(60)
    assert (await run.query("status"))["phase"] == "NEEDS_HUMAN"
    await run.execute_update("retry_step", SHIP)
    assert await lab.end(run) == "COMMITTED"
    assert await lab.effects(kind="charge.refund") == []
    await lab.check(run)


async def test_a_commit_of_which_nobody_knows_waits_for_a_person_and_a_cancel_undoes_nothing(lab):
    await lab.fault("payments", "capture", "after:reset", times=NEVER)
    await lab.fault("payments", "read", "before:503", times=NEVER)
    run = await lab.start("run-b")
    await lab.decide(run, "approve")
    need = await needs(lab, run, "unknown")
    assert (need["step_idx"], need["half"]) == (5, "call")
    await run.cancel()
    await lab.env.sleep(60)
    assert (await world(lab))[:4] == [each.replace("undone", "standing") for each in NEUTRAL]
    await lab.mend()
    order = {"step_idx": 5, "half": "call", "happened": True, "external_ref": "pi_seen", "by": "bob"}
    await run.execute_update("resolve_step", order)
    assert await lab.end(run) == "COMMITTED"
    assert len(await world(lab)) == 8
    await lab.check(run)


async def test_where_what_is_staged_cannot_be_looked_at_nothing_is_committed(lab):
    await lab.fault("tickets", "search", "before:503", skip=1, times=NEVER)
    run = await lab.start("run-b")
    await lab.decide(run, "approve")
    status = await lab.until(run, lambda status: status["phase"] == "UNWINDING")
    await lab.mend()
    assert status["why"] == "nothing was committed: step 2 stage_ticket (SUP-1) could not be looked at"
    assert await lab.end(run) == "RunUnwound"
    assert (await world(lab))[:4] == NEUTRAL
    await lab.check(run)


async def test_commits_follow_what_a_provider_may_refuse_and_then_who_sees_it_not_the_models_order(lab, plans):
    run = await lab.start("run-1", plans.make([letter(), draft_ticket(), goods(), hold()]))
    await lab.decide(run, "approve")
    assert await lab.end(run) == "COMMITTED"
    assert [door for door in await doors(run) if door.startswith("perform")][3:] == [
        "perform capture_payment",
        "perform publish_ticket",
        "perform ship_parcel",
        "perform send_email",
    ]
    await lab.check(run)


async def test_what_a_person_approves_is_what_runs_though_it_was_asked_for_twice(lab, plans):
    """T22."""
    run = await lab.start("run-1", plans.make([ticket()], [ticket("another one", another=True)]))
    need = await needs(lab, run, "gate")
    assert await writes(lab) == ["tickets create"]
    assert need["call"]["args"]["summary"] == "another one"
    order = {"step_idx": 1, "decision": "approve", "digest": need["digest"], "by": "bob"}
    await run.execute_update("decide_gate", order)
    assert await lab.end(run) == "COMMITTED"
    assert await world(lab) == ["ticket.create standing"] * 2
    assert [row["approved_by"] is not None for row in await lab.check(run)] == [False, True]


async def test_a_hold_that_ends_under_the_first_commit_means_that_the_pivot_did_not_happen(lab):
    """T23: the look before the first commit still saw the hold; the commit comes a moment too late."""
    run = await lab.start("run-b")
    await lab.proposal(run)
    held = (await lab.effects(kind="charge.authorise"))[0]["ref"]
    await lab.fault("payments", "capture", "429:30")
    await lab.decide(run, "approve")
    while not await lab.calls(operation="capture"):
        await asyncio.sleep(0.02)
    await lab.act("payments", held, "expire")
    assert await lab.end(run) == "RunUnwound"
    assert (await run.query("status"))["why"] == "the first commit was refused, so the pivot did not happen"
    assert (await world(lab))[:4] == [each.replace("charge.authorise undone", HOLD_OVER) for each in NEUTRAL]
    assert not {"charge.capture", "parcel.send", "mail.send"} & {each["kind"] for each in await lab.effects()}
    assert "capture_payment FAILED" in statuses(await lab.check(run))
