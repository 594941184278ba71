"""A hold of which a part is taken: shown with both amounts, committed as that part, released whole when it is not."""

import pytest

from tests.workflows.plan import hold, ticket
from tests.workflows.sight import statuses, world

PART = hold(capture_minor=300)


@pytest.fixture
def asked(lab, plans):
    """Starts a run that holds 5.00 EUR to take 3.00 of them, and waits for approval; its proposal too."""

    async def start():
        run = await lab.start("run-1", plans.make([PART]))
        return run, await lab.proposal(run)

    return start


async def test_the_proposal_names_both_amounts_and_the_approval_takes_the_part(lab, asked):
    run, proposal = await asked()
    assert proposal["staged"][0]["target"].startswith("5.00 EUR held from")
    assert proposal["staged"][0]["target"].endswith("of which 3.00 EUR is to be taken")
    (commit,) = proposal["commit"]
    assert (commit["costs"], commit["target"].split(",")[0]) == ("3.00 EUR", "3.00 EUR of the 5.00 EUR held")
    await lab.decide(run, "approve")
    assert (await run.result())["phase"] == "COMMITTED"
    assert [each["amount_minor"] for each in await lab.effects(kind="charge.capture")] == [300]
    result = (await lab.check(run))[1]["result"]
    taken = [result[f"{name}_minor"] for name in ("authorised", "captured", "released", "fee")]
    assert (taken, result["currency"]) == ([500, 300, 200, 39], "eur")


async def test_a_part_that_was_taken_with_its_answer_lost_is_in_the_log_as_it_is_in_the_world(lab, asked):
    await lab.fault("payments", "capture", "after:reset", times=3)
    run, _ = await asked()
    await lab.decide(run, "approve")
    assert (await run.result())["phase"] == "COMMITTED"
    assert [each["amount_minor"] for each in await lab.effects(kind="charge.capture")] == [300]
    row = (await lab.check(run))[1]
    assert (row["how"], row["result"]["captured_minor"], row["result"]["fee_minor"]) == ("found by lookup", 300, 39)


async def test_rejected_the_whole_hold_is_released_and_nothing_was_taken(lab, asked):
    run, _ = await asked()
    await lab.decide(run, "reject")
    assert await lab.end(run) == "RunUnwound"
    assert await world(lab) == ["charge.authorise undone", "charge.cancel standing"]
    await lab.check(run)


async def test_a_part_larger_than_the_hold_is_invalid_has_no_row_and_may_be_mended(lab, plans):
    plan = plans.make([hold(capture_minor=501)], [ticket()])
    run = await lab.start("run-1", plan)
    assert await lab.end(run) == "COMMITTED"
    assert [outcome for _, outcome, _ in plans[plan].told] == ["invalid", "confirmed"]
    (answer,) = plans[plan].asked[-1].transcript[0].told
    assert answer.error is not None
    assert "capture_minor" in str(answer.error)
    assert statuses(await lab.check(run)) == ["create_ticket CONFIRMED"]
    assert await lab.effects(system="payments") == []
