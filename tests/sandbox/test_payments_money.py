"""Money of a charge under any order of refunds and failures: never more goes back than was taken."""

import tempfile
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from workers.sandbox import payments
from workers.sandbox.payments_error import Refusal
from workers.sandbox.payments_money import written
from workers.sandbox.payments_record import charge, refunds_of
from workers.sandbox.payments_refunds import fail, refund_charge
from workers.sandbox.stamp import Stamp
from workers.sandbox.world import World

REF, TAKEN = "ch_order_1182", 4900
STEPS = st.lists(st.one_of(st.none(), st.integers(1, 6000), st.just("fail")), max_size=8)


def found(world: World) -> Any:
    doc = charge(world, REF)
    assert doc is not None
    return doc


@settings(max_examples=30, deadline=None)  # each opens a file; what is slow is the disk, not the rule
@given(STEPS)
def test_what_is_left_is_what_was_taken_less_what_went_back(steps):
    with tempfile.TemporaryDirectory() as directory:
        world = World(directory)
        with world.transaction():
            payments.install(world)
            for step in steps:
                live = [doc for doc in refunds_of(world, REF) if doc["wire"]["status"] == "succeeded"]
                gone = sum(doc["wire"]["amount"] for doc in live)
                assert found(world)["wire"]["amount_refunded"] == gone <= TAKEN
                if step == "fail":
                    if live:
                        fail(world, live[-1])
                    continue
                fits = gone < TAKEN and (step or 1) <= TAKEN - gone
                try:
                    refund_charge(world, found(world), step, Stamp(), metadata={}, reason=None)
                except Refusal:
                    assert not fits
                else:
                    assert fits
        world.close()


def test_money_is_written_as_stripe_writes_it():
    assert [written(490000, code) for code in ("eur", "jpy", "sek")] == ["€4,900.00", "¥490,000", "4,900.00 SEK"]
