"""Limits of a run: hitting one is a policy failure, and what stands is undone."""

from tests.workflows.plan import charge, draft, goods, hold, letter, ticket
from tests.workflows.sight import statuses, world


def eur(amount_minor):
    return {"max_spend": {"amount_minor": amount_minor, "currency": "eur"}}


async def test_more_steps_than_allowed_undo_what_stands(lab, plans):
    run = await lab.start("run-1", plans.make([ticket()], [charge()], [letter()]), limits={"max_steps": 2})
    assert await lab.end(run) == "RunUnwound"
    assert "2 steps, the limit" in (await run.query("status"))["why"]
    assert (await world(lab))[:2] == ["ticket.create undone", "charge.capture undone"]
    assert statuses(await lab.check(run)) == ["create_ticket COMPENSATED", "charge_card COMPENSATED"]


async def test_more_model_calls_than_allowed_undo_what_stands(lab, plans):
    plan = plans.make([ticket()], *[[ticket("again")]] * 9)
    run = await lab.start("run-1", plan, limits={"max_model_calls": 3})
    assert await lab.end(run) == "RunUnwound"
    assert len(plans[plan].asked) == 3
    assert "3 model calls, the limit" in (await run.query("status"))["why"]
    assert (await world(lab))[0] == "ticket.create undone"
    await lab.check(run)


async def test_more_money_than_allowed_is_not_asked_for(lab, plans):
    run = await lab.start("run-1", plans.make([ticket()], [charge(501)]), limits=eur(500))
    assert await lab.end(run) == "RunUnwound"
    assert "5.01 EUR in all, over the limit of 5.00 EUR" in (await run.query("status"))["why"]
    assert await lab.calls(system="payments") == []
    assert (await world(lab))[0] == "ticket.create undone"
    await lab.check(run)


async def test_up_to_the_limit_money_may_be_taken(lab, plans):
    run = await lab.start("run-1", plans.make([charge(500)]), limits=eur(500))
    assert await lab.end(run) == "COMMITTED"
    assert [each["amount_minor"] for each in await lab.effects()] == [500]
    await lab.check(run)


async def test_money_that_is_only_held_counts_towards_the_limit_since_approval_takes_it(lab, plans):
    run = await lab.start("run-1", plans.make([hold(300)], [charge(201)]), limits=eur(500))
    assert await lab.end(run) == "RunUnwound"
    assert "5.01 EUR in all, over the limit of 5.00 EUR" in (await run.query("status"))["why"]
    assert await world(lab) == ["charge.authorise undone", "charge.cancel standing"]
    await lab.check(run)


async def test_a_hold_over_the_limit_is_not_asked_for(lab, plans):
    run = await lab.start("run-1", plans.make([hold(501)]), limits=eur(500))
    assert await lab.end(run) == "RunUnwound"
    assert await lab.calls(system="payments") == []
    assert await lab.check(run) == []


async def test_a_declined_charge_has_spent_nothing(lab, plans):
    plan = plans.make([charge(500, "pm_card_chargeDeclined")], [charge(500)])
    run = await lab.start("run-1", plan, limits=eur(500))
    assert await lab.end(run) == "COMMITTED"
    assert [each["amount_minor"] for each in await lab.effects()] == [500]
    await lab.check(run)


async def test_another_currency_than_the_limits_is_not_spent(lab, plans):
    """T38."""
    run = await lab.start("run-1", plans.make([charge(500, currency="usd")]), limits=eur(500))
    assert await lab.end(run) == "RunUnwound"
    assert "this run may only spend EUR" in (await run.query("status"))["why"]
    assert await lab.calls(system="payments") == []
    assert await lab.check(run) == []


async def test_limits_that_are_not_reached_change_nothing(lab, plans):
    limits = {"max_steps": 8, "max_model_calls": 3, **eur(500)}
    run = await lab.start("run-1", plans.make([draft(), goods(), hold()]), limits=limits)
    await lab.decide(run, "approve")
    assert await lab.end(run) == "COMMITTED"
    assert len(await world(lab)) == 6
    await lab.check(run)
