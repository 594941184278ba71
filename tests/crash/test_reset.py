"""Resets: the branch that was thrown away left its effects in the world, so a step is looked for before it is called.

The commits after an approval are made again by themselves, under the same keys, and change nothing.
"""

import json

import pytest

from tests.crash.world import together, until
from workflows.options import TOOLS as TOOLS_QUEUE

# A house starts in 5 to 15 s; Jira, which has no keys, is asked again only after its clock, 16 s here.
pytestmark = pytest.mark.timeout(120)

STAGED = ("draft_email", "stage_ticket", "authorise_payment", "reship")
COMMITS = ("capture_payment", "ship_parcel", "publish_ticket", "send_draft")


async def test_reset_to_before_a_staged_step_it_is_found_and_not_made_again(site):
    """T34."""
    await together(*(_before(site, tool) for tool in STAGED))


async def _before(site, tool):
    run = await site.start(f"before-{tool}", order="1184")
    await site.proposal(run)
    made, earlier = await site.effects(run.id), await site.rows(run)
    run = await site.reset(run, f": {tool} ")
    await site.proposal(run)
    assert await site.effects(run.id) == made
    await site.decide(run, "approve")
    assert await site.end(run) == "COMMITTED"
    assert set((await site.kinds(run.id)).values()) == {"standing"}
    rows = await site.check(run, earlier=earlier)
    again = STAGED[STAGED.index(tool) :]
    assert {each: rows[each]["how"] for each in again} == dict.fromkeys(again, "looked_up")
    # What it did then is older than the rows of now: lists must be read from before it was done.
    written = {each["idempotency_key"]: each["created_at"] for each in earlier}
    orders = await _sent(run)
    assert [each for each in orders if each["since"] > written[each["row"]["idempotency_key"]]] == []


async def test_reset_to_after_the_approval_it_commits_again_by_itself_with_one_effect_each(site):
    """T34."""
    await together(*(_after(site, tool) for tool in COMMITS))


async def _after(site, tool):
    run = await site.start(f"again-{tool}", order="1185")
    await site.decide(run, "approve")
    assert await site.end(run) == "COMMITTED"
    made, earlier = await site.effects(run.id), await site.rows(run)
    run = await site.reset(run, f": {tool} ")
    assert await site.end(run) == "COMMITTED"
    assert await site.effects(run.id) == made
    await site.kinds(run.id)
    await site.check(run, earlier=earlier)


async def test_reset_to_the_approval_itself_it_looks_at_what_it_has_committed_and_goes_forward(site):
    """T34."""
    run = await site.start("approval", order="1186")
    await site.decide(run, "approve")
    assert await site.end(run) == "COMMITTED"
    made, earlier = await site.effects(run.id), await site.rows(run)
    run = await site.reset(run, "before the first commit:")
    assert await site.end(run) == "COMMITTED"
    assert await site.effects(run.id) == made
    await site.check(run, earlier=earlier)


async def test_reset_while_a_reconciler_looks_another_looks_beside_it(site):
    """T31: two that only read do no harm, and neither takes the other's id."""
    await site.fault("beside", "tickets", "create", "after:504")
    async with site.everywhere("tickets", "search", "lag:600"):
        first = await site.start("beside", order="1183")
        old = await until(lambda: site.reconciler(first), "the reconciler")
        run = await site.reset(first, ": stage_ticket ")
        new = await until(lambda: _reconciler_but(site, run, old), "another reconciler")
        assert new.id != old.id
    await site.proposal(run)
    assert (await site.kinds("beside"))["ticket.create"] == "standing"
    await site.decide(run, "approve")
    assert await site.end(run) == "COMMITTED"
    assert (await site.kinds("beside"))["ticket.create"] == "standing"
    await site.check(run)


async def _reconciler_but(site, run, old):
    found = await site.reconciler(run)
    return found if found and found.id != old.id else None


async def test_reset_to_before_a_step_that_was_undone_it_is_asked_about_and_not_taken_for_done(site):
    """T34."""
    run, earlier = await _unwound(site, "undone")
    made = await site.effects("undone")
    run = await site.reset(run, ": charge_card ")
    charge = await site.row(run, "charge_card", "UNKNOWN")
    status = await until(lambda: _stuck(run), "a question for a person")
    assert [each["step_idx"] for each in status["needs_human"]] == [charge["step_idx"]]
    await run.cancel()
    again = {"step_idx": charge["step_idx"], "half": "call", "by": "bob", "note": "it was given back"}
    await run.execute_update("retry_step", again)
    assert await site.end(run) == "Cancelled"
    assert await site.effects("undone") == made
    await site.check(run, earlier=earlier)


async def test_reset_to_after_a_step_that_was_undone_nothing_is_committed_upon_it(site):
    """T34."""
    run, earlier = await _unwound(site, "built")
    run = await site.reset(run, ": reship ")
    await site.decide(run, "approve")  # a parcel and a letter, for a charge that went back
    assert await site.end(run) == "RunUnwound"
    assert not {"parcel.send", "mail.send"} & (await site.kinds("built")).keys()
    await site.check(run, earlier=earlier)


async def _unwound(site, run_id):
    """A run that charged, was refused the goods, and gave the money back; its rows."""
    await site.fault(run_id, "warehouse", "reserve", "refuse:409")
    run = await site.start(run_id, "scripted:incident", order="1183")
    assert await site.end(run) == "RunUnwound"
    return run, await site.rows(run)


async def _stuck(run):
    status = await run.query("status")
    return status if status["needs_human"] else None


async def _sent(run):
    """What went to the tools worker."""
    asked = [each.activity_task_scheduled_event_attributes for each in (await run.fetch_history()).events]
    return [json.loads(each.input.payloads[0].data) for each in asked if each.task_queue.name == TOOLS_QUEUE]
