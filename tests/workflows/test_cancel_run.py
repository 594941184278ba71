"""`cancel_run` says who cancels, why, and whether what is useful stays; Temporal's own cancel comes after it."""

from tests.workflows.plan import charge, draft, ticket
from tests.workflows.sight import lasted_s, needs, refusal, world

KEEP = {"keep": True, "by": "bob", "note": "the ticket is useful"}


async def test_with_keep_what_is_settled_stays_and_is_named(lab, plans):
    run = await lab.start("run-1", plans.make([ticket(), charge()], [draft()]))
    await lab.proposal(run)
    status = await run.execute_update("cancel_run", KEEP)
    assert status["phase"] == "AWAITING_APPROVAL"
    await run.cancel()
    assert await lab.end(run) == "Cancelled"
    assert await world(lab) == ["ticket.create standing", "charge.capture standing", "mail.draft standing"]
    status = await run.query("status")
    charged = (await lab.effects(kind="charge.capture"))[0]["ref"]
    assert status["phase"] == "UNWOUND"
    assert status["why"].startswith(f"cancelled; kept: create_ticket SUP-1, charge_card {charged}, draft_email draft_")
    assert [row["status"] for row in await lab.check(run, kept=True)] == ["CONFIRMED"] * 3 + ["CANCELLED"]


async def test_with_keep_what_nobody_knows_is_found_out_before_the_run_closes(lab, plans):
    await lab.fault("tickets", "create", "after:504")
    await lab.fault("tickets", "search", "before:503", skip=1, times=6)
    run = await lab.start("run-1", plans.make([ticket()], [charge()]))
    await lab.until(run, lambda status: status["unsettled"] == 1)
    await run.execute_update("cancel_run", KEEP)
    await run.cancel()
    assert await lab.end(run) == "Cancelled"
    assert await world(lab) == ["ticket.create standing"]
    assert "kept: create_ticket SUP-1" in (await run.query("status"))["why"]
    (row,) = await lab.check(run, kept=True)
    assert (row["status"], row["how"]) == ("CONFIRMED", "found by lookup")


async def test_with_keep_what_others_took_away_is_not_named_as_kept(lab, plans):
    run = await lab.start("run-1", plans.make([ticket(), charge()], [draft()]))
    await lab.proposal(run)
    (charged,) = await lab.effects(kind="charge.capture")
    await lab.act("tickets", "SUP-1", "delete")
    await lab.act("payments", charged["ref"], "refund")
    await run.execute_update("cancel_run", KEEP)
    await run.cancel()
    assert await lab.end(run) == "Cancelled"
    why = (await run.query("status"))["why"]
    assert "; no longer there: create_ticket SUP-1, charge_card" in why
    assert why.startswith("cancelled; kept: draft_email draft_")
    assert [each["kind"] for each in await lab.effects(state="standing") if each["run"]] == ["mail.draft"]
    assert [row["status"] for row in await lab.check(run, kept=True)] == ["COMPENSATED"] * 2 + [
        "CONFIRMED",
        "CANCELLED",
    ]


async def test_only_an_approver_may_let_effects_stand_and_anybody_may_have_them_undone(lab, plans):
    run = await lab.start("run-1", plans.make([ticket()], [draft()]))
    await lab.proposal(run)
    assert "who asked for the run" in await refusal(run.execute_update("cancel_run", {**KEEP, "by": "ann"}))
    assert "keep: Input should be a valid boolean" in await refusal(
        run.execute_update("cancel_run", {**KEEP, "keep": "yes"})
    )
    await run.execute_update("cancel_run", {"by": "ann"})
    await run.cancel()
    assert await lab.end(run) == "Cancelled"
    assert (await world(lab))[:2] == ["ticket.create undone", "mail.draft undone"]
    await lab.check(run)


async def test_the_reason_without_temporals_own_cancel_unwinds_as_well_and_ends_as_a_failure(lab, plans):
    run = await lab.start("run-1", plans.make([ticket()], [draft()]))
    await lab.proposal(run)
    await run.execute_update("cancel_run", {"by": "ann", "note": "the customer called back"})
    assert await lab.end(run) == "RunUnwound"
    assert (await world(lab))[:2] == ["ticket.create undone", "mail.draft undone"]
    await lab.check(run)


async def test_of_two_reasons_the_first_counts_and_who_says_otherwise_is_told(lab, plans):
    run = await lab.start("run-1", plans.make([ticket()], [draft()]))
    await lab.proposal(run)
    await run.execute_update("cancel_run", {"by": "ann"})
    await run.execute_update("cancel_run", {"by": "carol"})
    why = await refusal(run.execute_update("cancel_run", KEEP))
    assert why == "keep: ann has cancelled it already, keeping nothing"
    await run.cancel()
    assert await lab.end(run) == "Cancelled"
    assert (await world(lab))[:2] == ["ticket.create undone", "mail.draft undone"]
    await lab.check(run)


async def test_a_cancel_while_the_model_gives_no_answer_is_heard_at_once(lab, plans):
    run = await lab.start("run-1", plans.make([ticket()], *[RuntimeError("overloaded")] * 9))
    await lab.until(run, lambda _: len(plans["plan:0"].asked) > 2)
    await run.cancel()
    assert await lab.end(run) == "Cancelled"
    assert await lasted_s(run) < 60
    assert await world(lab) == ["ticket.create undone", "ticket.transition standing"]
    await lab.check(run)


async def test_a_cancel_while_a_person_is_asked_about_an_undo_changes_nothing(lab, plans):
    """T2."""
    await lab.fault("tickets", "transition", "refuse:400", times=3)
    run = await lab.start("run-1", plans.make([ticket()], [draft()]))
    await lab.decide(run, "reject")
    await needs(lab, run, "undo_failed")
    await run.cancel()
    assert await refusal(run.execute_update("cancel_run", KEEP)) == "keep: too late: the run is UNWINDING"
    await lab.env.sleep(60)
    assert (await run.query("status"))["phase"] == "NEEDS_HUMAN"
    await run.execute_update("retry_step", {"step_idx": 0, "half": "compensation", "by": "bob"})
    assert await lab.end(run) == "RunUnwound"
    assert (await world(lab))[:2] == ["ticket.create undone", "mail.draft undone"]
    await lab.check(run)
