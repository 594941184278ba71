"""The keys are the contract's formulas, digit for digit: a key of yesterday must find yesterday's effect."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saga.keys import compensation_key, correction_key, run_tag, step_key

# Digests by sha256sum of the text beside them, first 32 hex digits.
LITERAL = [
    (step_key, ("run-1182", 0, "create_ticket"), "62f197931d5e20e59de2155dfb62096d", "run-1182:0:create_ticket"),
    (step_key, ("run-1182", 10, "create_ticket"), "f3daf6b2126010080a0d5b4fad6e85c3", "run-1182:10:create_ticket"),
    (step_key, ("a:b.c_d-e", 3, "charge_card"), "8cab03dfced8003e78959bfd5b9ca8b6", "a:b.c_d-e:3:charge_card"),
    (step_key, ("run-1182", 0, "create_ticket", 2), "8f95970c6ba95a6d965fa9c1a842a956", "run-1182:0:create_ticket:2"),
    (
        compensation_key,
        ("run-1182", 0, "create_ticket"),
        "10754ec50b4a4deec2ee358244383df1",
        "run-1182:0:compensate:create_ticket",
    ),
    (
        compensation_key,
        ("run-1182", 0, "create_ticket", 2),
        "c5abbbbc5292afe573725a252ece6043",
        "run-1182:0:compensate:create_ticket:2",
    ),
    (
        correction_key,
        ("run-1182", 0, "create_ticket"),
        "cf7addaaad2952bf1ca770e7037ede75",
        "run-1182:0:correct:create_ticket",
    ),
    (
        correction_key,
        ("run-1182", 0, "create_ticket", 3),
        "8b783953690605f3f0eeda4db8b60b2f",
        "run-1182:0:correct:create_ticket:3",
    ),
]

RUN_IDS = st.from_regex(r"[A-Za-z0-9._:-]{1,30}", fullmatch=True)
TOOLS = st.from_regex(r"[a-z_]{1,12}", fullmatch=True)
HALVES = st.sampled_from([step_key, compensation_key, correction_key])
STEPS = st.tuples(HALVES, RUN_IDS, st.integers(0, 500), TOOLS, st.integers(1, 9))


@pytest.mark.parametrize(("formula", "arguments", "digest", "text"), LITERAL, ids=[each[3] for each in LITERAL])
def test_a_key_is_the_digest_that_the_contract_says(formula, arguments, digest, text):
    """T33."""
    assert formula(*arguments) == digest


def test_the_first_try_adds_nothing_to_the_key():
    for formula in (step_key, compensation_key, correction_key):
        assert formula("run", 4, "reship", 1) == formula("run", 4, "reship")


@settings(deadline=None)
@given(STEPS)
def test_the_same_step_has_the_same_key_for_ever_and_it_is_32_hex_digits(step):
    formula, *arguments = step
    key = formula(*arguments)
    assert key == formula(*arguments)
    assert len(key) == 32
    assert set(key) <= set("0123456789abcdef")


@settings(deadline=None)
@given(STEPS, STEPS)
def test_no_two_halves_tries_steps_or_runs_share_a_key(one, other):
    assert (one[0](*one[1:]) == other[0](*other[1:])) == (one == other)


def test_a_run_tag_is_the_first_twelve_digits_of_its_ids_digest():
    assert run_tag("run-1182") == "c85678009f3d"
