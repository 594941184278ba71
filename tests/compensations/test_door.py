"""The door `compensate`: the counter-action's own tool, key and arguments, and never the forward ones."""

from typing import Any

import pytest
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from activities.sending import UNANSWERED
from compensations.door import Compensate
from saga.doors import SendOrder
from saga.errors import BadInput, Refused
from saga.outcome import Answer, Receipt
from saga.row import CounterAction, Row
from saga.tool import Call
from tests.build import START, at, make_counter, make_registry, make_row


class Taker:
    """A provider that remembers what it was asked to undo."""

    def __init__(self, error: BaseException | None = None, *, pending: bool = False) -> None:
        self.calls: list[Call[Any]] = []
        self._error, self._pending = error, pending

    async def perform(self, call: Call[Any]) -> Receipt:
        self.calls.append(call)
        if self._error is not None:
            raise self._error
        return Receipt(external_ref="taken-1", pending=self._pending)


def undoing(**changes: Any) -> Row:
    """A confirmed row whose counter-action was just asked for."""
    return make_row(2, "CONFIRMED", external_ref="box-7", result={"shelf": "A2"}, **changes).move_undo(
        "INTENDED", at(1)
    )


async def compensate(taker: Taker, row: Row) -> Answer:
    registry = make_registry(counters=[make_counter(), make_counter("burn_box", system="oven")])
    order = SendOrder(row=row, scheduled_in="test-run", since=START)
    return await ActivityEnvironment().run(Compensate(registry, {"shelf": taker, "oven": Taker()}).compensate, order)


async def test_the_counter_action_goes_under_its_own_key_and_points_at_the_forward_one():
    row = undoing()
    answer = await compensate(taker := Taker(), row)
    assert row.compensation
    assert (answer.kind, answer.attempts) == ("confirmed", 1)
    assert taker.calls[0].key == row.compensation.idempotency_key != row.idempotency_key
    assert taker.calls[0].args.box_key == row.idempotency_key


async def test_the_counter_action_knows_what_it_undoes():
    await compensate(taker := Taker(), undoing())
    assert (taker.calls[0].external_ref, taker.calls[0].result) == ("box-7", {"shelf": "A2"})


async def test_a_later_try_goes_under_the_later_key():
    row = undoing().move_undo("FAILED", at(2)).undo_again(at(3))
    await compensate(taker := Taker(), row)
    first = undoing().compensation
    assert first
    assert taker.calls[0].key != first.idempotency_key


async def test_accepted_and_not_yet_confirmed_is_said_to_be_pending():
    answer = await compensate(Taker(pending=True), undoing())
    assert answer.receipt
    assert answer.receipt.pending


async def test_a_refusal_to_undo_is_an_answer():
    answer = await compensate(Taker(Refused("it was moved", code="moved")), undoing())
    assert answer.error
    assert (answer.kind, answer.error.code) == ("refused", "moved")


async def test_a_step_without_a_counter_action_sends_nothing_and_is_not_asked_again():
    taker = Taker()
    with pytest.raises(ApplicationError) as caught:
        await compensate(taker, make_row(0, "CONFIRMED", undoable=False))
    assert (caught.value.type, caught.value.non_retryable, taker.calls) == (UNANSWERED, True, [])


async def test_a_counter_action_that_this_worker_does_not_have_sends_nothing():
    taker, row = Taker(), undoing()
    gone = CounterAction(tool="bury_box", args={}, idempotency_key="k", status="INTENDED")
    with pytest.raises(BadInput, match="bury_box is not a counter-action of this worker"):
        await compensate(taker, row.model_copy(update={"compensation": gone}))
    assert taker.calls == []


async def test_arguments_that_a_counter_action_no_longer_takes_are_a_no_with_nothing_sent():
    row = undoing()
    assert row.compensation
    old = row.compensation.model_copy(update={"args": {"box": "k"}})
    answer = await compensate(taker := Taker(), row.model_copy(update={"compensation": old}))
    assert answer.error
    assert (answer.kind, answer.error.code, taker.calls) == ("refused", "arguments_no_longer_fit", [])


async def test_each_counter_action_gets_the_provider_of_its_own_system():
    row = undoing()
    assert row.compensation
    burning = row.compensation.model_copy(update={"tool": "burn_box"})
    await compensate(taker := Taker(), row.model_copy(update={"compensation": burning}))
    assert taker.calls == []
