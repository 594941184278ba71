"""Whose a request is, told in the ways of each wire."""

import pytest

from workers.sandbox.stamp import Stamp, hashed, stamp_of

KEY = "a" * 32


@pytest.mark.parametrize(
    ("content_type", "form", "body", "expected"),
    [
        ("application/x-www-form-urlencoded", {"metadata": {"saga_key": "k", "saga_run": "r"}}, None, ("k", "r", None)),
        ("application/json", {}, {"saga_key": "k", "saga_run": "r", "saga_execution": "e"}, ("k", "r", "e")),
        ("application/json", {}, {"headers": {"X-Saga-Key": "k", "X-Saga-Run": "r"}}, ("k", "r", None)),
        (
            "application/json",
            {},
            {"fields": {"summary": f"closes saga-{'b' * 32}", "labels": [f"saga-{KEY}:2", "saga-run-0123456789ab"]}},
            (f"{KEY}:2", "0123456789ab", None),
        ),
        (
            "application/json",
            {},
            {"update": {"comment": [{"add": {"body": f"undone, saga-{KEY}."}}]}},
            (KEY, None, None),
        ),
        ("application/json", {}, ["no", "saga"], ("header", None, None)),
        ("text/plain", {}, None, ("header", None, None)),
    ],
)
def test_a_request_says_whose_it_is(content_type, form, body, expected):
    stamp = stamp_of({"Idempotency-Key": "header"}, content_type, lambda: form, lambda: body)
    assert (stamp.key, stamp.run, stamp.execution) == expected


def test_a_run_is_known_by_its_id_and_by_jiras_hash():
    assert Stamp(run="refund-1182").is_run("refund-1182")
    assert Stamp(run=hashed("refund-1182")).is_run("refund-1182")
    assert not Stamp().is_run("refund-1182")
