"""What a tool's functions are handed, and how long absence proves nothing."""

import pytest

from saga.tool import Call, NoArgs, Tags, Upstream, clock_s
from tests.build import EXECUTION, RUN, make_counter, make_tool


def call(*upstream: Upstream) -> Call[NoArgs]:
    tags = Tags(key="k" * 32, run_id=RUN, step_idx=1, execution=EXECUTION)
    return Call(args=NoArgs(), tags=tags, since=0.0, upstream=upstream)


def test_a_half_knows_its_own_key():
    assert call().key == "k" * 32


def test_an_earlier_step_is_found_by_its_key_and_a_key_of_no_step_is_nobody():
    made = call(Upstream(tool="put_box", key="a", external_ref="box-1"))
    assert made.ref_of("a") == "box-1"
    assert made.ref_of("b") is None


@pytest.mark.parametrize("make", [make_tool, make_counter])
def test_absence_proves_nothing_while_a_request_may_live_or_a_list_may_lag(make):
    """T3."""
    short, long = make(index_lag_s=0.0), make(index_lag_s=600.0)
    assert clock_s(short) >= short.pace.request_s
    assert clock_s(long) - clock_s(short) == 600


@pytest.mark.parametrize("make", [make_tool, make_counter])
def test_absence_proves_nothing_while_the_attempt_that_fell_silent_may_still_send(make):
    """T3."""
    half = make(index_lag_s=0.0)
    assert clock_s(half) >= half.pace.attempt_s
