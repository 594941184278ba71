"""Traps: `traps.toml` says which test shows each of the 42 mended, or what it waits for; here both are compared."""

import ast
import re
import tomllib
from collections.abc import Iterator, Mapping

import pytest

from tests.source import ROOT, assert_none, modules

Traps = Mapping[str, Mapping[str, Mapping[str, object]]]
"""Trap → `held`: part → tests, `waits`: part → for what; and `is`: the trap in a few words."""
Tests = Mapping[str, frozenset[str]]
"""Test, as its path below `tests` and its function → the traps that its name or docstring names."""

KNOWN = [f"T{number}" for number in range(1, 43)]
_NAMED = re.compile(r"(?<![A-Za-z0-9])[Tt](\d{1,2})(?![A-Za-z0-9])")
"""T7 in a text, t7 in a name."""


def traps() -> Traps:
    """The list."""
    return tomllib.loads((ROOT / "tests/traps.toml").read_text("utf-8"))


def suite() -> Tests:
    """Every test that can fail the build; one that is expected to fail shows nothing mended."""
    found: dict[str, frozenset[str]] = {}
    for path, tree in modules("tests"):
        for node in tree.body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
                name = f"{path.removeprefix('tests/')}::{node.name}"
                found[name] = frozenset() if _expected_to_fail(node) else frozenset(named(node))
    return found


def named(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """The traps that a function's name or docstring names."""
    words = f"{function.name.replace('_', ' ')} {ast.get_docstring(function) or ''}"
    return {f"T{number}" for number in _NAMED.findall(words)}


def _expected_to_fail(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(
        "mark.xfail" in ast.unparse(each) or "mark.skip" in ast.unparse(each) for each in function.decorator_list
    )


def incomplete(listed: Traps) -> Iterator[str]:
    """Traps that are missing or unknown, say nothing, or hold a part that waits as well."""
    yield from (f"{trap} is missing" for trap in KNOWN if trap not in listed)
    for trap, entry in listed.items():
        held, waits = entry.get("held", {}), entry.get("waits", {})
        if trap not in KNOWN:
            yield f"{trap}: there is no such trap"
        if not held and not waits:
            yield f"{trap} has neither a test nor anything that it waits for"
        yield from (f"{trap}, {part}: is held and waits" for part in held if part in waits)
        yield from (f"{trap}, {part}: no test" for part, nodes in held.items() if not nodes)
        yield from (f"{trap}, {part}: waits for nothing" for part, what in waits.items() if not what)


def unfounded(listed: Traps, known: Tests) -> Iterator[str]:
    """Listed tests that are not there, or do not name the trap."""
    for trap, test in _listed(listed):
        if test not in known:
            yield f"{trap}: there is no test {test}"
        elif trap not in known[test]:
            yield f"{trap}: {test} does not name it, or is expected to fail"


def unlisted(listed: Traps, known: Tests) -> Iterator[str]:
    """Tests that name a trap and are not listed with it."""
    pairs = set(_listed(listed))
    for test, names in known.items():
        yield from (
            f"{test} names {trap}, which does not list it" for trap in sorted(names) if (trap, test) not in pairs
        )


def _listed(listed: Traps) -> Iterator[tuple[str, str]]:
    for trap, entry in listed.items():
        for nodes in entry.get("held", {}).values():
            assert isinstance(nodes, list)
            yield from ((trap, test) for test in nodes)


def test_every_trap_has_a_test_or_what_it_waits_for():
    assert_none(incomplete(traps()))


def test_every_test_of_the_list_is_there_and_names_its_trap():
    assert_none(unfounded(traps(), suite()))


def test_every_test_that_names_a_trap_is_in_the_list():
    assert_none(unlisted(traps(), suite()))


WHOLE = {trap: {"held": {"all of it": ["a.py::test_a"]}} for trap in KNOWN}
NAMING = {"a.py::test_a": frozenset(KNOWN)}


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"T7": {}}, "T7 has neither a test nor anything that it waits for"),
        ({"T43": WHOLE["T1"]}, "T43: there is no such trap"),
        ({"T7": {"held": {"x": ["a.py::test_a"]}, "waits": {"x": "y"}}}, "T7, x: is held and waits"),
        ({"T7": {"held": {"x": []}}}, "T7, x: no test"),
        ({"T7": {"waits": {"x": ""}}}, "T7, x: waits for nothing"),
    ],
)
def test_what_is_incomplete_is_found(change, complaint):
    assert list(incomplete(WHOLE)) == []
    assert list(incomplete({**WHOLE, **change})) == [complaint]


def test_a_missing_trap_is_found():
    assert list(incomplete({trap: WHOLE[trap] for trap in KNOWN if trap != "T7"})) == ["T7 is missing"]


def test_what_is_unfounded_is_found():
    assert list(unfounded(WHOLE, NAMING)) == []
    gone = {**WHOLE, "T7": {"held": {"x": ["a.py::test_gone"]}}}
    assert list(unfounded(gone, NAMING)) == ["T7: there is no test a.py::test_gone"]
    silent = {"a.py::test_a": frozenset(KNOWN) - {"T7"}}
    assert list(unfounded(WHOLE, silent)) == ["T7: a.py::test_a does not name it, or is expected to fail"]


def test_what_is_unlisted_is_found():
    assert list(unlisted(WHOLE, NAMING)) == []
    more = {**NAMING, "b.py::test_b": frozenset({"T7"})}
    assert list(unlisted(WHOLE, more)) == ["b.py::test_b names T7, which does not list it"]


@pytest.mark.parametrize(
    ("source", "traps"),
    [
        ("def test_t7_t15_no(): pass", {"T7", "T15"}),
        ("def test_a():\n  'Twice (T7, T15).'", {"T7", "T15"}),
        ("def test_a():\n  'T7.'", {"T7"}),
        ("def test_a():\n  # T7\n  pass", set()),
        ("def test_at7_2t7(): pass", set()),
    ],
)
def test_a_trap_is_read_off_name_and_docstring(source, traps):
    function = ast.parse(source).body[0]
    assert isinstance(function, ast.FunctionDef)
    assert named(function) == traps


@pytest.mark.parametrize("mark", ["xfail(strict=True)", "skip", "skipif(True)"])
def test_a_test_that_is_expected_to_fail_shows_nothing(mark):
    function = ast.parse(f"@pytest.mark.{mark}\ndef test_t7(): pass").body[0]
    assert isinstance(function, ast.FunctionDef)
    assert _expected_to_fail(function)
