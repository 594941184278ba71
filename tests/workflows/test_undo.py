"""Undoing: its lost answers are found out like any other, a refusal is tried again, one that fails stops no other."""

import pytest

from tests.workflows.plan import charge, draft, draft_ticket, goods, hold, ticket
from tests.workflows.sight import doors, needs, refusal, statuses, world, writes

NEVER = 999
LOST = ("after:504", "after:reset", "after:truncate", "after:blank200", "after:204", "after:html200")
UNDOS = [("mail", "delete"), ("tickets", "delete"), ("payments", "cancel"), ("warehouse", "release")]
STAGED = ["mail.draft undone", "ticket.create undone", "charge.authorise undone", "goods.reserve undone"]
VANISHED = ["charge.cancel standing", "goods.release standing", "mail.delete standing", "ticket.delete standing"]
REFUND = {"step_idx": 0, "half": "compensation", "by": "bob"}


@pytest.mark.parametrize("fault", LOST)
async def test_an_undo_whose_answer_is_lost_is_done_once_and_settled_by_finding_out(lab, fault):
    """T9."""
    for system, operation in UNDOS:
        await lab.fault(system, operation, fault)
    run = await lab.start("run-c")
    await lab.decide(run, "reject")
    assert await lab.end(run) == "RunUnwound"
    effects = await world(lab)
    assert effects[:4] == STAGED
    assert sorted(effects[4:]) == VANISHED
    assert {row["status"] for row in await lab.check(run)} == {"COMPENSATED", "CANCELLED"}


@pytest.mark.parametrize("fault", LOST)
async def test_a_refund_and_a_closing_whose_answers_are_lost_are_done_once(lab, plans, fault):
    """T9, T25."""
    await lab.fault("payments", "refund", fault)
    await lab.fault("tickets", "transition", fault)
    await lab.fault("warehouse", "reserve", "refuse:409")
    run = await lab.start("run-1", plans.make([ticket(), charge(), goods()]))
    assert await lab.end(run) == "RunUnwound"
    assert await world(lab) == [
        "ticket.create undone",
        "charge.capture undone",
        "ticket.transition standing",
        "charge.refund standing",
    ]
    assert statuses(await lab.check(run)) == [
        "create_ticket COMPENSATED",
        "charge_card COMPENSATED",
        "reship FAILED",
    ]


async def test_an_undo_that_is_refused_is_tried_again_under_a_key_of_its_own(lab, plans):
    """Stripe remembers the error under the first key, so that no second try under it could pass (T40, T27)."""
    await lab.fault("payments", "refund", "refuse:402", times=2)
    await lab.fault("warehouse", "reserve", "refuse:409")
    run = await lab.start("run-1", plans.make([charge(), goods()]))
    assert await lab.end(run) == "RunUnwound"
    asked = await lab.calls(system="payments", operation="refund")
    assert [call["status"] for call in asked] == [402, 402, 200]
    assert len({call["key"] for call in asked}) == 3
    assert asked[2]["at"] - asked[0]["at"] >= 90
    assert await world(lab) == ["charge.capture undone", "charge.refund standing"]
    row = (await lab.check(run))[0]
    assert row["compensation"]["idempotency_key"] == asked[2]["key"]
    assert row["compensation"]["attempts"] == 3


async def test_a_draft_ticket_whose_deletion_is_refused_is_deleted_under_the_key_of_the_try_that_succeeds(lab, plans):
    await lab.fault("tickets", "delete", "refuse:422", times=2)
    run = await lab.start("run-1", plans.make([draft_ticket()]))
    await lab.decide(run, "reject")
    assert await lab.end(run) == "RunUnwound"
    assert await world(lab) == ["ticket.create undone", "ticket.delete standing"]
    row = (await lab.check(run))[0]
    assert (await lab.effects(kind="ticket.delete"))[0]["key"] == row["compensation"]["idempotency_key"]


@pytest.fixture
def refused(lab, plans):
    """Starts a run whose charge cannot be refunded, until a person is called."""

    async def start():
        await lab.fault("payments", "refund", "refuse:402", times=3)
        await lab.fault("warehouse", "reserve", "refuse:409")
        run = await lab.start("run-1", plans.make([charge(), goods()]))
        need = await needs(lab, run, "undo_failed")
        assert (need["step_idx"], need["half"]) == (0, "compensation")
        assert "card_declined" in need["what"]
        return run

    return start


