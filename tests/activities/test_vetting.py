"""What the harness makes of one call that a model wrote: a draft with its facts, a read, a person, or a no."""

from typing import Any

import pytest

from activities.vetting import ARGS_LIMIT, CALLS_PER_TURN, vet
from saga.agent import REVIEW_TOOL
from saga.draft import RULES, CounterCall, Draft, Owned
from saga.keys import OPEN_KEY
from saga.turn import DraftItem, Item, NoItem, ProposedCall, ReadItem, ReviewItem
from tests.activities.offer import AGENT, REGISTRY


def vetted(tool: str, args: Any, position: int = 0) -> Item:
    return vet(REGISTRY, AGENT, ProposedCall(call_id="c1", tool=tool, args=args), position)


def draft(tool: str, args: Any) -> Draft:
    item = vetted(tool, args)
    assert isinstance(item, DraftItem), item
    return item.draft


def no(tool: str, args: Any, position: int = 0) -> tuple[str, str, str]:
    """(outcome, code, message) of a call that is not dispatched."""
    item = vetted(tool, args, position)
    assert isinstance(item, NoItem), item
    assert item.call_id == "c1"
    return item.outcome, item.error.code, item.error.message


# What fits


def test_a_call_with_effects_comes_out_with_its_tools_facts_on_it():
    made = draft("put_box", {"shelf": "A1", "words": "fragile"})
    assert (made.tool, made.tool_class, made.target) == ("put_box", "compensatable", "shelf A1")
    assert made.args == {"shelf": "A1", "words": "fragile", "cents": 100}
    assert (made.audience, made.another, made.facts.grade) == (("agent",), False, "key_and_lookup")
    assert made.facts.handling.system == "shelf"
    assert made.facts.undo


def test_steps_that_the_model_names_go_with_the_call_and_are_no_argument_of_the_tool():
    made = draft("put_box", {"shelf": "A1", "depends_on": [3, 0, 3]})
    assert (made.depends_on, "depends_on" in made.args) == ((0, 3), False)
    assert draft("put_box", {"shelf": "A1"}).depends_on == ()


@pytest.mark.parametrize("named", [0, "all", None, {"0": 1}, ["0"], [True], [1.0], [-1], [10**30], [[0]], [None]])
def test_steps_that_are_no_list_of_indices_are_invalid(named):
    outcome, code, message = no("put_box", {"shelf": "A1", "depends_on": named})
    assert (outcome, code) == ("invalid", "arguments")
    assert message.startswith("depends_on")


def test_what_must_be_this_runs_own_travels_with_its_argument_and_the_tool_that_makes_it():
    assert draft("keep_box", {"shelf": "A1", "words": "box-7"}).owned == (
        Owned(argument="words", ref="box-7", tool="put_box"),
        Owned(argument="shelf", ref="A1"),
    )
    assert draft("put_box", {"shelf": "A1"}).owned == ()


def test_names_gates_and_checks_travel_as_facts():
    facts = draft("keep_box", {"shelf": "A1", "words": "box-7"}).facts
    assert (facts.names, facts.points_at, facts.checked) == (("shelf:A1",), ("words:box-7",), True)
    assert (facts.at_once, facts.gate, facts.rules) == (False, "", RULES)
    burnt = draft("burn_box", {"shelf": "A1"})
    assert (burnt.facts.gate, burnt.facts.checked, burnt.gated) == ("a fire each time", False, False)


def test_the_counter_action_is_built_for_these_arguments_and_its_key_left_open():
    made = draft("put_box", {"shelf": "A1"})
    assert made.compensation == CounterCall(tool="take_box", args={"box_key": OPEN_KEY})


def test_the_commit_half_travels_complete_with_the_staged_key_left_open():
    commits = draft("put_box", {"shelf": "A1", "words": "fragile"}).facts.commits
    assert commits
    assert (commits.tool, commits.args) == ("ship_box", {"box_key": OPEN_KEY, "words": "fragile"})
    assert commits.facts.refusable
    assert commits.compensation


def test_the_same_intent_in_other_words_has_the_same_identity_and_another_shelf_another():
    """T17."""
    one, same, other = (
        draft("put_box", args).facts.identity
        for args in (
            {"shelf": "A1", "words": "please"},
            {"words": "", "cents": 7, "shelf": "A1"},
            {"shelf": "A2"},
        )
    )
    assert one == same != other


def test_a_tool_without_an_identity_gives_none():
    assert draft("buy_box", {"amount_minor": 500}).facts.identity is None


def test_references_to_earlier_effects_are_noted():
    assert draft("put_box", {"shelf": "A1", "words": "box-7"}).references == ("box-7",)
    assert draft("put_box", {"shelf": "A1"}).references == ()


def test_what_a_call_costs_travels_with_it():
    assert str(draft("buy_box", {"amount_minor": 500}).facts.cost) == "5.00 EUR"


def test_an_irreversible_call_carries_its_correction_or_waits_at_its_gate():
    shout, burn = draft("shout", {"shelf": "A1"}), draft("burn_box", {"shelf": "A1"})
    assert (shout.compensation, burn.compensation, burn.correction) == (None, None, None)
    assert shout.correction


@pytest.mark.parametrize(("tool", "quick"), [("count_boxes", True), ("weigh_box", False)])
def test_a_pure_call_is_quick_unless_it_needs_a_credential(tool, quick):
    item = vetted(tool, {"shelf": "A1"})
    assert isinstance(item, ReadItem)
    assert (item.tool, item.args["shelf"], item.quick) == (tool, "A1", quick)


