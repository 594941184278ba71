"""Undoing what others have touched: somebody closed, deleted or moved the ticket, or gave the money back."""

import pytest

from tests.workflows.elsewhere import refund_by_hand
from tests.workflows.plan import charge, draft_ticket, goods, hold, letter, ticket
from tests.workflows.sight import needs, refusal, statuses, world, writes

PENDING = "pm_card_pendingRefund"
UNDO = {"step_idx": 0, "half": "compensation", "by": "bob"}


@pytest.fixture
def waiting(lab, plans):
    """Starts a run that makes this call and waits for approval; answers it and what the call left in the world."""

    async def start(call):
        run = await lab.start("run-1", plans.make([call, letter()]))
        await lab.proposal(run)
        return run, (await lab.effects())[0]["ref"]

    return start


@pytest.mark.parametrize("act", ["close", "delete"])
@pytest.mark.parametrize("call", [ticket(), draft_ticket()])
async def test_a_ticket_that_somebody_closed_or_deleted_is_undone_and_nothing_more_is_done_to_it(
    lab, waiting, call, act
):
    """T28."""
    run, ref = await waiting(call)
    await lab.act("tickets", ref, act)
    await lab.decide(run, "reject")
    assert await lab.end(run) == "RunUnwound"
    assert await writes(lab) == ["tickets create"]
    assert await world(lab) == ["ticket.create undone"]
    assert (await lab.check(run))[0]["status"] == "COMPENSATED"


async def test_a_ticket_that_somebody_moved_is_closed_where_it_is_now(lab, waiting):
    """T28."""
    run, ref = await waiting(ticket())
    await lab.act("tickets", ref, "move")
    await lab.decide(run, "reject")
    assert await lab.end(run) == "RunUnwound"
    assert await world(lab) == ["ticket.create undone", "ticket.transition standing"]
    await lab.check(run)


async def test_a_draft_that_somebody_moved_into_another_teams_queue_is_a_persons_to_take_back(lab, waiting):
    """T28."""
    run, ref = await waiting(draft_ticket())
    await lab.act("tickets", ref, "move")
    await lab.decide(run, "reject")
    need = await needs(lab, run, "undo_failed")
    assert "was published" in need["what"]
    await lab.act("tickets", ref, "close")
    await run.execute_update("retry_step", UNDO)
    assert await lab.end(run) == "RunUnwound"
    assert await world(lab) == ["ticket.create undone"]
    await lab.check(run)


async def test_a_charge_that_somebody_refunded_is_not_refunded_again(lab, waiting):
    """T25."""
    run, ref = await waiting(charge())
    await lab.act("payments", ref, "refund")
    await lab.decide(run, "reject")
    assert await lab.end(run) == "RunUnwound"
    assert await writes(lab) == ["payments capture"]
    assert await world(lab) == ["charge.capture undone", "charge.refund standing"]
    row = (await lab.check(run))[0]
    assert (row["status"], row["compensation"]["status"]) == ("COMPENSATED", "CONFIRMED")


async def test_of_a_charge_that_somebody_refunded_in_part_only_the_rest_goes_back(lab, waiting):
    """T25, T39."""
    run, ref = await waiting(charge())
    await refund_by_hand(lab, ref, 200)
    await lab.decide(run, "reject")
    assert await lab.end(run) == "RunUnwound"
    given = [each["amount_minor"] for each in await lab.effects(kind="charge.refund")]
    assert given == [200, 300]
    assert await world(lab, kind="charge.capture") == ["charge.capture undone"]
    assert (await lab.check(run))[0]["status"] == "COMPENSATED"


async def test_a_hold_that_ran_out_needs_no_release(lab, waiting):
    """T27."""
    run, ref = await waiting(hold())
    await lab.act("payments", ref, "expire")
    await lab.decide(run, "reject")
    assert await lab.end(run) == "RunUnwound"
    assert await writes(lab) == ["payments authorise"]
    assert await world(lab) == ["charge.authorise expired"]
    assert (await lab.check(run))[0]["status"] == "COMPENSATED"


@pytest.mark.parametrize("act", ["expire", "close"])
async def test_goods_that_went_back_by_themselves_need_no_release(lab, waiting, act):
    """T27."""
    run, ref = await waiting(goods())
    await lab.act("warehouse", ref, act)
    await lab.decide(run, "reject")
    assert await lab.end(run) == "RunUnwound"
    assert (await world(lab))[0] in ("goods.reserve expired", "goods.reserve undone")
    assert (await lab.check(run))[0]["status"] == "COMPENSATED"


