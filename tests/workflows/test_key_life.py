"""T11: a provider forgets its keys after a day. What is older is looked for, and never sent again."""

import pytest

from tests.workflows.plan import charge, goods, ticket
from tests.workflows.sight import needs, world, writes

DAY_S = 86_400
NEVER = 999


async def stuck(lab, plans, fault, **more):
    """A run whose charge nobody can find out about."""
    await lab.fault("payments", "capture", fault, times=3)
    await lab.fault("payments", "list", "before:503", times=NEVER)
    run = await lab.start("run-1", plans.make([ticket()], [charge()]), **more)
    await needs(lab, run, "unknown")
    await lab.mend()
    return run


@pytest.mark.parametrize("days", [0, 1])
async def test_a_step_older_than_its_key_is_only_looked_up(lab, plans, days):
    """T11: told wrongly that nothing happened, a day later; the same call would be a second charge."""
    run = await stuck(lab, plans, "after:504")
    await lab.env.sleep(days * DAY_S)
    sent = len(await writes(lab, operation="capture"))
    order = {"step_idx": 1, "half": "call", "happened": False, "by": "bob", "note": "I see nothing"}
    await run.execute_update("resolve_step", order)
    end = await lab.end(run)
    assert await world(lab, kind="charge.capture") == ["charge.capture standing"]
    again = len(await writes(lab, operation="capture")) - sent
    # Within the day Stripe itself answers from its memory of the key; afterwards the charge is found by list.
    assert (end, again) == ("COMMITTED", 0 if days else 1)
    await lab.check(run)


async def test_an_undo_older_than_its_key_gets_another(lab, plans):
    """T11: its first try is proven without effect a day later, when the key that it had is forgotten."""
    await lab.fault("payments", "refund", "before:504", times=3)
    await lab.fault("warehouse", "reserve", "refuse:409")
    await lab.fault("payments", "list", "before:503", times=NEVER)
    run = await lab.start("run-1", plans.make([charge(), goods()]))
    await needs(lab, run, "unknown")
    await lab.env.sleep(DAY_S)
    await lab.mend()
    order = {"step_idx": 0, "half": "compensation", "by": "bob", "note": "look again"}
    await run.execute_update("retry_step", order)
    assert await lab.end(run) == "RunUnwound"
    row = (await lab.check(run))[0]
    assert row["compensation"]["key_no"] == 2
    assert await world(lab) == ["charge.capture undone", "charge.refund standing"]
