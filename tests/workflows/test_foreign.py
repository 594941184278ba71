"""Somebody else's effect under our key, at a provider that honours keys: it says so, and the run stops."""

from saga.keys import step_key
from tests.workflows.elsewhere import ANOTHER_EXECUTION, charge_again
from tests.workflows.plan import charge, ticket
from tests.workflows.sight import needs, refusal, statuses, world, writes

STEP = {"step_idx": 0, "half": "call", "by": "bob"}


async def test_a_key_that_another_execution_has_used_stops_the_run_and_its_charge_stays(lab, plans):
    """T13: what Stripe answers is no refusal of this write; what is there is not ours to keep or to give back."""
    key = step_key("run-1", 0, "charge_card")
    row = {"idempotency_key": key, "run_id": "run-1", "step_idx": 0}
    theirs = await charge_again(lab, row, execution=ANOTHER_EXECUTION, amount_minor=700)
    run = await lab.start("run-1", plans.make([charge()], [ticket()]))
    need = await needs(lab, run, "foreign_execution")
    assert theirs in need["what"]
    assert await lab.effects(system="tickets") == []
    assert "another execution" in await refusal(run.execute_update("retry_step", STEP))
    await run.cancel()
    await run.execute_update("waive_step", {**STEP, "note": "an earlier run's"})
    assert await lab.end(run) == "Cancelled"
    assert await world(lab) == ["charge.capture standing"]
    assert "payments refund" not in await writes(lab)
    assert statuses(await lab.check(run)) == ["charge_card UNKNOWN"]
