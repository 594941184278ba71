"""Closing: what comes with the last answer, in the very workflow task that ends the run, is heard all the same."""

import asyncio

import pytest
from temporalio.api.enums.v1 import EventType

from tests.workflows.plan import hold
from tests.workflows.sight import events, world
from workflows.options import RUNS

DONE = EventType.EVENT_TYPE_ACTIVITY_TASK_COMPLETED
TAKEN = EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED
TASK = EventType.EVENT_TYPE_WORKFLOW_TASK_SCHEDULED


@pytest.fixture
def last_answer(lab, plans):
    """Starts a run that waits for nothing but the runs worker, to hear of its last commit and to close."""

    async def start():
        await lab.fault("payments", "capture", "after:slow:1")
        run = await lab.start("run-1", plans.make([hold()]))
        await lab.decide(run, "approve")
        while not await lab.effects(kind="charge.capture"):
            await asyncio.sleep(0.02)
        before = await count(run, DONE)
        await lab.end_work(RUNS)
        async with asyncio.timeout(30):
            while await count(run, DONE) == before:
                await asyncio.sleep(0.05)
        return run

    return start


async def count(run, kind):
    """How many events of that kind the history has."""
    return [event.event_type for event in await events(run)].count(kind)


async def closed_in_one_task(run, tasks):
    """Fails where the run needed another workflow task after that one: then the test would show nothing."""
    assert await count(run, TAKEN) == tasks + 1


async def test_an_update_that_comes_with_the_last_answer_is_answered_before_the_run_closes(lab, last_answer):
    """T30."""
    run = await last_answer()
    tasks = await count(run, TAKEN)
    asked = asyncio.create_task(run.execute_update("cancel_run", {"by": "bob", "note": "too late"}))
    await asyncio.sleep(0.1)  # it is on its way
    await lab.begin_work(RUNS)
    assert (await asked)["phase"] in ("COMMITTING", "COMMITTED")
    assert await lab.end(run) == "COMMITTED"
    await closed_in_one_task(run, tasks)
    assert await world(lab) == ["charge.authorise standing", "charge.capture standing"]
    await lab.check(run)


async def test_a_signal_that_comes_with_the_last_answer_is_written_down(lab, last_answer):
    """T30."""
    run = await last_answer()
    tasks = await count(run, TAKEN)
    await run.signal("reject_pivot", {"digest": "0123456789abcdef", "by": "bob"})
    await lab.begin_work(RUNS)
    assert await lab.end(run) == "COMMITTED"
    await closed_in_one_task(run, tasks)
    (refused,) = (await run.query("status"))["refused"]
    assert refused.startswith("signal reject_pivot: nothing awaits approval")
    assert await world(lab) == ["charge.authorise standing", "charge.capture standing"]
    await lab.check(run)
