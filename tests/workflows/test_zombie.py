"""The zombie: a request that was given up lands after all, and what it did is found, never made a second time."""

import pytest

from tests.workflows.elsewhere import charge_again, ticket_again
from tests.workflows.plan import charge, ticket
from tests.workflows.sight import children, events, world, writes

NEVER = 999
LATE_S = 6
"""Within the attempt's limit, the request's and the lag, 4 + 2 + 2 s here; later than the first two alone, or the last
two: whoever forgot one of them would have sent it again, or closed, before."""
CALLS = {
    "tickets create": (ticket(), ticket_again, ["ticket.create", "ticket.transition"]),
    "payments capture": (charge(), charge_again, ["charge.capture", "charge.refund"]),
}


async def given_up(lab, plans, what):
    """A run whose request was lost on its way, as often as it was sent, and whose first look saw nothing."""
    await lab.fault(*what.split(), "before:reset", times=NEVER)
    run = await lab.start("run-1", plans.make([CALLS[what][0]]))
    await lab.until(run, lambda status: status["unsettled"] == 1)
    (reconciler,) = await children(lab, run)
    while not any(each.HasField("timer_started_event_attributes") for each in await events(reconciler)):
        await lab.env.sleep(0)
    (row,) = await lab.rows(run)
    await lab.env.sleep(LATE_S)
    return run, row


@pytest.mark.parametrize("what", CALLS)
async def test_what_lands_after_an_empty_look_is_found_and_not_made_again(lab, plans, what):
    """T3."""
    run, row = await given_up(lab, plans, what)
    asked = await writes(lab)
    await lab.mend()
    late = await CALLS[what][1](lab, row)
    assert await lab.end(run) == "COMMITTED"
    assert len(await writes(lab)) == len(asked) + 1  # the late one itself
    assert [each["ref"] for each in await lab.effects()] == [late]
    (row,) = await lab.check(run)
    assert (row["status"], row["how"], row["tries"]) == ("CONFIRMED", "found by lookup", 1)


@pytest.mark.parametrize("what", CALLS)
async def test_a_cancelled_run_waits_until_nothing_can_land_any_more_and_undoes_what_did(lab, plans, what):
    """T3."""
    run, row = await given_up(lab, plans, what)
    await run.cancel()
    await lab.env.sleep(0)
    assert (await run.query("status"))["unsettled"] == 1
    await lab.mend()
    await CALLS[what][1](lab, row)
    assert await lab.end(run) == "Cancelled"
    made, undo = CALLS[what][2]
    assert await world(lab) == [f"{made} undone", f"{undo} standing"]
    (row,) = await lab.check(run)
    assert (row["status"], row["how"]) == ("COMPENSATED", "found by lookup")
