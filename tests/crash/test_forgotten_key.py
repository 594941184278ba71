"""SIGKILL to the tools worker, and nobody in its place in time: a key sent after it was forgotten is a new charge."""

import pytest

from workers.house import TOOLS

# A house starts in 5 to 15 s; the patience of an attempt is 8 s here.
pytestmark = pytest.mark.timeout(120)


async def test_a_charge_whose_key_was_forgotten_meanwhile_is_found_by_list_and_not_sent_again(brief_site):
    """T11."""
    site = brief_site
    await site.fault("forgotten", "payments", "capture", "after:slow:30")
    await site.fault("forgotten", "warehouse", "reserve", "refuse:409")
    run = await site.start("forgotten", "scripted:incident")
    await site.happened("forgotten", "charge.capture")
    site.kill(TOOLS)
    async with site.everywhere("payments", "*", "forget_keys:0"):
        found = await site.row(run, "charge_card", "CONFIRMED")
        assert (found["how"], found["doubted"]) == ("found by lookup", True)
        assert len(await site.writes(found["idempotency_key"])) == 1
        await site.restart(TOOLS)
        assert await site.end(run) == "RunUnwound"
    assert (await site.kinds("forgotten"))["charge.capture"] == "undone"
    await site.check(run)
