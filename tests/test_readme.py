"""The README holds what it says: the tests and files it names are there, and its table of grades is the code's."""

import re
from pathlib import Path

import pytest

from workers.composition import registry
from workers.settings import Settings

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()


@pytest.mark.parametrize("named", sorted(set(re.findall(r"(tests/[\w/]+\.py)::(\w+)", README))))
def test_every_test_it_names_is_there(named):
    path, test = named
    assert f"def {test}(" in (ROOT / path).read_text()


@pytest.mark.parametrize(
    "path", sorted(set(re.findall(r"`((?:saga|activities|compensations|workflows|workers)/[\w/.]*)`", README)))
)
def test_every_place_it_names_is_there(path):
    assert (ROOT / path).exists()


def test_it_names_every_command_of_the_makefile():
    for target in ("demo", "up", "test", "bench", "chaos"):
        assert f"make {target}" in README


def test_every_grade_that_a_tool_has_stands_in_its_table():
    grades = {tool.grade for tool in registry(Settings()).tools.values() if tool.tool_class != "pure"}
    for grade in grades:
        assert f"| `{grade}` |" in README
