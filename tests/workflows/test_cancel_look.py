"""A cancel while what is staged is looked at: it counts, as at every other boundary of a step."""

import pytest

from tests.workflows.plan import charge, draft, hold, review
from tests.workflows.sight import world

NEVER = 999


async def looking(lab, run):
    """The run is approved and looks at what is staged, in vain."""
    await lab.decide(run, "approve")
    await lab.until(run, lambda status: status["phase"] == "COMMITTING")


@pytest.mark.parametrize("turns", [[charge(), review()], [hold()]], ids=["nothing to commit", "a commit"])
async def test_approved_and_cancelled_while_it_looks_nothing_is_committed_and_all_is_undone(lab, plans, turns):
    await lab.fault("payments", "read", "before:503", times=4)
    await lab.fault("payments", "list", "before:503", times=4)
    run = await lab.start("run-1", plans.make(turns))
    await looking(lab, run)
    await run.cancel()
    assert await lab.end(run) == "Cancelled"
    assert not [each for each in await world(lab) if each in ("charge.capture standing", "charge.authorise standing")]
    await lab.check(run)


async def test_a_cancel_that_keeps_keeps_though_the_look_fails(lab, plans):
    await lab.fault("mail", "*", "before:503", skip=1, times=NEVER)
    run = await lab.start("run-1", plans.make([draft()]))
    await looking(lab, run)
    await run.execute_update("cancel_run", {"keep": True, "by": "bob", "note": "I go on by hand"})
    await run.cancel()
    assert await lab.end(run) == "Cancelled"
    await lab.mend()
    assert await world(lab) == ["mail.draft standing"]
    await lab.check(run, kept=True)
