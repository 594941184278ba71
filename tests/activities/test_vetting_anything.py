"""Whatever a model writes, vetting answers: it never raises, never changes what was written, and fits into history."""

import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from activities.vetting import vet
from saga.agent import REVIEW_TOOL
from saga.turn import DraftItem, Item, NoItem, Proposed, ProposedCall
from tests.activities.offer import AGENT, REGISTRY
from tests.build import BoxArgs

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=15,
)
FIELDS = st.sampled_from(["shelf", "words", "cents", "another", "amount_minor", "currency", "reason", "box_key"])
NEAR = st.dictionaries(FIELDS, st.sampled_from(["A1", "Z", "{key}", "eur"]) | SCALARS, max_size=5)
TOOLS = st.sampled_from([*AGENT.tools, REVIEW_TOOL, "take_box", "ship_box", "hide_box"]) | st.text(max_size=20)


def vetted(tool: str, args: Any, position: int = 0) -> Item:
    return vet(REGISTRY, AGENT, ProposedCall(call_id="c", tool=tool, args=args), position)


@settings(deadline=None)
@given(TOOLS, JSON | NEAR | st.text(), st.integers(0, 300))
def test_anything_at_all_is_answered_and_fits_into_history(tool, args, position):
    """T18."""
    item = vetted(tool, args, position)
    assert item.call_id == "c"
    whole = Proposed(text="", items=(item,))
    assert Proposed.model_validate_json(whole.model_dump_json()) == whole


@settings(deadline=None)
@given(TOOLS, JSON | NEAR)
def test_the_same_arguments_as_json_text_come_to_the_same(tool, args):
    if isinstance(args, str):
        return
    assert vetted(tool, json.dumps(args)) == vetted(tool, json.loads(json.dumps(args)))


@settings(deadline=None)
@given(NEAR)
def test_what_is_let_through_fits_the_tool_exactly(args):
    item = vetted("put_box", dict(args))
    if isinstance(item, DraftItem):
        plain = {name: value for name, value in args.items() if name != "another"}
        assert item.draft.args == BoxArgs.model_validate(plain).model_dump(mode="json")
        assert item.draft.compensation
    else:
        assert isinstance(item, NoItem)


@settings(deadline=None)
@given(st.text())
def test_only_the_agents_own_tools_are_ever_let_through(tool):
    item = vetted(tool, {"shelf": "A1"})
    assert isinstance(item, NoItem) == (tool not in (*AGENT.tools, REVIEW_TOOL))


@settings(deadline=None)
@given(NEAR)
@example({"shelf": "A1", "another": True})
def test_what_the_model_wrote_is_left_as_it_wrote_it(args):
    call = ProposedCall(call_id="c", tool="put_box", args=dict(args))
    before = call.model_dump_json()
    vet(REGISTRY, AGENT, call, 0)
    assert call.model_dump_json() == before


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000], ids=["lists", "objects"])
def test_json_text_nested_beyond_reason_is_answered(text):
    assert isinstance(vetted("put_box", text), NoItem)


def test_a_field_with_half_a_character_in_its_name_is_answered():
    item = vetted("put_box", '{"shelf": "A1", "\\ud800": 1}')
    assert isinstance(item, NoItem)
    assert item.model_dump_json()


def test_a_field_with_an_endless_name_is_answered_in_a_line():
    item = vetted("put_box", {"shelf": "A1", "x" * 10_000: 1})
    assert isinstance(item, NoItem)
    assert len(item.error.message) < 500


@pytest.mark.parametrize(
    ("tool", "text"),
    [
        ("put_box", '{"shelf": "\\ud800"}'),
        ("put_box", '{"shelf": "A1", "words": "\\ud800"}'),
        (REVIEW_TOOL, '{"reason": "\\ud800"}'),
    ],
    ids=["shelf", "words", "reason"],
)
def test_half_a_character_in_a_value_is_answered(tool, text):
    assert vetted(tool, text).model_dump_json()


def test_words_that_look_like_an_open_key_do_not_turn_into_one():
    item = vetted("put_box", {"shelf": "A1", "words": "{key}"})
    if isinstance(item, NoItem):
        return
    assert isinstance(item, DraftItem)
    assert item.draft.facts.commits
    assert item.draft.facts.commits.keyed("f" * 32).args["words"] == "{key}"
