"""A hold of which a part is taken: shown with both amounts, committed as that part, and undone by what was taken."""

from tests.workflows.plan import hold
from tests.workflows.sight import world


async def test_the_proposal_names_both_amounts_and_the_approval_takes_the_part(lab, waiting):
    run, ref = await waiting(hold(capture_minor=300))
    proposal = await lab.proposal(run)
    assert "5.00 EUR held" in proposal["staged"][0]["target"]
    (commit,) = proposal["commit"]
    assert (commit["costs"], commit["target"].startswith("3.00 EUR of the 5.00 EUR held")) == ("3.00 EUR", True)
    await lab.decide(run, "approve")
    assert (await run.result())["phase"] == "COMMITTED"
    assert [each["amount_minor"] for each in await lab.effects(kind="charge.capture")] == [300]
    result = (await lab.check(run))[1]["result"]
    taken = [result[f"{name}_minor"] for name in ("authorised", "captured", "released", "fee")]
    assert (taken, result["currency"]) == ([500, 300, 200, 39], "eur")


async def test_rejected_the_whole_hold_is_released_and_nothing_was_taken(lab, waiting):
    run, _ = await waiting(hold(capture_minor=300))
    await lab.decide(run, "reject")
    assert await lab.end(run) == "RunUnwound"
    assert await world(lab) == ["charge.authorise undone", "charge.cancel standing"]
    assert [each["amount_minor"] for each in await lab.effects()] == [500, 500]
    await lab.check(run)


async def test_a_part_larger_than_the_hold_is_invalid_and_there_is_no_row(lab):
    name = lab.plans.make([hold(capture_minor=501)])
    run = await lab.start(name)
    await lab.end(run)
    assert await lab.effects() == []
    assert await lab.check(run) == []
