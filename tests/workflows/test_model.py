"""Models at their worst: whatever one writes, the world has one of each, and only what a person approved."""

import pytest

from activities.models.model import Reply
from saga.turn import ProposedCall
from tests.workflows.plan import charge, draft_ticket, goods, hold, letter, review, ticket
from tests.workflows.sight import events, lasted_s, statuses, world, writes

OTHER = {"order_id": "1188", "customer_id": "cus_1188"}


async def test_garbage_reaches_nobody_and_the_fourth_call_in_a_row_that_does_not_fit_stops_the_run(lab):
    """T18."""
    run = await lab.start("run-1", "scripted:garbage")
    assert await lab.end(run) == "RunUnwound"
    assert "4 calls in a row whose arguments do not fit" in (await run.query("status"))["why"]
    assert await lab.calls() == []
    turns = await run.query("transcript")
    outcomes = [[told["outcome"] for told in turn["told"]] for turn in turns]
    assert outcomes == [["denied", "invalid", "invalid", "denied", "denied"], ["invalid"] * 4]
    assert await lab.check(run) == []


async def test_what_stood_before_the_garbage_is_undone(lab, plans):
    """T18."""
    broken = ("charge_card", '{"order_id": ')
    run = await lab.start("run-1", plans.make([ticket()], [broken, broken], [broken, broken, hold()]))
    assert await lab.end(run) == "RunUnwound"
    assert await world(lab) == ["ticket.create undone", "ticket.transition standing"]
    await lab.check(run)


async def test_three_calls_that_do_not_fit_are_forgiven_once_one_fits(lab, plans):
    """T18, T38."""
    bad = charge("500")
    plan = plans.make([bad, bad, bad, ticket()], [bad, bad, bad, charge()])
    run = await lab.start("run-1", plan)
    assert await lab.end(run) == "COMMITTED"
    assert await world(lab) == ["ticket.create standing", "charge.capture standing"]
    assert [outcome for _, outcome, _ in plans[plan].told] == [*["invalid"] * 3, "confirmed"] * 2
    await lab.check(run)


async def test_the_same_ticket_in_other_words_another_place_or_a_later_answer_is_one_ticket(lab, plans):
    """T17."""
    plan = plans.make(
        [ticket("Refund for 1182"), ticket("1182: customer is angry", priority="High")],
        [charge(), ticket("A ticket, please", "#1182", description="Really.")],
        [charge(700), ticket("Ticket!", " 1182 ")],
    )
    run = await lab.start("run-1", plan)
    assert await lab.end(run) == "COMMITTED"
    assert await writes(lab) == ["tickets create", "payments capture"]
    assert plans[plan].told == [
        ("create_ticket", "confirmed", 0),
        ("create_ticket", "repeated", 0),
        ("charge_card", "confirmed", 1),
        ("create_ticket", "repeated", 0),
        ("charge_card", "repeated", 1),
        ("create_ticket", "repeated", 0),
    ]
    rows = await lab.check(run)
    assert [[each["turn"] for each in row["repeats"]] for row in rows] == [[0, 1, 2], [2]]
    assert [row["args"]["amount_minor"] for row in rows[1:]] == [500]


async def test_a_counter_action_or_a_commit_half_is_not_the_models_to_call(lab, plans):
    """T19."""
    clean_up = ("refund_charge", {"charge_key": "0" * 32, "amount_minor": 500, "currency": "eur", "reason": "oops"})
    take = ("capture_payment", {"authorisation_key": "0" * 32, "order_id": "1182"})
    plan = plans.make([charge(), hold()], [clean_up, take, ("close_ticket", {}), ("release_everything", {})])
    run = await lab.start("run-1", plan)
    await lab.proposal(run)
    assert await writes(lab) == ["payments capture", "payments authorise"]
    answers = [told for turn in plans[plan].asked[-1].transcript for told in turn.told][2:]
    assert [told.outcome for told in answers] == ["denied"] * 4
    codes = [told.error.code for told in answers if told.error]
    assert codes == ["counter_action", "commit_half", "counter_action", "no_such_tool"]
    await lab.decide(run, "reject")
    await lab.end(run)
    assert len(await lab.check(run)) == 3


