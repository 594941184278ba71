"""A request that was not carried out: sent again under the same key, or refused for good."""

import time
from email.utils import formatdate

import pytest

from tests.workflows.plan import charge, draft, goods, hold, ticket
from tests.workflows.sight import activities, statuses, world, writes

CALLS = {
    "mail draft": draft(),
    "tickets create": ticket(),
    "payments authorise": hold(),
    "payments capture": charge(),
    "warehouse reserve": goods(),
}
KINDS = {
    "mail draft": "mail.draft",
    "tickets create": "ticket.create",
    "payments authorise": "charge.authorise",
    "payments capture": "charge.capture",
    "warehouse reserve": "goods.reserve",
}


async def sent_under_one_key(lab, what):
    """How often it was asked for; fails where one key was not used throughout."""
    system, operation = what.split()
    calls = await lab.calls(system=system, operation=operation)
    assert len({call["key"] for call in calls}) == 1
    return len(calls)


@pytest.mark.parametrize("fault", ["before:503", "before:reset"])
@pytest.mark.parametrize("what", CALLS)
async def test_what_was_lost_on_the_way_there_is_asked_for_again_under_the_same_key(lab, plans, what, fault):
    await lab.fault(*what.split(), fault)
    run = await lab.start("run-1", plans.make([CALLS[what]]))
    await lab.until(run, lambda status: status["phase"] in ("AWAITING_APPROVAL", "COMMITTED"))
    assert await world(lab) == [f"{KINDS[what]} standing"]
    assert await sent_under_one_key(lab, what) == 2
    row = (await lab.check(run))[0]
    assert (row["status"], row["attempts"]) == ("CONFIRMED", 2)


@pytest.mark.parametrize("what", CALLS)
async def test_a_key_in_use_is_no_answer_and_the_same_key_is_tried_later(lab, plans, what):
    """T12."""
    await lab.fault(*what.split(), "in_use")
    run = await lab.start("run-1", plans.make([CALLS[what]]))
    await lab.until(run, lambda status: status["phase"] in ("AWAITING_APPROVAL", "COMMITTED"))
    assert await world(lab) == [f"{KINDS[what]} standing"]
    assert await sent_under_one_key(lab, what) == 2
    await lab.check(run)


@pytest.mark.parametrize(("form", "waits_s"), [("seconds", 7), ("a date", 20)])
@pytest.mark.parametrize("what", CALLS)
async def test_asked_for_patience_the_run_waits_as_long_and_asks_once_more(lab, plans, what, form, waits_s):
    """T15: a date is read by our own clock, and some of its half a minute is over by then."""
    wish = "7" if form == "seconds" else formatdate(time.time() + 30, usegmt=True)
    await lab.fault(*what.split(), f"429:{wish}")
    run = await lab.start("run-1", plans.make([CALLS[what]]))
    await lab.until(run, lambda status: status["phase"] in ("AWAITING_APPROVAL", "COMMITTED"))
    assert await world(lab) == [f"{KINDS[what]} standing"]
    assert await sent_under_one_key(lab, what) == 2
    first, second = [call["at"] for call in await lab.calls(system=what.split()[0], operation=what.split()[1])]
    assert waits_s <= second - first < 40
    row = (await lab.check(run))[0]
    assert (row["status"], row["attempts"]) == ("CONFIRMED", 1)


async def test_an_outage_is_waited_out_and_each_effect_is_there_once(lab):
    # Not the mail: an account in which there is nothing at all cannot prove that a letter is absent.
    for system in ("tickets", "payments", "warehouse"):
        await lab.fault(system, "*", "outage:30")
    run = await lab.start("run-b")
    await lab.decide(run, "reject")
    assert await lab.end(run) == "RunUnwound"
    assert (await world(lab))[:4] == [
        "mail.draft undone",
        "ticket.create undone",
        "charge.authorise undone",
        "goods.reserve undone",
    ]
    await lab.check(run)


async def test_an_outage_that_outlasts_all_patience_is_a_step_that_was_never_sent(lab, plans):
    await lab.fault("tickets", "*", "outage:120")
    run = await lab.start("run-1", plans.make([charge()], [ticket()]))
    assert await lab.end(run) == "RunUnwound"
    assert await world(lab) == ["charge.capture undone", "charge.refund standing"]
    row = (await lab.check(run))[1]
    assert (row["status"], row["error"]["code"], row["attempts"]) == ("FAILED", "not_sent", 0)


async def test_a_refusal_by_the_provider_itself_is_not_tried_again(lab, plans):
    await lab.fault("tickets", "create", "refuse:400")
    run = await lab.start("run-1", plans.make([charge()], [ticket()]))
    assert await lab.end(run) == "RunUnwound"
    assert await writes(lab) == ["payments capture", "tickets create", "payments refund"]
    assert "Reconcile create_ticket" not in await activities(run)
    assert statuses(await lab.check(run)) == ["charge_card COMPENSATED", "create_ticket FAILED"]


@pytest.mark.parametrize("status", [401, 403])
async def test_a_door_that_stays_shut_is_a_refusal_and_names_the_credentials(lab, plans, status):
    await lab.fault("payments", "capture", f"refuse:{status}")
    run = await lab.start("run-1", plans.make([charge()]))
    assert await lab.end(run) == "RunUnwound"
    assert await world(lab) == []
    (row,) = await lab.check(run)
    assert (row["status"], row["attempts"], row["error"]["code"]) == ("FAILED", 0, f"http_{status}")


@pytest.mark.parametrize("status", [400, 401, 403, 404])
async def test_refused_after_a_lost_answer_is_not_taken_for_a_refusal(lab, plans, status):
    """Attempt 1 landed and was reset; what attempt 2 is told says nothing of it."""
    await lab.fault("payments", "capture", "after:reset")
    await lab.fault("payments", "capture", f"refuse:{status}", times=9)
    run = await lab.start("run-1", plans.make([charge()]))
    assert await lab.end(run) == "COMMITTED"
    assert await world(lab) == ["charge.capture standing"]
    (row,) = await lab.check(run)
    assert (row["status"], row["how"]) == ("CONFIRMED", "found by lookup")


async def test_declined_after_a_request_that_never_arrived_is_declined(lab, plans):
    """Stripe keeps a decline under the key, so that it speaks of every request under it."""
    await lab.fault("payments", "capture", "before:reset")
    run = await lab.start("run-1", plans.make([charge(card="pm_card_chargeDeclined")], [charge()]))
    assert await lab.end(run) == "COMMITTED"
    assert await world(lab) == ["charge.capture standing"]
    rows = await lab.check(run)
    assert [(row["status"], row["attempts"]) for row in rows] == [("FAILED", 2), ("CONFIRMED", 1)]


async def test_what_is_proven_absent_is_sent_three_times_in_all_and_then_given_up(lab, plans):
    await lab.fault("tickets", "create", "before:504", times=99)
    run = await lab.start("run-1", plans.make([ticket()]))
    assert await lab.end(run) == "RunUnwound"
    assert await world(lab) == []
    assert await sent_under_one_key(lab, "tickets create") == 3
    (row,) = await lab.check(run)
    assert (row["status"], row["attempts"]) == ("NOT_EXECUTED", 3)
