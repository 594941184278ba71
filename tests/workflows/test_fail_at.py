"""A run that asks for faults: each strikes the half it names, and the world ends as if a provider had done it."""

from tests.workflows.plan import charge, goods, hold, ticket
from tests.workflows.sight import needs, statuses, world, writes


async def test_the_step_after_a_lost_answer_waits_until_it_is_found(faulty, plans):
    faults = [{"verb": "call", "tool": "create_ticket", "fault": "after"}]
    run = await faulty.start("run-1", plans.make([ticket(), charge()]), faults=faults)
    assert await faulty.end(run) == "COMMITTED"
    assert await writes(faulty) == ["tickets create", "payments capture"]
    row, _ = await faulty.check(run)
    assert (row["status"], row["how"], row["doubted"]) == ("CONFIRMED", "found by lookup", True)


async def test_the_step_that_is_named_fails_and_those_before_it_are_undone(faulty, plans):
    faults = [{"verb": "call", "step": 2, "fault": "refuse"}]
    run = await faulty.start("run-1", plans.make([ticket()], [charge()], [goods()]), faults=faults)
    assert await faulty.end(run) == "RunUnwound"
    assert [each for each in await world(faulty) if "standing" not in each] == [
        "ticket.create undone",
        "charge.capture undone",
    ]
    assert await faulty.calls(system="warehouse") == []
    assert statuses(await faulty.check(run))[2] == "reship FAILED"


async def test_an_undo_whose_answer_is_lost_is_one_undo(faulty, plans):
    faults = [
        {"verb": "call", "tool": "reship", "fault": "refuse"},
        {"verb": "compensation", "tool": "charge_card", "fault": "after"},
    ]
    run = await faulty.start("run-1", plans.make([charge(), goods()]), faults=faults)
    assert await faulty.end(run) == "RunUnwound"
    assert await world(faulty) == ["charge.capture undone", "charge.refund standing"]
    await faulty.check(run)


async def test_a_commit_half_is_struck_by_the_name_of_its_staged_half(faulty, plans):
    faults = [{"verb": "commit", "tool": "authorise_payment", "fault": "after"}]
    run = await faulty.start("run-1", plans.make([hold()]), faults=faults)
    await faulty.decide(run, "approve")
    assert await faulty.end(run) == "COMMITTED"
    assert await world(faulty, kind="charge.capture") == ["charge.capture standing"]
    assert (await faulty.check(run))[1]["attempts"] == 2


async def test_looks_that_are_down_call_a_person_and_conclude_nothing(faulty, plans):
    faults = [
        {"verb": "call", "tool": "create_ticket", "fault": "after"},
        {"verb": "lookup", "tool": "create_ticket", "fault": "down", "times": 1000},
    ]
    run = await faulty.start("run-1", plans.make([ticket()]), faults=faults)
    await needs(faulty, run, "unknown")
    assert await writes(faulty) == ["tickets create"]
    order = {"step_idx": 0, "half": "call", "happened": True, "external_ref": "SUP-1", "by": "bob"}
    await run.execute_update("resolve_step", order)
    assert await faulty.end(run) == "COMMITTED"
    await faulty.check(run)


async def test_a_plan_that_names_no_such_tool_ends_the_run_before_anything_is_asked(faulty, plans):
    faults = [{"verb": "call", "tool": "charge_crad", "fault": "after"}]
    run = await faulty.start("run-1", model := plans.make([ticket()]), faults=faults)
    assert await faulty.end(run) == "RunRefused"
    assert (await faulty.rows(run), plans[model].asked, await faulty.calls()) == ([], [], [])
