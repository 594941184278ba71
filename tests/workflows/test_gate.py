"""A call that cannot wait for the pivot: a person decides on exactly that call, by itself, before it is sent."""

import asyncio
from datetime import datetime, timedelta

import pytest
from temporalio.api.enums.v1 import EventType

from tests.workflows.club import approve, rung, say
from tests.workflows.sight import events, needs, refusal, statuses
from workflows.options import HOLD_MARGIN, RUNS

BELL = say("ring_bell", to="everybody")


async def test_nothing_rings_until_a_person_said_yes_and_then_once(hall, plans):
    model = plans.make([say("open_room")], [BELL], [say("book_table")])
    run = await hall.run(model)
    need = await needs(hall, run, "gate")
    status = await run.query("status")
    assert (status["phase"], status["deadline"]) == ("NEEDS_HUMAN", None)
    assert hall.done() == ["open_room room-0 standing"]
    assert need["call"]["args"] == {"room": "blue", "to": "everybody", "about": []}
    assert (need["call"]["tool"], need["call"]["audience"]) == ("ring_bell", ["customer"])
    assert need["call"]["gate"] in need["what"]
    order = {"step_idx": 1, "decision": "approve", "digest": need["digest"], "by": "bob", "note": "go on"}
    row = await run.execute_update("decide_gate", order)
    approval = row["approved_by"]
    assert (approval["by"], approval["digest"], approval["gate"]) == ("bob", need["digest"], True)
    assert await hall.end(run) == "COMMITTED"
    assert hall.done() == ["open_room room-0 standing", "ring_bell bell-1 standing", "book_table table-2 standing"]
    assert plans[model].told[1] == ("ring_bell", "confirmed", 1)
    assert (await run.query("status"))["irreversible_before_pivot"] == 0
    assert (await run.result())["commits"] == 0
    await hall.check(run)


async def test_rejected_it_is_never_sent_the_model_is_told_and_goes_on(hall, plans):
    model = plans.make([say("open_room")], [BELL], [say("book_table")])
    run = await hall.run(model, approvers=["carol"])
    need = await needs(hall, run, "gate")
    order = {"step_idx": 1, "decision": "reject", "digest": need["digest"], "by": "ann", "note": "too late at night"}
    await run.execute_update("decide_gate", order)
    assert await hall.end(run) == "COMMITTED"
    assert rung(hall) == 0
    assert plans[model].told[1:] == [("ring_bell", "denied", 1), ("book_table", "confirmed", 2)]
    rows = await hall.check(run)
    assert statuses(rows) == ["open_room CONFIRMED", "ring_bell CANCELLED", "book_table CONFIRMED"]
    assert rows[1]["how"] == "rejected by ann: too late at night"


async def test_nobody_decides_and_the_run_takes_back_what_it_did(hall, plans):
    run = await hall.run(plans.make([say("open_room")], [BELL]), approval_timeout_s=120)
    await needs(hall, run, "gate")
    assert await hall.end(run) == "RunUnwound"
    assert hall.done() == ["open_room room-0 undone", "undo room room-0 standing"]
    assert statuses(await hall.check(run)) == ["open_room COMPENSATED", "ring_bell CANCELLED"]


async def test_cancelled_while_it_waits_the_run_turns_round(hall, plans):
    run = await hall.run(plans.make([say("open_room")], [BELL]))
    await needs(hall, run, "gate")
    await run.cancel()
    assert await hall.end(run) == "Cancelled"
    assert hall.deed("room-0") == "undone"
    assert statuses(await hall.check(run)) == ["open_room COMPENSATED", "ring_bell CANCELLED"]


async def test_a_yes_that_no_worker_heard_before_the_deadline_is_late(hall, plans):
    """T6: timer and decision come in one workflow task."""
    run = await hall.run(plans.make([say("open_room")], [BELL]), approval_timeout_s=120)
    need = await needs(hall, run, "gate")
    left = datetime.fromisoformat(need["deadline"]) - await hall.env.get_current_time()
    await hall.env.sleep(left - timedelta(seconds=1))
    await hall.end_work(RUNS)
    order = {"step_idx": 1, "decision": "approve", "digest": need["digest"], "by": "bob"}
    sent = asyncio.create_task(refusal(run.execute_update("decide_gate", order)))
    async with asyncio.timeout(30):
        while EventType.EVENT_TYPE_TIMER_FIRED not in [event.event_type for event in await events(run)]:
            await asyncio.sleep(0.1)  # real seconds: with nobody at work the server skips none
    await hall.begin_work(RUNS)
    assert "too late: the deadline was" in await sent
    assert await hall.end(run) == "RunUnwound"
    assert rung(hall) == 0
    await hall.check(run)


