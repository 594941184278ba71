"""What one attempt leaves to the next in its heartbeat, and the pulse that carries it."""

import asyncio

import pytest

from activities.pulse import Trail
from activities.sending import NOT_SENT, UNANSWERED
from saga.errors import NotSent, Unanswered
from tests.activities.shelf import Life, Shelf

RESET, SHUT = Unanswered("connection reset"), NotSent("connection refused")


@pytest.mark.parametrize(
    "left", [[], [None], ["?"], [{"clean_upto": "lots"}], [[1, 2]], [{}], [{"attempt": 1}]], ids=repr
)
async def test_a_trail_that_nobody_can_read_means_that_something_may_have_been_sent(left):
    life = Life(shelf := Shelf())
    life.die()
    life.left = left
    shelf.strike(SHUT)
    assert (await life.silence()).type == UNANSWERED


async def test_a_trail_cannot_vouch_for_the_attempt_that_reads_it():
    life = Life(shelf := Shelf())
    life.die()
    life.left = [{"attempt": 1, "clean_upto": 99}]
    assert (await life.answer()).attempts == 1
    assert len(shelf.sent) == 1


async def test_an_attempt_tells_the_server_that_it_lives_and_what_came_before_it(monkeypatch):
    monkeypatch.setattr("activities.pulse.BEAT_S", 0.01)
    life = Life(shelf := Shelf())
    shelf.strike(SHUT)
    assert (await life.silence()).type == NOT_SENT
    assert Trail.model_validate(life.left[0]) == Trail(attempt=1, clean_upto=1)
    shelf.gate = asyncio.Event()
    shelf.strike(RESET, done=True)
    task = asyncio.create_task(life.unknown())
    await shelf.under_way.wait()
    await asyncio.sleep(0.1)
    shelf.gate.set()
    await task
    assert Trail.model_validate(life.left[0]) == Trail(attempt=2, clean_upto=1)


async def test_an_attempt_that_ends_before_its_first_beat_is_vouched_for_by_none():
    life = Life(shelf := Shelf())
    shelf.strike(SHUT)
    shelf.strike(RESET)
    shelf.strike(SHUT)
    assert (await life.silence()).type == NOT_SENT
    await life.unknown()
    assert Trail.model_validate(life.left[0]) == Trail(attempt=1, clean_upto=1)
    assert (await life.unknown()).details[0] == 2


async def test_the_pulse_goes_on_until_the_answer_is_there_and_no_longer(monkeypatch):
    monkeypatch.setattr("activities.pulse.BEAT_S", 0.01)
    life, beats = Life(Shelf()), list[object]()
    life.shelf.gate = asyncio.Event()
    task = asyncio.create_task(life.attempt())
    await life.shelf.under_way.wait()
    life.env.on_heartbeat = lambda *details: beats.append(details)
    life.env.cancel()
    await asyncio.sleep(0.2)
    under_way = len(beats)
    assert under_way >= 3
    life.shelf.gate.set()
    await task
    await asyncio.sleep(0.1)
    assert len(beats) <= under_way + 2
