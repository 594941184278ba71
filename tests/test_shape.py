"""How long a file or a function may get, what it may not be called, and that it says what it is for."""

import ast
from collections.abc import Iterator, Mapping

import pytest

from tests.source import ROOMS, ROOT, assert_none, functions, modules

EVERYWHERE = (*ROOMS, "tests")

FILE_LINES = 250
FUNCTION_LINES = 40
# Debts: what is longer than that today, with its length. It may shrink, not grow; once paid, the line goes.
FILE_DEBTS: dict[str, int] = {
    "tests/sandbox/test_mail.py": 427,
    "tests/sandbox/test_tickets.py": 276,
    "tests/sandbox/test_warehouse.py": 311,
}
FUNCTION_DEBTS: dict[str, int] = {
    "tests/sandbox/test_tickets.py::test_a_ticket_is_created_found_read_edited_and_closed": 42,
}

NO_NOUNS = {"util", "utils", "helper", "helpers", "common", "base", "misc"}


def grown(sizes: Mapping[str, int], limit: int, debts: Mapping[str, int]) -> Iterator[str]:
    """What is longer than the limit, or than its debt says; and debts that no longer are any."""
    for name, size in sizes.items():
        if size > debts.get(name, limit):
            yield f"{name}: {size} lines, {debts.get(name, limit)} allowed"
    for name in debts:
        if sizes.get(name, 0) <= limit:
            yield f"{name}: paid, or gone; take it off the list"


def no_noun(path: str) -> Iterator[str]:
    for part in path.removesuffix(".py").split("/"):
        if part.strip("_") in NO_NOUNS:
            yield f"{path}: a file is one noun, and {part} is none"


def undocumented(path: str, tree: ast.Module) -> Iterator[str]:
    if tree.body and not ast.get_docstring(tree):
        yield f"{path} does not say what it is for"


def test_files_stay_short():
    lengths = {path: len((ROOT / path).read_text("utf-8").splitlines()) for path, _ in modules(*EVERYWHERE)}
    assert_none(grown(lengths, FILE_LINES, FILE_DEBTS))


def test_functions_stay_short():
    lengths = {name: size for path, tree in modules(*EVERYWHERE) for name, size in functions(path, tree)}
    assert_none(grown(lengths, FUNCTION_LINES, FUNCTION_DEBTS))


def test_a_file_is_named_by_a_noun():
    assert_none(complaint for path, _ in modules(*EVERYWHERE) for complaint in no_noun(path))


def test_a_file_says_what_it_is_for():
    assert_none(complaint for path, tree in modules(*EVERYWHERE) for complaint in undocumented(path, tree))


@pytest.mark.parametrize(
    ("sizes", "debts", "complaints"),
    [
        ({"a": 250}, {}, 0),
        ({"a": 251}, {}, 1),
        ({"a": 300}, {"a": 300}, 0),
        ({"a": 299}, {"a": 300}, 0),
        ({"a": 301}, {"a": 300}, 1),
        ({"a": 250}, {"a": 300}, 1),
        ({}, {"a": 300}, 1),
    ],
)
def test_a_debt_may_shrink_but_not_grow_and_goes_when_paid(sizes, debts, complaints):
    assert len(list(grown(sizes, 250, debts))) == complaints


def test_a_docstring_does_not_make_a_function_long():
    tree = ast.parse('class A:\n    def b(self):\n        """One.\n\n        Two.\n        """\n        return 1\n')
    assert dict(functions("a.py", tree)) == {"a.py::A.b": 2}


@pytest.mark.parametrize("path", ["activities/utils.py", "workers/_common/money.py", "tests/helpers.py"])
def test_a_name_that_is_no_noun_is_found(path):
    assert list(no_noun(path)) != []


def test_a_missing_docstring_is_found_but_an_empty_file_needs_none():
    assert list(undocumented("saga/keys.py", ast.parse("import hashlib"))) != []
    assert list(undocumented("saga/__init__.py", ast.parse(""))) == []