async def test_lost_on_the_way_it_is_looked_for_and_not_rung_again(hall, plans):
    hall.hall.armed.append(("ring_bell", "after", 9))
    run = await hall.run(plans.make([BELL]))
    await approve(hall, run)
    assert await hall.end(run) == "COMMITTED"
    row = (await hall.check(run))[0]
    assert (row["status"], row["doubted"], rung(hall)) == ("CONFIRMED", True, 1)


async def test_refused_it_takes_the_run_back(hall, plans):
    hall.hall.armed.append(("ring_bell", "refuse", 1))
    run = await hall.run(plans.make([say("open_room")], [BELL]))
    await approve(hall, run, 1)
    assert await hall.end(run) == "RunUnwound"
    assert hall.done() == ["open_room room-0 undone", "undo room room-0 standing"]
    assert statuses(await hall.check(run)) == ["open_room COMPENSATED", "ring_bell FAILED"]


@pytest.mark.parametrize("ending", ["reject", "cancel"])
async def test_what_rang_stays_and_is_named_and_all_else_goes_back(hall, plans, ending):
    """The gate is not the pivot: what can be taken back still is."""
    run = await hall.run(plans.make([say("open_room")], [BELL], [say("send_card")]))
    await approve(hall, run, 1)
    await hall.proposal(run)
    if ending == "cancel":
        await run.cancel()
    else:
        await hall.decide(run, "reject")
    assert await hall.end(run) == ("Cancelled" if ending == "cancel" else "RunUnwound")
    assert hall.done() == ["open_room room-0 undone", "ring_bell bell-1 standing", "undo room room-0 standing"]
    assert "ring_bell bell-1" in (await run.query("status"))["why"]
    assert statuses(await hall.check(run)) == ["open_room COMPENSATED", "ring_bell CONFIRMED", "send_card CANCELLED"]


async def test_after_a_gate_a_refused_first_commit_still_means_that_the_pivot_did_not_happen(hall, plans):
    hall.hall.armed.append(("send_card", "refuse", 1))
    run = await hall.run(plans.make([say("open_room")], [BELL], [say("send_card")]))
    await approve(hall, run, 1)
    await hall.decide(run, "approve")
    assert await hall.end(run) == "RunUnwound"
    assert hall.deed("room-0") == "undone"
    await hall.check(run)


async def test_what_the_run_stands_on_is_looked_at_once_more_before_it_rings(hall, plans):
    run = await hall.run(plans.make([say("book_table")], [BELL]))
    await needs(hall, run, "gate")
    hall.hall.gone("table-0")
    await approve(hall, run, 1)
    assert await hall.end(run) == "RunUnwound"
    assert rung(hall) == 0
    assert "table-0" in (await run.query("status"))["why"]
    await hall.check(run)


async def test_a_hold_that_ends_first_ends_the_waiting_first(hall, plans):
    now = await hall.env.get_current_time()
    hall.hall.hold_until = now + timedelta(minutes=30)
    run = await hall.run(plans.make([say("book_table")], [BELL]))
    need = await needs(hall, run, "gate")
    assert datetime.fromisoformat(need["deadline"]) == hall.hall.hold_until - HOLD_MARGIN
    await approve(hall, run, 1)
    assert await hall.end(run) == "COMMITTED"
    await hall.check(run)


async def test_two_in_one_turn_are_decided_one_after_the_other(hall, plans):
    run = await hall.run(plans.make([BELL, say("ring_bell", to="nobody")]))
    await needs(hall, run, "gate")
    assert len((await run.query("status"))["needs_human"]) == 1
    first = await approve(hall, run)
    await hall.until(run, lambda status: [need["step_idx"] for need in status["needs_human"]] == [1])
    assert await approve(hall, run, 1) != first
    assert await hall.end(run) == "COMMITTED"
    assert rung(hall) == 2
    await hall.check(run)


async def test_a_second_one_that_others_would_see_is_a_persons_to_allow(hall, plans):
    model = plans.make([say("put_sign")], [say("put_sign", about=[{"words": "again"}], another=True)])
    run = await hall.run(model)
    need = await needs(hall, run, "gate")
    assert hall.done() == ["put_sign sign-0 standing"]
    assert "a second one" in need["what"]
    await approve(hall, run, 1)
    assert await hall.end(run) == "COMMITTED"
    assert hall.done() == ["put_sign sign-0 standing", "put_sign sign-1 standing"]
    assert plans[model].told[-1] == ("put_sign", "confirmed", 1)
    await hall.check(run)


async def test_the_second_one_goes_back_like_any_other(hall, plans):
    turns = [[say("put_sign")], [say("put_sign", another=True)], [say("send_card")]]
    run = await hall.run(plans.make(*turns))
    await approve(hall, run, 1)
    await hall.decide(run, "reject")
    assert await hall.end(run) == "RunUnwound"
    assert [hall.deed(ref) for ref in ("sign-0", "sign-1")] == ["undone", "undone"]
    await hall.check(run)
