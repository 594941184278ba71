"""Resets: the branch that was thrown away left its effects in the world, so a step is looked for before it is called.

The commits after an approval are made again by themselves, under the same keys, and change nothing.
"""

import asyncio
import json

import pytest

from workflows.options import TOOLS as TOOLS_QUEUE

# A house starts in 5 to 15 s.
pytestmark = pytest.mark.timeout(120)

STAGED = ("draft_email", "stage_ticket", "authorise_payment", "reship")
COMMITS = ("capture_payment", "ship_parcel", "publish_ticket", "send_draft")


async def test_reset_to_before_a_staged_step_it_is_found_and_not_made_again(site):
    await asyncio.gather(*(_before(site, tool) for tool in STAGED))


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
    await asyncio.gather(*(_after(site, tool) for tool in COMMITS))


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
    run = await site.start("approval", order="1186")
    await site.decide(run, "approve")
    assert await site.end(run) == "COMMITTED"
    made, earlier = await site.effects(run.id), await site.rows(run)
    run = await site.reset(run, "before the first commit:")
    assert await site.end(run) == "COMMITTED"
    assert await site.effects(run.id) == made
    await site.check(run, earlier=earlier)


async def test_reset_after_an_unwind_what_was_undone_is_not_built_upon(site):
    await site.fault("undone", "warehouse", "reserve", "refuse:409")
    run = await site.start("undone", "scripted:incident", order="1183")
    assert await site.end(run) == "RunUnwound"
    made, earlier = await site.effects("undone"), await site.rows(run)
    run = await site.reset(run, ": charge_card ")
    await site.decide(run, "approve")  # a parcel and a letter, for a charge that went back
    assert await site.end(run) == "RunUnwound"
    kinds = await site.kinds("undone")
    assert not {"parcel.send", "mail.send"} & kinds.keys()
    assert (await site.effects("undone"))[: len(made)] == made
    await site.check(run, earlier=earlier)


async def _sent(run):
    """What went to the tools worker."""
    asked = [each.activity_task_scheduled_event_attributes for each in (await run.fetch_history()).events]
    return [json.loads(each.input.payloads[0].data) for each in asked if each.task_queue.name == TOOLS_QUEUE]
