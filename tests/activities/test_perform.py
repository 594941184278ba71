"""The door `perform`: the row's tool, the right provider, the key in the row and what stands upstream."""

from typing import Any

import pytest
from temporalio.testing import ActivityEnvironment

from activities.perform import Perform
from saga.doors import SendOrder
from saga.errors import BadInput
from saga.outcome import Receipt
from saga.tool import Call, Upstream
from tests.build import EXECUTION, RUN, START, at, make_registry, make_row, make_tool


class Witness:
    """A provider that remembers the call it was handed."""

    def __init__(self) -> None:
        self.calls: list[Call[Any]] = []

    async def perform(self, call: Call[Any]) -> Receipt:
        self.calls.append(call)
        return Receipt(external_ref="box-1")


async def handed(**changes: Any) -> Call[Any]:
    """The call that a tool's function sees for this row."""
    door = Perform(make_registry(), {"shelf": (witness := Witness())})
    upstream = (Upstream(tool="put_box", key="k0", external_ref="box-0"),)
    order = SendOrder(row=make_row(3, **changes), upstream=upstream, scheduled_in="test-run", since=at(-60))
    await ActivityEnvironment().run(door.perform, order)
    return witness.calls[0]


async def test_a_tool_is_handed_the_key_and_the_tags_of_its_row():
    call = await handed()
    assert call.key == make_row(3).idempotency_key
    assert (call.tags.run_id, call.tags.step_idx, call.tags.execution) == (RUN, 3, EXECUTION)


async def test_a_tool_is_handed_its_arguments_typed_and_frozen_as_they_were_written():
    """T22."""
    call = await handed()
    assert call.args.shelf == "A3"
    assert call.args.model_dump() == make_row(3).args


async def test_a_tool_can_ask_for_what_it_stands_on():
    call = await handed()
    assert (call.ref_of("k0"), call.ref_of("k9")) == ("box-0", None)


async def test_a_tool_is_told_since_when_there_can_be_anything_of_its_step():
    assert (await handed()).since == at(-60).timestamp()


async def test_each_tool_gets_the_provider_of_its_own_system():
    tools = [make_tool(), make_tool("paint_box", system="paint")]
    shelf, paint = Witness(), Witness()
    door = Perform(make_registry(*tools), {"shelf": shelf, "paint": paint})
    order = SendOrder(row=make_row(0, tool="paint_box"), scheduled_in="test-run", since=START)
    await ActivityEnvironment().run(door.perform, order)
    assert (len(shelf.calls), len(paint.calls)) == (0, 1)


async def test_a_row_of_a_tool_that_this_worker_does_not_have_sends_nothing():
    """T33."""
    door = Perform(make_registry(), {"shelf": (witness := Witness())})
    order = SendOrder(row=make_row(0, tool="burn_box"), scheduled_in="test-run", since=START)
    with pytest.raises(BadInput, match="burn_box is not a tool of this worker"):
        await ActivityEnvironment().run(door.perform, order)
    assert witness.calls == []
