"""A branch of which nobody knows holds only itself and what it stands on: the rest is brought back meanwhile."""

from tests.workflows.plan import charge, draft, goods, ticket
from tests.workflows.sight import needs, statuses, world

NEVER = 999


async def test_a_cancel_while_a_person_is_asked_about_one_step_brings_the_others_back_at_once(lab, plans):
    await lab.fault("tickets", "create", "after:504")
    await lab.fault("tickets", "search", "before:503", skip=1, times=NEVER)
    run = await lab.start("run-1", plans.make([draft()], [charge()], [ticket()]))
    await needs(lab, run, "unknown")
    await run.cancel()
    await lab.until(run, lambda status: status["phase"] == "NEEDS_HUMAN" and status["unsettled"] == 1)
    assert statuses(await lab.rows(run))[:3] == [
        "draft_email COMPENSATED",
        "send_draft CANCELLED",
        "charge_card COMPENSATED",
    ]
    await lab.mend()
    await run.execute_update("retry_step", {"step_idx": 3, "half": "call", "by": "bob"})
    assert await lab.end(run) == "Cancelled"
    assert [
        each for each in await world(lab) if each.startswith(("mail.draft", "charge.capture", "ticket.create"))
    ] == [
        "mail.draft undone",
        "charge.capture undone",
        "ticket.create undone",
    ]
    await lab.check(run)


async def test_an_undo_that_nobody_knows_of_keeps_no_larger_circle_waiting(faulty, plans):
    lab = faulty
    faults = [
        {"verb": "compensation", "tool": "draft_email", "fault": "after", "times": 3},
        {"verb": "lookup", "tool": "draft_email", "fault": "down", "times": 300},
    ]
    await lab.fault("warehouse", "reserve", "refuse:409")
    run = await lab.start("run-1", plans.make([draft()], [ticket()], [charge()], [goods()]), faults=faults)
    await needs(lab, run, "unknown")
    assert statuses(await lab.rows(run)) == [
        "draft_email COMPENSATION_REQUESTED",
        "send_draft CANCELLED",
        "create_ticket COMPENSATED",
        "charge_card COMPENSATED",
        "reship FAILED",
    ]
    order = {"step_idx": 0, "half": "compensation", "happened": True, "by": "bob", "note": "the draft is gone"}
    await run.execute_update("resolve_step", order)
    assert await lab.end(run) == "RunUnwound"
    assert (await world(lab))[0] == "mail.draft undone"
    await lab.check(run)


async def test_a_draft_is_brought_back_while_a_person_who_was_asked_before_the_cancel_still_looks(lab, plans):
    await lab.fault("tickets", "create", "after:504")
    await lab.fault("tickets", "search", "before:503", skip=1, times=NEVER)
    run = await lab.start("run-1", plans.make([draft()], [ticket()]))
    await needs(lab, run, "unknown")
    await run.cancel()
    await lab.until(run, lambda status: status["phase"] == "NEEDS_HUMAN")
    assert statuses(await lab.rows(run))[0] == "draft_email COMPENSATED"
    await lab.mend()
    await run.execute_update("retry_step", {"step_idx": 2, "half": "call", "by": "bob"})
    assert await lab.end(run) == "Cancelled"
    await lab.check(run)