async def test_refused_three_times_a_person_is_called_and_may_have_it_tried_again(lab, refused):
    """T27."""
    run = await refused()
    status = await run.query("status")
    assert (status["phase"], status["unsettled"]) == ("NEEDS_HUMAN", 1)
    assert (await lab.rows(run))[0]["status"] == "COMPENSATION_FAILED"
    await run.execute_update("retry_step", REFUND)
    assert await lab.end(run) == "RunUnwound"
    assert len({call["key"] for call in await lab.calls(system="payments", operation="refund")}) == 4
    assert await world(lab) == ["charge.capture undone", "charge.refund standing"]
    assert statuses(await lab.check(run)) == ["charge_card COMPENSATED", "reship FAILED"]


async def test_put_right_by_hand_and_said_so_the_run_closes(lab, refused):
    run = await refused()
    charged = (await lab.effects(kind="charge.capture"))[0]["ref"]
    await lab.act("payments", charged, "refund")
    order = {**REFUND, "happened": True, "external_ref": charged, "note": "refunded in the dashboard"}
    row = await run.execute_update("resolve_step", order)
    assert (row["status"], row["compensation"]["status"]) == ("COMPENSATED", "CONFIRMED")
    assert await lab.end(run) == "RunUnwound"
    assert await world(lab) == ["charge.capture undone", "charge.refund standing"]
    assert len(await lab.calls(system="payments", operation="refund")) == 3
    await lab.check(run)


async def test_waived_by_name_the_charge_stays_and_the_run_closes(lab, refused):
    run = await refused()
    row = await run.execute_update("waive_step", {**REFUND, "note": "the customer keeps it"})
    assert (row["status"], row["waived"]["note"]) == ("COMPENSATION_FAILED", "the customer keeps it")
    assert await lab.end(run) == "RunUnwound"
    assert await world(lab) == ["charge.capture standing"]
    assert (await run.query("status"))["unsettled"] == 0
    await lab.check(run)


async def test_what_is_known_to_have_failed_cannot_be_said_not_to_have_happened_nor_settled_by_who_asked(lab, refused):
    run = await refused()
    order = {**REFUND, "happened": False}
    assert "known to have failed" in await refusal(run.execute_update("resolve_step", order))
    order = {**REFUND, "by": "ann"}
    assert "who asked for the run" in await refusal(run.execute_update("waive_step", order))
    assert "nothing waits" in await refusal(run.execute_update("retry_step", {**REFUND, "half": "call"}))
    assert (await lab.rows(run))[0]["status"] == "COMPENSATION_FAILED"
    await run.execute_update("waive_step", REFUND)
    await lab.end(run)
    await lab.check(run)


async def test_one_undo_that_fails_does_not_keep_the_others_from_running(lab, plans):
    """T27: the ticket can never be closed; the hold, the goods and the draft go back all the same (T28)."""
    await lab.fault("tickets", "transition", "refuse:400", times=NEVER)
    run = await lab.start("run-1", plans.make([draft(), ticket(), hold(), goods()]))
    await lab.decide(run, "reject")
    await needs(lab, run, "undo_failed")
    await lab.until(run, lambda status: status["unsettled"] == 1)
    effects = await world(lab)
    assert effects[:4] == [
        "mail.draft undone",
        "ticket.create standing",
        "charge.authorise undone",
        "goods.reserve undone",
    ]
    assert sorted(effects[4:]) == [each for each in VANISHED if not each.startswith("ticket")]
    await lab.mend()
    await run.execute_update("retry_step", {"step_idx": 2, "half": "compensation", "by": "bob"})
    assert await lab.end(run) == "RunUnwound"
    assert (await world(lab))[1] == "ticket.create undone"
    await lab.check(run)


async def test_undone_in_order_of_who_can_see_it_and_a_second_undo_never_comes(lab, plans):
    await lab.fault("warehouse", "reserve", "refuse:409")
    run = await lab.start("run-1", plans.make([charge(receipt=True), ticket(), draft(), goods()]))
    assert await lab.end(run) == "RunUnwound"
    undone = [door for door in await doors(run) if door.startswith("compensate")]
    assert undone == ["compensate delete_draft", "compensate close_ticket", "compensate refund_charge"]
    assert (await writes(lab))[-3:] == ["mail delete", "tickets transition", "payments refund"]
    await lab.check(run)
