"""An undo of which nobody knows: sent again only once it is proven absent, under its key; else a person is called."""

import pytest

from tests.workflows.plan import charge, goods, ticket
from tests.workflows.sight import doors, needs, refusal, statuses, world

NEVER = 999
UNDO = {"step_idx": 0, "half": "compensation", "by": "bob"}
REFUNDED = ["charge.capture undone", "charge.refund standing"]


async def test_an_undo_that_was_lost_on_its_way_is_asked_for_again_under_the_same_key(lab, plans):
    """T40."""
    await lab.fault("warehouse", "reserve", "refuse:409")
    await lab.fault("payments", "refund", "before:504", times=3)
    run = await lab.start("run-1", plans.make([charge(), goods()]))
    assert await lab.end(run) == "RunUnwound"
    assert await world(lab) == REFUNDED
    asked = await lab.calls(system="payments", operation="refund")
    assert [call["status"] for call in asked] == [504, 504, 504, 200]
    assert len({call["key"] for call in asked}) == 1
    assert [door for door in await doors(run) if "refund_charge" in door] == [
        "compensate refund_charge",
        "Reconcile refund_charge",
        "compensate refund_charge",
    ]
    assert (await lab.check(run))[0]["compensation"]["attempts"] == 4


async def test_a_ticket_that_could_not_be_closed_is_looked_at_and_closed_once(lab, plans):
    await lab.fault("warehouse", "reserve", "refuse:409")
    await lab.fault("tickets", "transition", "before:504", times=2)
    run = await lab.start("run-1", plans.make([ticket(), goods()]))
    assert await lab.end(run) == "RunUnwound"
    assert await world(lab) == ["ticket.create undone", "ticket.transition standing"]
    assert statuses(await lab.check(run)) == ["create_ticket COMPENSATED", "reship FAILED"]


@pytest.fixture
def unsure(lab, plans):
    """Starts a run whose refund nobody can find out about, until a person is called; `fault` says if it was made."""

    async def start(fault):
        await lab.fault("warehouse", "reserve", "refuse:409")
        await lab.fault("payments", "refund", fault, times=NEVER)
        await lab.fault("payments", "read", "before:503", skip=1, times=NEVER)
        run = await lab.start("run-1", plans.make([charge(), goods()]))
        need = await needs(lab, run, "unknown")
        assert (need["step_idx"], need["half"]) == (0, "compensation")
        row = (await lab.rows(run))[0]
        assert (row["status"], row["compensation"]["status"]) == ("COMPENSATION_REQUESTED", "UNKNOWN")
        assert (await run.query("status"))["phase"] == "NEEDS_HUMAN"
        await lab.mend()
        return run

    return start


async def test_told_that_it_was_undone_the_run_closes_without_another_request(lab, unsure):
    run = await unsure("after:reset")
    made = (await lab.effects(kind="charge.refund"))[0]["ref"]
    row = await run.execute_update("resolve_step", {**UNDO, "happened": True, "external_ref": made})
    assert (row["status"], row["compensation"]["external_ref"]) == ("COMPENSATED", made)
    asked = len(await lab.calls(operation="refund"))
    assert await lab.end(run) == "RunUnwound"
    assert len(await lab.calls(operation="refund")) == asked
    assert await world(lab) == REFUNDED
    await lab.check(run)


@pytest.mark.parametrize("fault", ["before:reset", "after:reset"])
async def test_told_that_it_was_not_undone_it_is_asked_for_again_and_is_done_once(lab, unsure, fault):
    run = await unsure(fault)
    row = await run.execute_update("resolve_step", {**UNDO, "happened": False})
    assert row["compensation"]["status"] == "NOT_EXECUTED"
    assert await lab.end(run) == "RunUnwound"
    assert await world(lab) == REFUNDED
    assert len({call["key"] for call in await lab.calls(operation="refund")}) == 1
    await lab.check(run)


async def test_asked_to_look_again_it_is_found(lab, unsure):
    run = await unsure("after:reset")
    assert "who asked" in await refusal(run.execute_update("retry_step", {**UNDO, "by": "ann"}))
    await run.execute_update("retry_step", UNDO)
    assert await lab.end(run) == "RunUnwound"
    assert await world(lab) == REFUNDED
    await lab.check(run)


async def test_waived_the_run_closes_with_what_is_there_and_says_by_whom(lab, unsure):
    run = await unsure("before:reset")
    await run.execute_update("waive_step", {**UNDO, "note": "finance takes it over"})
    assert await lab.end(run) == "RunUnwound"
    assert await world(lab) == ["charge.capture standing"]
    (row, _) = await lab.check(run)
    assert (row["waived"]["by"], row["waived"]["note"]) == ("bob", "finance takes it over")