@pytest.mark.parametrize("another", [True, False])
def test_another_is_heard_and_is_no_argument_of_the_tool(another):
    made = draft("put_box", {"shelf": "A1", "another": another})
    assert made.another is another
    assert "another" not in made.args


def test_arguments_that_come_as_json_text_are_read():
    assert draft("put_box", '{"shelf": "A1"}') == draft("put_box", {"shelf": "A1"})


def test_a_call_for_a_person_is_one_whatever_tools_there_are():
    item = vetted(REVIEW_TOOL, {"reason": "x" * 5000})
    assert isinstance(item, ReviewItem)
    assert item.reason == "x" * 1000


# What is not the model's to do


@pytest.mark.parametrize("tool", ["refund_everything", "", "PUT_BOX", "put_box ", "hide_box", "a" * 5000])
def test_a_tool_that_the_agent_does_not_have_is_denied_naming_those_it_has(tool):
    outcome, code, message = no(tool, {"shelf": "A1"})
    assert (outcome, code) == ("denied", "no_such_tool")
    assert "put_box" in message
    assert len(message) < 500


def test_a_counter_action_is_denied():
    assert no("take_box", {"box_key": "k"})[:2] == ("denied", "counter_action")


def test_a_commit_half_is_denied():
    assert no("ship_box", {"box_key": "k"})[:2] == ("denied", "commit_half")


def test_what_could_not_be_undone_with_these_arguments_is_denied():
    assert no("put_box", {"shelf": "Z"})[:2] == ("denied", "no_counter_action")


def test_what_nobody_could_put_right_with_these_arguments_is_denied():
    assert no("shout", {"shelf": "Z"})[:2] == ("denied", "no_correction")


def test_a_correction_that_does_not_take_these_arguments_is_denied():
    assert no("shout", {"shelf": "A1", "words": "marked"})[:2] == ("denied", "no_correction")


def test_a_counter_action_that_does_not_take_these_arguments_is_denied():
    outcome, code, message = no("put_box", {"shelf": "A1", "words": "marked"})
    assert (outcome, code) == ("denied", "no_counter_action")
    assert "take_box" in message


def test_more_than_a_tool_may_take_at_once_is_denied_in_a_persons_units():
    assert draft("buy_box", {"amount_minor": 10_000})
    outcome, code, message = no("buy_box", {"amount_minor": 10_001})
    assert (outcome, code) == ("denied", "over_limit")
    assert "100.00 EUR" in message


def test_a_limit_in_one_currency_does_not_let_another_through():
    """T38."""
    assert no("buy_box", {"amount_minor": 10_000, "currency": "usd"})[:2] == ("denied", "over_limit")


def test_of_two_hundred_calls_in_one_answer_those_beyond_the_limit_are_denied():
    """T18."""
    items = [vetted("put_box", {"shelf": "A1"}, position) for position in range(200)]
    assert [item.kind for item in items] == ["draft"] * CALLS_PER_TURN + ["no"] * (200 - CALLS_PER_TURN)
    assert no("put_box", {"shelf": "A1"}, 199)[:2] == ("denied", "too_many_calls")


# What does not fit


@pytest.mark.parametrize(
    ("args", "says"),
    [
        ("{broken", "not JSON"),
        ("", "not JSON"),
        ("shelf A1", "not JSON"),
        ('["A1"]', "one JSON object"),
        ("null", "one JSON object"),
        ([{"shelf": "A1"}], "one JSON object"),
        (None, "one JSON object"),
        (7, "one JSON object"),
        (True, "one JSON object"),
        ({}, "shelf"),
        ({"shelf": 7}, "shelf"),
        ({"shelf": None}, "shelf"),
        ({"shelf": "A1", "cents": "lots"}, "cents"),
        ({"shelf": "A1", "cents": 1000.0}, "cents"),
        ({"shelf": "A1", "cents": "500"}, "cents"),
        ({"shelf": "A1", "colour": "red"}, "colour"),
        ({"shelf": "A1", "idempotency_key": "k"}, "idempotency_key"),
        ({"shelf": "A1", "another": "yes"}, "another"),
        ({"shelf": "A1", "another": 1}, "another"),
        ({"shelf": "A1", "another": None}, "another"),
        ({"shelf": "A1", "words": "x" * 3_000_000}, "larger than"),
        ('{"shelf": "A1", "words": "' + "x" * 3_000_000 + '"}', "larger than"),
        ('{"shelf": ' + "1" * 5000 + "}", "not JSON"),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_arguments_that_do_not_fit_are_told_back_in_a_line(args, says):
    outcome, code, message = no("put_box", args)
    assert (outcome, code) == ("invalid", "arguments")
    assert says in message
    assert len(message) < 300


def test_arguments_of_the_largest_size_are_taken():
    """T32."""
    room = ARGS_LIMIT - len('{"shelf": "A1", "words": ""}')
    assert draft("put_box", {"shelf": "A1", "words": "x" * room})
    assert no("put_box", {"shelf": "A1", "words": "x" * (room + 1)})[0] == "invalid"


def test_the_answer_does_not_repeat_what_was_written():
    for args in ({"shelf": "4242 4242"}, {"shelf": "A1", "cents": "4242"}, '{"shelf": 4242'):
        assert "4242" not in no("put_box", args)[2]
