"""Nobody can say whether it happened: a person is called, and what that person says is done, if it is theirs to say."""

import pytest

from tests.workflows.elsewhere import ANOTHER_EXECUTION, ticket_again
from tests.workflows.plan import charge, ticket
from tests.workflows.sight import needs, refusal, statuses, world, writes

NEVER = 999


@pytest.fixture
def stuck(lab, plans):
    """Starts a run whose ticket nobody can find out about; `fault` says whether it was made."""

    async def start(fault="after:504", **request):
        await lab.fault("tickets", "create", fault)
        await lab.fault("tickets", "search", "before:503", skip=1, times=NEVER)
        run = await lab.start("run-1", plans.make([ticket()], [charge()]), **request)
        await needs(lab, run, "unknown")
        await lab.mend()
        return run

    return start


async def test_told_that_it_happened_the_run_goes_on_with_the_ticket_that_was_named(lab, stuck):
    run = await stuck()
    order = {"step_idx": 0, "half": "call", "happened": True, "external_ref": "SUP-1", "by": "bob", "note": "seen"}
    row = await run.execute_update("resolve_step", order)
    assert (row["status"], row["external_ref"], row["how"]) == ("CONFIRMED", "SUP-1", "bob looked: seen")
    assert await lab.end(run) == "COMMITTED"
    assert await writes(lab) == ["tickets create", "payments capture"]
    assert statuses(await lab.check(run)) == ["create_ticket CONFIRMED", "charge_card CONFIRMED"]


async def test_told_that_it_did_not_happen_the_call_is_made_once_more_under_its_key(lab, stuck):
    run = await stuck("before:504")
    order = {"step_idx": 0, "half": "call", "happened": False, "by": "bob"}
    assert (await run.execute_update("resolve_step", order))["status"] == "NOT_EXECUTED"
    assert await lab.end(run) == "COMMITTED"
    assert await world(lab) == ["ticket.create standing", "charge.capture standing"]
    assert len({call["key"] for call in await lab.calls(operation="create")}) == 1
    assert (await lab.check(run))[0]["tries"] == 2


async def test_told_wrongly_that_it_did_not_happen_no_second_ticket_is_made(lab, stuck):
    run = await stuck()
    await run.execute_update("resolve_step", {"step_idx": 0, "half": "call", "happened": False, "by": "bob"})
    assert await lab.end(run) == "COMMITTED"
    assert await writes(lab) == ["tickets create", "payments capture"]
    await lab.check(run)


async def test_asked_to_look_again_the_run_finds_it_by_itself(lab, stuck):
    run = await stuck()
    row = await run.execute_update("retry_step", {"step_idx": 0, "half": "call", "by": "bob"})
    assert row["step_idx"] == 0
    assert await lab.end(run) == "COMMITTED"
    assert await writes(lab) == ["tickets create", "payments capture"]
    assert (await lab.check(run))[0]["how"] == "found by lookup"


async def test_waived_the_step_stays_unknown_under_a_name_and_the_model_is_told_so(lab, stuck, plans):
    run = await stuck()
    order = {"step_idx": 0, "half": "call", "by": "bob", "note": "I close it by hand"}
    row = await run.execute_update("waive_step", order)
    assert (row["status"], row["waived"]["by"]) == ("UNKNOWN", "bob")
    assert await lab.end(run) == "COMMITTED"
    assert plans["plan:0"].told == [("create_ticket", "unknown", 0), ("charge_card", "confirmed", 1)]
    assert (await run.query("status"))["unsettled"] == 0
    assert statuses(await lab.check(run)) == ["create_ticket UNKNOWN", "charge_card CONFIRMED"]


async def test_cancelled_while_nobody_knows_the_run_still_finds_out_before_it_undoes(lab, stuck):
    """T2."""
    run = await stuck()
    await run.cancel()
    await lab.env.sleep(60)
    assert (await run.query("status"))["phase"] == "NEEDS_HUMAN"
    await run.execute_update("retry_step", {"step_idx": 0, "half": "call", "by": "bob"})
    assert await lab.end(run) == "Cancelled"
    assert await world(lab) == ["ticket.create undone", "ticket.transition standing"]
    await lab.check(run)


FITS = {"step_idx": 0, "half": "call", "by": "bob"}


