"""Eight runs at once, each with trouble of its own, and the tools worker killed among them: no run pays for another."""

import pytest

from tests.crash.world import together
from workers.house import TOOLS

# A house starts in 5 to 15 s, and two cores do the work of eight runs in another 20.
pytestmark = pytest.mark.timeout(180)

# order: model, decision, how it ends, (system, operation, fault)…
TROUBLE = {
    "1182": ("refund", "approve", "COMMITTED", ("payments", "authorise", "after:504")),
    "1183": (
        "incident",
        None,
        "RunUnwound",
        ("payments", "capture", "after:reset"),
        ("warehouse", "reserve", "refuse:409"),
    ),
    "1184": ("refund", "approve", "COMMITTED", ("tickets", "create", "after:504")),
    "1185": ("refund", "approve", "COMMITTED", ("warehouse", "reserve", "before:503")),
    "1186": ("refund", "approve", "COMMITTED", ("mail", "send", "after:reset")),
    "1187": ("refund", "reject", "RunUnwound", ("payments", "cancel", "after:reset")),
    "1188": (
        "incident",
        None,
        "RunUnwound",
        ("payments", "refund", "after:504"),
        ("warehouse", "reserve", "refuse:409"),
    ),
    "1189": ("refund", "approve", "RunUnwound", ("payments", "capture", "refuse:402")),
}


async def test_eight_runs_at_once_each_end_as_their_own_trouble_says(site):
    runs = await together(*(_start(site, order, *trouble) for order, trouble in TROUBLE.items()))
    await site.happened("eight-1183", "charge.capture")
    site.kill(TOOLS)
    await site.restart(TOOLS)
    ends = await together(*(_see(site, run, TROUBLE[run.id[-4:]][1]) for run in runs))
    assert dict(zip(TROUBLE, ends, strict=True)) == {order: trouble[2] for order, trouble in TROUBLE.items()}
    for run, end in zip(runs, ends, strict=True):
        states = set((await site.kinds(run.id)).values())
        assert states == {"standing"} if end == "COMMITTED" else "undone" in states
        await site.check(run)
    assert await site.unstruck() == []


async def _start(site, order, model, _decision, _end, *faults):
    for system, operation, fault in faults:
        await site.fault(f"eight-{order}", system, operation, fault)
    return await site.start(f"eight-{order}", f"scripted:{model}", order=order)


async def _see(site, run, decision):
    if decision:
        await site.decide(run, decision)
    return await site.end(run)
