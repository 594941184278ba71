"""Reading a run from its history: the run's own queries answer, as of the last workflow task."""

import asyncio
import uuid

import pytest
from temporalio.worker import Worker

from tests.workers.toy import QUEUE, TOOLS, OtherToy, Toy, step
from workers.exits import CannotTell
from workers.history import arrived_since, replayed


def questions(ask):
    return [row["status"] for row in ask("saga_log", {"after": -1})], ask("status")["phase"]


async def read(handle, workflows=(Toy,)):
    return await replayed(await handle.fetch_history(), questions, workflows=workflows)


async def arrived(handle):
    return arrived_since((await handle.fetch_history()).events)


async def begin(client, steps):
    return await client.start_workflow("Toy", steps, id=f"toy-{uuid.uuid4()}", task_queue=QUEUE)


async def until(condition, within_s=45.0):
    async with asyncio.timeout(within_s):
        while not await condition():
            await asyncio.sleep(0.05)


async def has_event(handle, sign):
    events = (await handle.fetch_history()).events
    return any(event.WhichOneof("attributes") == f"{sign}_event_attributes" for event in events)


async def test_a_waiting_run_is_read_as_it_waits(client):
    handle = await begin(client, 2)
    async with (
        Worker(client, task_queue=QUEUE, workflows=[Toy]),
        Worker(client, task_queue=TOOLS, activities=[step]),
    ):
        await until(lambda: waits(handle))
    assert await read(handle) == (["CONFIRMED", "CONFIRMED"], "AWAITING_APPROVAL")
    assert await arrived(handle) == []


async def waits(handle):
    return await handle.query("status") == {"phase": "AWAITING_APPROVAL"}


async def test_what_no_worker_has_taken_up_is_listed_and_not_guessed_at(client):
    handle = await begin(client, 2)
    async with Worker(client, task_queue=QUEUE, workflows=[Toy]):
        await until(lambda: has_event(handle, "activity_task_scheduled"))
    async with Worker(client, task_queue=TOOLS, activities=[step]):
        await until(lambda: has_event(handle, "activity_task_completed"))
    await handle.signal("approve_pivot", {"by": "ben"})
    # The second step has not begun: no worker has decided that it should.
    assert await read(handle) == (["INTENDED"], "STAGING")
    assert await arrived(handle) == ["an answer: step 0", "signal approve_pivot"]


async def test_a_run_that_no_worker_ever_saw_has_nothing_to_read(client):
    handle = await begin(client, 1)
    assert await read(handle) is None


async def test_a_closed_run_can_be_read(client):
    handle = await begin(client, 1)
    async with (
        Worker(client, task_queue=QUEUE, workflows=[Toy]),
        Worker(client, task_queue=TOOLS, activities=[step]),
    ):
        await until(lambda: waits(handle))
        await handle.execute_update("decide", {"by": "ben"})
        await handle.result()
    assert await read(handle) == (["CONFIRMED"], "COMMITTED")


async def test_a_terminated_run_is_read_as_it_was(client):
    """T5."""
    handle = await begin(client, 1)
    async with Worker(client, task_queue=QUEUE, workflows=[Toy]):
        await until(lambda: has_event(handle, "activity_task_scheduled"))
    await handle.terminate("enough")
    assert await read(handle) == (["INTENDED"], "STAGING")


async def test_a_cancel_that_was_only_requested_is_not_yet_one(client):
    handle = await begin(client, 1)
    async with Worker(client, task_queue=QUEUE, workflows=[Toy]):
        await until(lambda: has_event(handle, "activity_task_scheduled"))
    await handle.cancel()
    assert await read(handle) == (["INTENDED"], "STAGING")
    assert await arrived(handle) == ["a cancel"]


async def test_code_that_is_not_that_of_the_history_cannot_tell(client):
    handle = await begin(client, 1)
    async with Worker(client, task_queue=QUEUE, workflows=[Toy]):
        await until(lambda: has_event(handle, "activity_task_scheduled"))
    with pytest.raises(CannotTell, match="cannot be replayed"):
        await read(handle, workflows=(OtherToy,))


async def test_a_question_that_nobody_answers_is_heard_of(client):
    handle = await begin(client, 1)
    async with Worker(client, task_queue=QUEUE, workflows=[Toy]):
        await until(lambda: has_event(handle, "activity_task_scheduled"))
    with pytest.raises(LookupError, match="no_such_query"):
        await replayed(await handle.fetch_history(), lambda ask: ask("no_such_query"), workflows=(Toy,))
