"""Decisions: answered, refused, found again, or not to be told (T20, T42)."""

import asyncio
import time
import uuid

import pytest
from temporalio.worker import Worker

from saga.errors import BadInput
from tests.workers.rows import draft, later, log
from tests.workers.toy import QUEUE, Toy
from workers.decisions import episode, send, update_id
from workers.exits import AnswerIsNo, CannotTell


@pytest.fixture
async def handle(client):
    return await client.start_workflow("Toy", 0, id=f"toy-{uuid.uuid4()}", task_queue=QUEUE)


async def test_the_same_decision_asked_again_finds_the_first(client, handle):
    """T20."""
    async with Worker(client, task_queue=QUEUE, workflows=[Toy]):
        answers = [await send(handle, "decide", {"by": "ben"}, key="k") for _ in range(2)]
        await handle.result()
        # Also once the run is over.
        answers.append(await send(handle, "decide", {"by": "ben"}, key="k"))
    assert answers == [{"decided": 1, "by": "ben"}] * 3


async def test_a_refusal_is_the_runs_own_words(client, handle):
    async with Worker(client, task_queue=QUEUE, workflows=[Toy]):
        with pytest.raises(AnswerIsNo, match="digest: is not the digest of what stands now"):
            await send(handle, "decide", {"by": "ben", "digest": "stale"}, key="k")


async def test_a_closed_run_answers_clearly(client, handle):
    """T21."""
    async with Worker(client, task_queue=QUEUE, workflows=[Toy]):
        await send(handle, "decide", {"by": "ben"}, key="k")
        await handle.result()
    with pytest.raises(AnswerIsNo, match="has ended"):
        await send(handle, "decide", {"by": "eva"}, key="another")


async def test_an_unknown_run_is_bad_input(client):
    with pytest.raises(BadInput, match="knows no run nobody"):
        await send(client.get_workflow_handle("nobody"), "decide", {"by": "ben"}, key="k")


async def test_without_a_worker_nobody_can_tell_and_it_still_counts_later(client, handle, monkeypatch):
    """T42."""
    monkeypatch.setattr("workers.decisions.ANSWER_S", 1.0)
    began = time.monotonic()
    with pytest.raises(CannotTell, match="may still count"):
        await send(handle, "decide", {"by": "ben"}, key="k")
    assert time.monotonic() - began < 5
    async with Worker(client, task_queue=QUEUE, workflows=[Toy]), asyncio.timeout(20):
        assert await send(handle, "decide", {"by": "ben"}, key="k") == {"decided": 1, "by": "ben"}
        assert await handle.result() == "COMMITTED"


def test_an_id_is_of_run_digest_decision_and_person():
    one = update_id("run", "digest", "approve", "ben")
    assert one == update_id("run", "digest", "approve", "ben")
    others = [
        ("run", "digest", "approve", "eva"),
        ("run", "other", "approve", "ben"),
        ("x", "digest", "approve", "ben"),
    ]
    assert one not in {update_id(*other) for other in others}


def test_a_step_that_opens_again_may_be_decided_again():
    row = log().write(draft(), "INTENDED", later(0)).move("UNKNOWN", later(1))
    again = row.move("NOT_EXECUTED", later(2)).again(later(3)).move("UNKNOWN", later(4))
    assert episode(row, "call") != episode(again, "call")
    assert episode(row, "compensation") == episode(again, "compensation")
