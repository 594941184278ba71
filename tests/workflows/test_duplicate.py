"""A request that is delivered twice: one effect where the provider honours our key, and never two that nobody sees."""

import pytest

from tests.workflows.elsewhere import ticket_again
from tests.workflows.plan import charge, draft, draft_ticket, goods, hold, ticket
from tests.workflows.sight import world


@pytest.mark.parametrize(
    ("call", "system", "operation", "kind"),
    [
        (charge(), "payments", "capture", "charge.capture"),
        (hold(), "payments", "authorise", "charge.authorise"),
        (goods(), "warehouse", "reserve", "goods.reserve"),
        (draft(), "mail", "draft", "mail.draft"),
    ],
)
async def test_delivered_twice_it_is_one_effect_where_the_key_is_honoured(lab, plans, call, system, operation, kind):
    await lab.fault(system, operation, "duplicate")
    run = await lab.start("run-1", plans.make([call]))
    await lab.until(run, lambda status: status["phase"] in ("AWAITING_APPROVAL", "COMMITTED"))
    assert await world(lab) == [f"{kind} standing"]
    assert len(await lab.calls(system=system, operation=operation)) == 2
    await lab.check(run)


async def test_a_second_draft_ticket_that_is_found_before_the_first_commit_is_taken_back_with_the_first(lab, plans):
    await lab.fault("tickets", "create", "duplicate")
    run = await lab.start("run-1", plans.make([draft_ticket(), hold()]))
    await lab.decide(run, "approve")
    assert await lab.end(run) == "RunUnwound"
    assert "2 effects carry one key" in (await run.query("status"))["why"]
    assert await world(lab, kind="ticket.create") == ["ticket.create undone"] * 2
    await lab.check(run)


async def test_a_second_ticket_in_the_queue_is_closed_with_the_first(lab, plans):
    await lab.fault("tickets", "create", "duplicate")
    await lab.fault("warehouse", "reserve", "refuse:409")
    run = await lab.start("run-1", plans.make([ticket(), goods()]))
    assert await lab.end(run) == "RunUnwound"
    assert await world(lab, kind="ticket.create") == ["ticket.create undone"] * 2
    await lab.check(run)


async def test_an_undo_whose_second_ticket_could_not_be_closed_is_not_done(lab, plans):
    await lab.fault("tickets", "create", "duplicate")
    await lab.fault("tickets", "transition", "before:504", skip=1)
    await lab.fault("warehouse", "reserve", "refuse:409")
    run = await lab.start("run-1", plans.make([ticket(), goods()]))
    assert await lab.end(run) == "RunUnwound"
    assert await world(lab, kind="ticket.create") == ["ticket.create undone"] * 2
    assert (await lab.check(run))[0]["compensation"]["attempts"] == 2


async def test_a_second_ticket_that_lands_late_is_undone_with_the_first(lab, plans):
    run = await lab.start("run-1", plans.make([draft_ticket()]))
    await lab.proposal(run)
    await ticket_again(lab, (await lab.rows(run))[0], issue_type="Draft Request")
    await lab.decide(run, "reject")
    await lab.end(run)
    assert (await world(lab))[:2] == ["ticket.create undone", "ticket.create undone"]


async def test_a_publishing_that_is_delivered_twice_happened_though_the_second_delivery_is_refused(lab, plans):
    await lab.fault("tickets", "transition", "duplicate")
    run = await lab.start("run-1", plans.make([draft_ticket(), hold()]))
    await lab.decide(run, "approve")
    assert await lab.end(run) == "COMMITTED"
    assert [call["status"] for call in await lab.calls(operation="transition")] == [400, 400]
    published = next(row for row in await lab.check(run) if row["tool"] == "publish_ticket")
    assert published["status"] == "CONFIRMED"
    assert [each["key"] for each in await lab.effects(kind="ticket.transition")] == [published["idempotency_key"]]
