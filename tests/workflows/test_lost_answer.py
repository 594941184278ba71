"""An answer that is lost after the fact: found out, never guessed, and never a second effect."""

import pytest

from tests.workflows.plan import charge, draft, goods, hold, letter, ticket
from tests.workflows.sight import activities, statuses, world, writes

LOST = ("after:504", "after:reset", "after:truncate", "after:blank200", "after:204", "after:html200")
STAGED = [("mail", "draft"), ("tickets", "create"), ("payments", "authorise"), ("warehouse", "reserve")]
COMMITS = [("payments", "capture"), ("warehouse", "confirm"), ("tickets", "transition"), ("mail", "send")]
EFFECTS = [
    "mail.draft",
    "ticket.create",
    "charge.authorise",
    "goods.reserve",
    "charge.capture",
    "ticket.transition",
    "parcel.send",
    "mail.send",
]


@pytest.mark.parametrize("fault", LOST)
async def test_every_staged_effect_and_every_commit_is_there_once_though_no_first_answer_came(lab, fault):
    """T9."""
    for system, operation in (*STAGED, *COMMITS):
        await lab.fault(system, operation, fault)
    run = await lab.start("run-b")
    await lab.decide(run, "approve")
    assert await lab.end(run) == "COMMITTED"
    assert await world(lab) == [f"{kind} standing" for kind in EFFECTS]
    rows = await lab.check(run)
    assert {row["status"] for row in rows} == {"CONFIRMED"}
    assert len([call for call in await lab.calls() if call["fault"] == fault]) == 8


@pytest.mark.parametrize("fault", LOST)
async def test_a_charge_whose_answer_is_lost_is_one_charge(lab, plans, fault):
    await lab.fault("payments", "capture", fault)
    run = await lab.start("run-1", plans.make([charge()]))
    assert await lab.end(run) == "COMMITTED"
    taken = await lab.effects()
    assert [(each["kind"], each["state"], each["amount_minor"]) for each in taken] == [
        ("charge.capture", "standing", 500)
    ]
    (row,) = await lab.check(run)
    assert (row["status"], row["how"], row["attempts"]) == ("CONFIRMED", "replayed", 2)


@pytest.mark.parametrize("fault", LOST)
async def test_a_ticket_whose_answer_is_lost_is_looked_for_and_not_created_again(lab, plans, fault):
    """T7."""
    await lab.fault("tickets", "create", fault)
    run = await lab.start("run-1", plans.make([ticket()]))
    assert await lab.end(run) == "COMMITTED"
    assert await writes(lab) == ["tickets create"]
    assert await world(lab) == ["ticket.create standing"]
    assert "Reconcile create_ticket" in await activities(run)
    (row,) = await lab.check(run)
    assert (row["status"], row["how"], row["attempts"]) == ("CONFIRMED", "found by lookup", 1)


@pytest.mark.parametrize(
    ("call", "system", "operation", "kind"),
    [
        (draft(), "mail", "draft", "mail.draft"),
        (hold(), "payments", "authorise", "charge.authorise"),
        (goods(), "warehouse", "reserve", "goods.reserve"),
    ],
)
async def test_when_the_answer_never_comes_the_effect_is_found_by_looking(lab, plans, call, system, operation, kind):
    await lab.fault(system, operation, "after:reset", times=9)
    run = await lab.start("run-1", plans.make([call]))
    await lab.proposal(run)
    assert await world(lab) == [f"{kind} standing"]
    assert await writes(lab) == [f"{system} {operation}"] * 3
    row = (await lab.rows(run))[0]
    assert (row["status"], row["how"], row["attempts"]) == ("CONFIRMED", "found by lookup", 3)
    await lab.mend()
    await lab.decide(run, "reject")
    assert await lab.end(run) == "RunUnwound"
    assert (await world(lab))[0] == f"{kind} undone"
    await lab.check(run)


async def test_a_letter_whose_answer_is_lost_after_approval_is_one_letter(lab, plans):
    """T16."""
    await lab.fault("mail", "send", "after:504", times=9)
    run = await lab.start("run-1", plans.make([letter()]))
    await lab.decide(run, "approve")
    assert await lab.end(run) == "COMMITTED"
    assert await world(lab) == ["mail.send standing"]
    (row,) = await lab.check(run)
    assert (row["status"], row["how"]) == ("CONFIRMED", "found by lookup")


async def test_no_next_step_begins_while_one_is_unknown(lab, plans):
    await lab.fault("tickets", "create", "after:504")
    await lab.fault("tickets", "search", "before:503", skip=1, times=4)
    plan = plans.make([ticket(), charge()])
    run = await lab.start("run-1", plan)
    assert await lab.end(run) == "COMMITTED"
    found, charged = (await lab.check(run))[:2]
    assert charged["created_at"] >= found["updated_at"] > found["created_at"]
    assert await activities(run) == [
        "admit",
        "propose",
        "perform create_ticket",
        "Reconcile create_ticket",
        "perform charge_card",
        "propose",
    ]
    assert plans[plan].told == [("create_ticket", "confirmed", 0), ("charge_card", "confirmed", 1)]


async def test_an_error_that_stripe_repeats_under_the_key_is_looked_behind(lab, plans):
    """Stripe remembers its own 500; the charge was made all the same (T14)."""
    await lab.fault("payments", "capture", "after:500")
    run = await lab.start("run-1", plans.make([charge()]))
    assert await lab.end(run) == "COMMITTED"
    assert await writes(lab) == ["payments capture"] * 2  # the second answer says that it is the first
    assert await world(lab) == ["charge.capture standing"]
    (row,) = await lab.check(run)
    assert (row["status"], row["how"]) == ("CONFIRMED", "found by lookup")


async def test_an_error_remembered_without_an_effect_is_a_failure_and_the_run_is_undone(lab, plans):
    """T14."""
    await lab.fault("payments", "capture", "refuse:500")
    run = await lab.start("run-1", plans.make([ticket()], [charge()]))
    assert await lab.end(run) == "RunUnwound"
    assert await world(lab) == ["ticket.create undone", "ticket.transition standing"]
    assert statuses(await lab.check(run)) == ["create_ticket COMPENSATED", "charge_card FAILED"]


@pytest.mark.parametrize(
    ("call", "system", "operation", "kind"),
    [
        (ticket(), "tickets", "create", "ticket.create"),
        (charge(), "payments", "capture", "charge.capture"),
        (draft(), "mail", "draft", "mail.draft"),
        (goods(), "warehouse", "reserve", "goods.reserve"),
    ],
)
async def test_a_404_of_a_gateway_after_the_deed_is_no_refusal(lab, plans, call, system, operation, kind):
    """T8."""
    await lab.fault(system, operation, "after:404", times=9)
    run = await lab.start("run-1", plans.make([call]))
    await lab.until(run, lambda status: status["phase"] in ("AWAITING_APPROVAL", "COMMITTED"))
    assert await world(lab) == [f"{kind} standing"]
    row = (await lab.check(run))[0]
    assert (row["status"], row["how"]) == ("CONFIRMED", "found by lookup")
