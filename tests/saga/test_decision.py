"""What people type is taken exactly or not at all, and the answer names the field and what is allowed."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saga.decision import (
    NOTE_LIMIT,
    CancelOrder,
    LogQuery,
    PivotDecision,
    PivotSignal,
    Resolution,
    StepOrder,
    TranscriptQuery,
    parse,
)
from saga.errors import BadInput

DIGEST = "0123456789abcdef"
FITS: dict[Any, dict[str, Any]] = {
    PivotDecision: {"decision": "approve", "digest": DIGEST, "by": "bob", "note": "fine", "strike": [1]},
    PivotSignal: {"digest": DIGEST, "by": "bob", "note": "fine"},
    Resolution: {
        "step_idx": 1,
        "half": "call",
        "happened": True,
        "external_ref": "box-1",
        "by": "bob",
        "note": "I looked",
    },
    StepOrder: {"step_idx": 0, "half": "compensation", "by": "bob", "note": ""},
    CancelOrder: {"keep": True, "by": "bob", "note": "no longer wanted"},
    LogQuery: {"after": -1, "limit": 500},
    TranscriptQuery: {"upto": 3},
}
NEEDED = {
    PivotDecision: ("decision", "digest", "by"),
    PivotSignal: ("digest", "by"),
    Resolution: ("step_idx", "half", "happened", "by"),
    StepOrder: ("step_idx", "half", "by"),
    CancelOrder: ("by",),
    LogQuery: (),
    TranscriptQuery: (),
}
WRONG: dict[str, list[Any]] = {
    "decision": ["Approve", "yes", "", None, 1, ["approve"]],
    "digest": ["", "0123456789ABCDEF", DIGEST[:15], DIGEST + "0", DIGEST + "\n", None, 123, [DIGEST]],
    "by": ["", "  ", None, 7, ["bob"], "b" * 201],
    "note": [None, 7, ["x"], "n" * 10_240],
    "strike": [None, "1", 1, ["1"], [1.0], [True], [-1], {"0": 1}],
    "step_idx": ["1", 1.0, True, None, -1, [1], 1.5],
    "half": ["Call", "undo", "", None, 0],
    "happened": ["true", "yes", 1, 0, None],
    "external_ref": [7, "r" * 501, ["box-1"]],
    "keep": ["false", 0, 1, None],
    "after": ["-1", -2, None, True, 0.0],
    "limit": ["5", 0, 501, None, True],
    "upto": ["3", -1, True, 3.0],
}
MODELS = pytest.mark.parametrize("model", list(FITS), ids=lambda model: model.__name__)


@MODELS
def test_what_fits_is_taken_as_it_was_typed(model):
    assert parse(model, FITS[model]).model_dump(include=set(FITS[model])) == FITS[model]


@pytest.mark.parametrize(
    ("model", "field", "wrong"),
    [
        pytest.param(model, field, wrong, id=f"{model.__name__}.{field}={repr(wrong)[:24]}")
        for model, fits in FITS.items()
        for field in fits
        for wrong in WRONG[field]
    ],
)
def test_what_does_not_fit_is_refused_by_its_field_and_not_read_as_something_near(model, field, wrong):
    with pytest.raises(BadInput) as caught:
        parse(model, {**FITS[model], field: wrong})
    assert caught.value.field.split(".")[0] == field
    assert caught.value.problem


@MODELS
def test_a_field_that_nobody_knows_is_refused_by_name(model):
    with pytest.raises(BadInput, match="nots"):
        parse(model, {**FITS[model], "nots": "typo"})


@MODELS
def test_what_is_needed_and_missing_is_named(model):
    for field in NEEDED[model]:
        with pytest.raises(BadInput) as caught:
            parse(model, {name: value for name, value in FITS[model].items() if name != field})
        assert caught.value.field == field


@MODELS
def test_what_may_be_left_out_may_be_left_out(model):
    parse(model, {name: FITS[model][name] for name in NEEDED[model]})


@MODELS
@pytest.mark.parametrize("payload", [None, [], [{}], "approve", 1, True, 1.5, '{"by": "bob"}'], ids=repr)
def test_anything_but_one_json_object_is_refused_saying_what_is_expected(model, payload):
    with pytest.raises(BadInput, match="expected one JSON object"):
        parse(model, payload)


def test_a_note_of_the_longest_length_is_taken_and_one_character_more_is_not():
    """T32."""
    parse(CancelOrder, {"by": "bob", "note": "n" * NOTE_LIMIT})
    with pytest.raises(BadInput, match="note"):
        parse(CancelOrder, {"by": "bob", "note": "n" * (NOTE_LIMIT + 1)})


def test_the_refusal_does_not_repeat_what_was_typed():
    with pytest.raises(BadInput) as caught:
        parse(CancelOrder, {"by": "bob", "note": "secret-4242" * 1000})
    assert "4242" not in str(caught.value)
    assert len(str(caught.value)) < 200


def test_the_refusal_stays_short_whatever_was_typed():
    with pytest.raises(BadInput) as caught:
        parse(CancelOrder, {"by": "bob", "x" * 10_240: 1})
    assert len(str(caught.value)) < 500


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)


@settings(deadline=None)
@given(st.sampled_from(list(FITS)), JSON)
def test_no_json_whatsoever_does_anything_but_fit_or_be_refused(model, payload):
    try:
        assert isinstance(parse(model, payload), model)
    except BadInput as refused:
        assert str(refused)  # noqa: PT017 - either is fine, nothing else is


@settings(deadline=None)
@given(st.sampled_from(list(FITS)), st.data())
def test_one_field_of_any_other_kind_does_not_get_through(model, data):
    field = data.draw(st.sampled_from(list(FITS[model])))
    value = data.draw(JSON)
    try:
        taken = parse(model, {**FITS[model], field: value})
    except BadInput:
        return
    assert type(getattr(taken, field)) is type(value)
    assert getattr(taken, field) == value
