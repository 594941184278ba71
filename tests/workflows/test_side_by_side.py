"""Calls of one answer that run side by side, where their tools say so: all are heard before anything is decided."""

from dataclasses import replace

import pytest
from temporalio.api.enums.v1 import EventType

from saga.registry import Registry
from saga.tool import Tool
from tests.lab import fast, laboratory
from tests.workflows.plan import draft, draft_ticket, goods, hold
from tests.workflows.sight import activities, events, needs, started, statuses, world
from workers.composition import registry as whole_registry

NEUTRAL = {"mail.draft undone", "charge.authorise undone"}
FREE = ("draft_email", "stage_ticket", "authorise_payment", "reship")


@pytest.fixture
async def lab(tmp_path, plans):
    """The refund agent, whose staging tools say that they are independent of each other."""
    whole = whole_registry(fast("http://nowhere.test"))
    tools = [
        replace(tool, independent=True) if isinstance(tool, Tool) and tool.name in FREE else tool
        for tool in whole.tools.values()
    ]
    registry = Registry(tools=tools, counters=whole.counters.values(), agents=whole.agents.values())
    async with laboratory(tmp_path, registry, plans.model_of) as made:
        yield made


async def begun_together(run, count):
    """Fails where so many calls were not all given out, under their numbers in order, before the first had ended."""
    rows = (await run.query("saga_log"))[:count]
    assert [row["step_idx"] for row in rows] == list(range(count))
    assert len({row["created_at"] for row in rows}) == 1
    told = await events(run)
    given = [each.event_id for each in told if started(each).startswith("perform")][:count]
    ended = [each.event_id for each in told if each.event_type == EventType.EVENT_TYPE_ACTIVITY_TASK_COMPLETED]
    assert len(given) == count
    assert not [each for each in ended if given[0] < each < given[-1]]


async def test_they_get_their_numbers_together_in_the_order_given_and_are_all_committed(lab, plans):
    await lab.fault("mail", "draft", "after:slow:0.3")
    run = await lab.start("run-1", plans.make([draft(), draft_ticket(), hold(), goods()]))
    await lab.decide(run, "approve")
    assert await lab.end(run) == "COMMITTED"
    await begun_together(run, 4)
    rows = await lab.check(run)
    assert [row["tool"] for row in rows[:4]] == list(FREE)
    assert len(await world(lab)) == 8


async def test_one_is_refused_and_the_others_are_let_end_before_they_are_undone(lab, plans):
    """T4."""
    await lab.fault("warehouse", "reserve", "refuse:409")
    await lab.fault("payments", "authorise", "after:slow:0.6")
    run = await lab.start("run-1", plans.make([draft(), hold(), goods()]))
    assert await lab.end(run) == "RunUnwound"
    assert {each for each in await world(lab) if each.endswith("undone")} == NEUTRAL
    await begun_together(run, 3)
    rows = await lab.check(run)
    assert statuses(rows)[:3] == ["draft_email COMPENSATED", "authorise_payment COMPENSATED", "reship FAILED"]
    undone = [row["compensation"] for row in rows[:2]]
    assert [undo["status"] for undo in undone] == ["CONFIRMED"] * 2


async def test_one_is_refused_while_another_is_unknown_and_nothing_is_undone_before_that_is_found_out(lab, plans):
    """T4."""
    await lab.fault("warehouse", "reserve", "refuse:409")
    await lab.fault("tickets", "create", "after:504")
    await lab.fault("tickets", "search", "before:503", skip=1, times=5)
    run = await lab.start("run-1", plans.make([draft(), draft_ticket(), goods()]))
    assert await lab.end(run) == "RunUnwound"
    names = await activities(run)
    assert names.index("Reconcile stage_ticket") < names.index("compensate delete_draft")
    undone = [each for each in await world(lab) if each.endswith("undone")]
    assert sorted(undone) == ["mail.draft undone", "ticket.create undone"]
    rows = await lab.check(run)
    assert rows[1]["how"] == "found by lookup"


async def test_one_needs_a_person_while_the_others_go_on(lab, plans):
    await lab.fault("tickets", "create", "after:504")
    await lab.fault("tickets", "search", "before:503", skip=1, times=999)
    run = await lab.start("run-1", plans.make([draft_ticket(), hold()]))
    await needs(lab, run, "unknown")
    assert "authorise_payment CONFIRMED" in statuses(await lab.rows(run))
    await lab.mend()
    await run.execute_update("retry_step", {"step_idx": 0, "half": "call", "by": "bob"})
    await lab.decide(run, "approve")
    assert await lab.end(run) == "COMMITTED"
    await lab.check(run)


async def test_cancelled_while_all_are_under_way_all_are_heard_and_then_undone(lab, plans):
    """T1."""
    for system, operation in (("mail", "draft"), ("payments", "authorise"), ("warehouse", "reserve")):
        await lab.fault(system, operation, "after:slow:0.5")
    plan = plans.make([draft(), hold(), goods()])
    run = await lab.start("run-1", plan)
    await lab.until(run, lambda status: status["phase"] == "STAGING")
    while len(await lab.effects()) < 3:
        await lab.env.sleep(0)
    await run.cancel()
    assert await lab.end(run) == "Cancelled"
    undone = {each for each in await world(lab) if each.endswith("undone")}
    assert undone == {*NEUTRAL, "goods.reserve undone"}
    assert len(plans[plan].asked) == 1
    await lab.check(run)


async def test_two_calls_of_one_tool_do_not_run_side_by_side(lab, plans):
    run = await lab.start("run-1", plans.make([hold(), hold(700), draft()]))
    await lab.decide(run, "approve")
    assert await lab.end(run) == "COMMITTED"
    assert await world(lab, kind="charge.authorise") == ["charge.authorise standing"]
    assert len((await lab.check(run))[0]["repeats"]) == 1