async def test_what_cannot_be_taken_back_waits_however_early_it_is_asked_for(lab, plans):
    """T19."""
    run = await lab.start("run-1", plans.make([letter(), ticket()], [("capture_payment", {}), charge()], [letter("!")]))
    await lab.proposal(run)
    status = await run.query("status")
    assert (status["reordered"], status["irreversible_before_pivot"]) == (2, 0)
    assert await lab.calls(system="mail") == []
    await lab.decide(run, "approve")
    assert await lab.end(run) == "COMMITTED"
    assert await world(lab) == ["ticket.create standing", "charge.capture standing", "mail.send standing"]
    assert len((await lab.check(run))[0]["repeats"]) == 1


@pytest.mark.parametrize(("decision", "end"), [("approve", "COMMITTED"), ("reject", "RunUnwound")])
async def test_asked_for_by_the_model_a_person_decides_on_what_is_staged(lab, plans, decision, end):
    """T19."""
    plan = plans.make([draft_ticket()], [review("not covered by a policy"), charge()])
    run = await lab.start("run-1", plan)
    status = await lab.until(run, lambda now: now["phase"] == "NEEDS_HUMAN")
    assert [(each["kind"], each["what"]) for each in status["needs_human"]] == [("review", "not covered by a policy")]
    assert (await run.query("proposal"))["reason"] == "not covered by a policy"
    await lab.decide(run, decision)
    assert await lab.end(run) == end
    assert await lab.calls(system="payments") == []
    assert len(plans[plan].asked) == 2
    state = "standing" if decision == "approve" else "undone"
    assert (await world(lab))[0] == f"ticket.create {state}"
    await lab.check(run)


@pytest.mark.parametrize("script", ["refund", "incident"])
async def test_a_declined_card_may_be_followed_by_another_as_another_step(lab, script):
    run = await lab.start("run-1", f"scripted:{script}", request=OTHER)
    await lab.proposal(run)
    cards = [row for row in await lab.rows(run) if row["tool"] in ("authorise_payment", "charge_card")]
    assert [(row["status"], row["args"]["payment_method"]) for row in cards] == [
        ("FAILED", "pm_card_chargeDeclined"),
        ("CONFIRMED", "pm_card_visa"),
    ]
    assert cards[0]["idempotency_key"] != cards[1]["idempotency_key"]
    await lab.decide(run, "reject")
    assert await lab.end(run) == "RunUnwound"
    assert not [each for each in await world(lab, system="payments") if each.startswith("charge.capture standing")]
    await lab.check(run)


async def test_a_refusal_that_another_try_cannot_mend_unwinds_and_the_model_is_not_asked_again(lab, plans):
    """T19."""
    plan = plans.make([ticket(), charge(card="pm_card_unknown"), goods()])
    run = await lab.start("run-1", plan)
    assert await lab.end(run) == "RunUnwound"
    assert await lab.calls(system="warehouse") == []
    assert len(plans[plan].asked) == 1
    assert statuses(await lab.check(run)) == ["create_ticket COMPENSATED", "charge_card FAILED"]


async def test_a_model_with_nothing_to_say_ends_a_run_in_which_nothing_happened(lab, plans):
    run = await lab.start("run-1", plans.make(Reply(text="")))
    assert (await run.result()) == {
        "phase": "COMMITTED",
        "summary": "nothing needed approval",
        "steps": 0,
        "commits": 0,
    }
    assert await lab.calls() == []
    await lab.check(run)


async def test_a_model_that_never_answers_is_waited_for_an_hour_and_then_everything_is_undone(lab, plans):
    run = await lab.start("run-1", plans.make([ticket()], *[RuntimeError("overloaded")] * 200))
    assert await lab.end(run) == "RunUnwound"
    assert 3000 < await lasted_s(run) < 3700
    assert "the model gave no answer" in (await run.query("status"))["why"]
    assert await world(lab) == ["ticket.create undone", "ticket.transition standing"]
    await lab.check(run)


async def test_two_hundred_calls_at_once_are_twenty_and_history_stays_small(lab, plans):
    """T18: the same ticket two hundred times, each with a novel for a description (T32)."""
    calls = tuple(
        ProposedCall(call_id=f"call-{each}", tool="create_ticket", args={"order_id": "1182", "summary": "x" * 15_000})
        for each in range(200)
    )
    plan = plans.make([ticket()], Reply(text="w" * 500_000, calls=calls))
    run = await lab.start("run-1", plan)
    assert await lab.end(run) == "RunUnwound"
    assert await world(lab) == ["ticket.create undone", "ticket.transition standing"]
    assert max(event.ByteSize() for event in await events(run)) < 1_000_000
    await lab.check(run)