UNFIT = [
    ("resolve_step", {"happened": True, "external_ref": "SUP-1", "by": "ann"}, "by: who asked for the run"),
    ("retry_step", {"by": "ann"}, "by: who asked for the run"),
    ("waive_step", {"by": "ann"}, "by: who asked for the run"),
    ("resolve_step", {"happened": True}, "external_ref: name what is there"),
    ("resolve_step", {"happened": "yes"}, "happened: Input should be a valid boolean"),
    ("resolve_step", {}, "happened: Field required"),
    ("resolve_step", {"happened": False, "half": "compensation"}, "step_idx: step 0 is UNKNOWN; its compensation"),
    ("resolve_step", {"happened": False, "step_idx": 7}, "step_idx: there are steps 0 to 0"),
    ("retry_step", {"step_idx": -1}, "step_idx: Input should be greater than or equal to 0"),
    ("retry_step", {"step_idx": "0"}, "step_idx: Input should be a valid integer"),
    ("retry_step", {"half": "compensation"}, "step_idx: nothing waits for a person at step 0, compensation"),
    ("waive_step", {"half": "undo"}, "half: Input should be 'call' or 'compensation'"),
    ("waive_step", {"half": "compensation"}, "step_idx: step 0 is UNKNOWN; there is nothing to waive"),
    ("waive_step", {"by": " "}, "by: String should match pattern"),
    ("waive_step", {"force": True}, "force: Extra inputs are not permitted"),
]


async def test_what_is_not_theirs_or_does_not_fit_is_refused_with_the_reason_and_changes_nothing(lab, stuck):
    """T21."""
    run = await stuck()
    before = await lab.rows(run)
    for update, change, why in UNFIT:
        assert (await refusal(run.execute_update(update, {**FITS, **change}))).startswith(why)
    assert await lab.rows(run) == before
    assert (await run.query("status"))["phase"] == "NEEDS_HUMAN"
    await run.execute_update("retry_step", FITS)
    assert await lab.end(run) == "COMMITTED"
    await lab.check(run)


async def test_only_those_who_were_named_as_approvers_may_settle_a_step(lab, stuck):
    run = await stuck(approvers=["carol"])
    assert "bob is not an approver of this run (carol)" in await refusal(run.execute_update("retry_step", FITS))
    await run.execute_update("retry_step", {**FITS, "by": "carol"})
    assert await lab.end(run) == "COMMITTED"
    await lab.check(run)


async def test_two_tickets_under_one_key_are_a_persons_matter_and_are_never_hidden(lab, plans):
    await lab.fault("tickets", "create", "after:504")
    await lab.fault("tickets", "search", "before:503", skip=1, times=6)
    run = await lab.start("run-1", plans.make([ticket()]))
    await lab.until(run, lambda status: status["unsettled"] == 1)
    late = await ticket_again(lab, (await lab.rows(run))[0])
    need = await needs(lab, run, "two_found")
    assert "SUP-1" in need["what"]
    assert late in need["what"]
    await lab.act("tickets", late, "delete")
    await run.execute_update("retry_step", FITS)
    assert await lab.end(run) == "COMMITTED"
    assert await world(lab) == ["ticket.create standing", "ticket.create undone"]
    await lab.check(run)


async def test_an_effect_under_our_key_from_another_execution_stops_the_run(lab, plans):
    """T13."""
    await lab.fault("tickets", "create", "before:504")
    await lab.fault("tickets", "search", "before:503", skip=1, times=6)
    run = await lab.start("run-1", plans.make([ticket()], [charge()]))
    await lab.until(run, lambda status: status["unsettled"] == 1)
    theirs = await ticket_again(lab, (await lab.rows(run))[0], execution=ANOTHER_EXECUTION)
    need = await needs(lab, run, "foreign_execution")
    assert theirs in need["what"]
    assert "another execution" in await refusal(run.execute_update("retry_step", FITS))
    await run.execute_update("waive_step", {**FITS, "note": "an earlier run's"})
    assert await lab.end(run) == "COMMITTED"
    assert await writes(lab, run=None) == []
    assert statuses(await lab.check(run)) == ["create_ticket UNKNOWN", "charge_card CONFIRMED"]


@pytest.fixture
def lost(lab, plans):
    """Starts a run whose ticket is made and closed by somebody before the run can find it."""

    async def start():
        await lab.fault("tickets", "create", "after:504")
        await lab.fault("tickets", "search", "before:503", skip=1, times=6)
        run = await lab.start("run-1", plans.make([ticket()], [charge()]))
        await lab.until(run, lambda status: status["unsettled"] == 1)
        await lab.act("tickets", "SUP-1", "close")
        return run

    return start


async def test_a_ticket_that_somebody_closed_before_it_was_found_is_a_persons_matter(lab, lost):
    run = await lost()
    need = await needs(lab, run, "unknown")
    assert need["what"] == "SUP-1 happened, and somebody undid it since"
    assert await lab.effects(system="payments") == []
    await run.execute_update("waive_step", {**FITS, "note": "it is settled already"})
    assert await lab.end(run) == "COMMITTED"
    assert await writes(lab) == ["tickets create", "payments capture"]
    assert statuses(await lab.check(run)) == ["create_ticket UNKNOWN", "charge_card CONFIRMED"]


async def test_cancelled_meanwhile_it_is_found_closed_and_nothing_more_is_done_to_it(lab, lost):
    run = await lost()
    await run.cancel()
    assert await lab.end(run) == "Cancelled"
    assert await writes(lab) == ["tickets create"]
    assert await world(lab) == ["ticket.create undone"]
    assert statuses(await lab.check(run)) == ["create_ticket COMPENSATED"]
