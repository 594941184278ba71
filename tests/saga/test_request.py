"""What starts a run: every field within its limits, typed exactly."""

import re
from typing import Any

import pytest

from saga.decision import parse
from saga.errors import BadInput
from saga.request import RUN_ID, Limits, RunRequest

FITS: dict[str, Any] = {"agent": "shelves", "request": {"shelf": "A1"}, "requested_by": "ann"}


def refused_field(**changes: Any) -> str:
    """The field that is named when these do not fit."""
    with pytest.raises(BadInput) as caught:
        parse(RunRequest, {**FITS, **changes})
    return caught.value.field


def test_a_request_needs_only_agent_request_and_who_asks():
    request = parse(RunRequest, FITS)
    assert (request.approvers, request.faults, request.limits.max_spend) == ([], [], None)
    for name in FITS:
        with pytest.raises(BadInput, match=name):
            parse(RunRequest, {each: value for each, value in FITS.items() if each != name})


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("agent", ""),
        ("agent", "a" * 101),
        ("agent", 1),
        ("request", "order 1182"),
        ("request", []),
        ("request", None),
        ("requested_by", ""),
        ("requested_by", "   "),
        ("requested_by", "a" * 201),
        ("model", ""),
        ("model", "m" * 201),
        ("model", None),
        ("approvers", "bob"),
        ("approvers", [""]),
        ("approvers", [7]),
        ("approval_timeout_s", 0),
        ("approval_timeout_s", 30 * 86_400 + 1),
        ("approval_timeout_s", "3600"),
        ("approval_timeout_s", 3600.0),
        ("approval_timeout_s", True),
        ("limits", None),
        ("limits", [50]),
        ("faults", {}),
    ],
    ids=lambda value: repr(value)[:24],
)
def test_a_field_that_does_not_fit_is_refused_by_name(field, wrong):
    assert refused_field(**{field: wrong}).split(".")[0] == field


@pytest.mark.parametrize("limit", ["max_steps", "max_model_calls"])
@pytest.mark.parametrize("wrong", [0, -1, 501, "50", 50.0, True, None], ids=repr)
def test_a_limit_is_a_whole_number_from_1_to_500(limit, wrong):
    assert refused_field(limits={limit: wrong}) == f"limits.{limit}"


@pytest.mark.parametrize("limit", ["max_steps", "max_model_calls"])
@pytest.mark.parametrize("right", [1, 500])
def test_the_ends_of_a_limit_are_within_it(limit, right):
    assert getattr(parse(RunRequest, {**FITS, "limits": {limit: right}}).limits, limit) == right


@pytest.mark.parametrize(
    "wrong",
    [
        4900,
        "49.00",
        {"amount_minor": 4900},
        {"amount_minor": "4900", "currency": "eur"},
        {"amount_minor": 49.5},
        {"amount_minor": 1, "currency": "eur", "cents": 0},
    ],
)
def test_a_limit_on_money_is_an_amount_with_its_currency(wrong):
    assert refused_field(limits={"max_spend": wrong}).startswith("limits.max_spend")


def test_a_limit_on_money_that_fits_is_kept_in_its_unit():
    limits = {"max_spend": {"amount_minor": 4900, "currency": "eur"}}
    spend = parse(RunRequest, {**FITS, "limits": limits}).limits.max_spend
    assert str(spend) == "49.00 EUR"


@pytest.mark.parametrize("extra", [{"modle": "x"}, {"limits": {"max_step": 1}}, {"execution": "x"}])
def test_a_field_that_nobody_knows_is_refused(extra):
    assert refused_field(**extra)


def test_a_run_has_limits_even_if_nobody_sets_any():
    assert (Limits().max_steps, Limits().max_model_calls) == (50, 60)


@pytest.mark.parametrize("run_id", ["r", "refund-1182", "A.b_c:d-9", "x" * 200])
def test_an_id_that_fits_into_labels_and_headers_is_taken(run_id):
    assert re.fullmatch(RUN_ID, run_id)


@pytest.mark.parametrize("run_id", ["", "x" * 201, "a b", "a/b", "a\n", "ä", 'a"b', "a%20b"])
def test_an_id_that_does_not_fit_is_not(run_id):
    assert not re.fullmatch(RUN_ID, run_id)
