"""A proposed call with its key left open, and who could have seen it."""

import pytest

from saga.draft import AUDIENCES, CounterCall, fill_key, reach
from saga.keys import OPEN_KEY
from saga.record import Json
from tests.build import make_draft

KEY = "f" * 32


def test_the_open_key_is_filled_in_wherever_it_stands():
    assert fill_key({"a": OPEN_KEY, "b": OPEN_KEY, "c": "d"}, KEY) == {"a": KEY, "b": KEY, "c": "d"}


@pytest.mark.parametrize("value", ["", "key", "{key", "see {key}", "{KEY}", 7, None, True, ["x"], {"y": "z"}])
def test_nothing_but_the_open_key_itself_is_filled_in(value):
    assert fill_key({"a": value}, KEY) == {"a": value}


def test_the_first_arguments_stay_as_they_were():
    args: Json = {"a": OPEN_KEY}
    fill_key(args, KEY)
    assert args == {"a": OPEN_KEY}


def test_a_counter_action_is_pointed_at_the_forward_key():
    call = CounterCall(tool="take_box", args={"box_key": OPEN_KEY, "why": "undone"})
    assert call.keyed(KEY).args == {"box_key": KEY, "why": "undone"}
    assert call.args["box_key"] == OPEN_KEY


def test_a_commit_half_is_pointed_at_the_staged_key_and_its_own_counter_action_stays_open():
    half = make_draft("ship_box", args={"box_key": OPEN_KEY})
    keyed = half.keyed(KEY)
    assert keyed.args == {"box_key": KEY}
    assert keyed.compensation
    assert keyed.compensation.args == {"box_key": OPEN_KEY}


def test_the_circles_of_people_grow_from_the_agent_to_the_public():
    assert [reach((each,)) for each in AUDIENCES] == [1, 2, 3, 4, 5, 6]
    assert AUDIENCES == ("agent", "support_team", "finance", "partner", "customer", "public")


def test_the_widest_circle_counts_and_nobody_is_the_smallest():
    assert reach(("agent", "customer", "finance")) == reach(("customer",))
    assert reach(()) == 0