async def test_a_charge_that_the_customer_disputes_is_a_persons_matter(lab, waiting):
    """T25."""
    run, ref = await waiting(charge())
    await lab.act("payments", ref, "dispute")
    await lab.decide(run, "reject")
    need = await needs(lab, run, "undo_failed")
    assert "charge_disputed" in need["what"]
    assert (await lab.rows(run))[0]["status"] == "COMPENSATION_FAILED"
    await run.execute_update("waive_step", {**UNDO, "note": "the bank decides"})
    assert await lab.end(run) == "RunUnwound"
    assert "charge.refund standing" not in await world(lab)
    await lab.check(run)


async def test_a_refund_that_is_pending_is_asked_for_and_not_yet_done(lab, plans):
    """T26: COMPENSATED means that the provider confirmed it."""
    await lab.fault("warehouse", "reserve", "refuse:409")
    run = await lab.start("run-1", plans.make([charge(card=PENDING), goods()]))
    await lab.until(run, lambda status: status["phase"] == "UNWINDING" and status["unsettled"] == 1)
    await lab.env.sleep(20)
    row = (await lab.rows(run))[0]
    assert (row["status"], row["compensation"]["status"]) == ("COMPENSATION_REQUESTED", "PENDING")
    assert await world(lab) == ["charge.capture standing", "charge.refund pending"]
    assert (await run.query("status"))["needs_human"] == []
    assert await lab.end(run) == "RunUnwound"
    assert await world(lab) == ["charge.capture undone", "charge.refund standing"]
    assert len(await lab.calls(system="payments", operation="refund")) == 1
    assert statuses(await lab.check(run)) == ["charge_card COMPENSATED", "reship FAILED"]


async def test_a_pending_refund_that_fails_is_asked_for_once_more_under_another_key(lab, plans):
    """T26."""
    await lab.fault("warehouse", "reserve", "refuse:409")
    run = await lab.start("run-1", plans.make([charge(card=PENDING), goods()]))
    await lab.until(run, lambda status: status["phase"] == "UNWINDING" and status["unsettled"] == 1)
    first = (await lab.effects(kind="charge.refund"))[0]["ref"]
    await lab.act("payments", first, "fail_refund")
    assert await lab.end(run) == "RunUnwound"
    assert await world(lab) == ["charge.capture undone", "charge.refund failed", "charge.refund standing"]
    keys = {call["key"] for call in await lab.calls(system="payments", operation="refund")}
    assert len(keys) == 2
    row = (await lab.check(run))[0]
    assert row["compensation"]["idempotency_key"] in keys


async def test_a_pending_refund_may_be_settled_by_a_person_who_looked(lab, plans):
    await lab.fault("warehouse", "reserve", "refuse:409")
    run = await lab.start("run-1", plans.make([charge(card=PENDING), goods()]))
    await lab.until(run, lambda status: status["phase"] == "UNWINDING" and status["unsettled"] == 1)
    order = {**UNDO, "happened": True, "external_ref": "re_seen", "by": "ann"}
    assert "who asked for the run" in await refusal(run.execute_update("resolve_step", order))
    await lab.env.sleep(70)
    row = await run.execute_update("resolve_step", {**order, "by": "bob", "note": "it is on the statement"})
    assert (row["status"], row["how"]) == ("COMPENSATED", "bob looked: it is on the statement")
    assert await lab.end(run) == "RunUnwound"
    assert await world(lab) == ["charge.capture undone", "charge.refund standing"]
    await lab.check(run)


async def test_a_refund_that_fails_while_the_run_still_waits_for_a_person_is_opened_again(lab, plans):
    """T26."""
    await lab.fault("tickets", "transition", "refuse:400", times=999)
    await lab.fault("warehouse", "reserve", "refuse:409")
    run = await lab.start("run-1", plans.make([charge(), ticket(), goods()]))
    await needs(lab, run, "undo_failed")
    await lab.until(run, lambda status: status["unsettled"] == 1)
    await lab.act("payments", (await lab.effects(kind="charge.capture"))[0]["ref"], "fail_refund")
    await lab.mend()
    await lab.env.sleep(3600)
    await run.execute_update("retry_step", {**UNDO, "step_idx": 1})
    assert await lab.end(run) == "RunUnwound"
    await lab.check(run)
