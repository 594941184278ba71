"""Each law is broken on purpose in a copy of the project, and a test that judges the world must see it.

A test that stays green while its law is broken is no test of it. That the named tests are green otherwise is what the
rest of the suite shows: they are part of it, and the copy has the same files and runs on the same interpreter.
"""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.breakage import Breakage, Edit
from tests.breakages import BREAKAGES
from tests.source import ROOMS, ROOT

# An interpreter, the imports and one laboratory: 6 s where nothing else runs. A test below that runs out of its own
# time has shown nothing, so it gets five times what the suite gives it, and that fits in here.
pytestmark = pytest.mark.timeout(400)
LIMIT = "--timeout=300"


@pytest.fixture(scope="module")
def copy(tmp_path_factory) -> Path:
    """The project in a folder of its own, once for each process that runs tests."""
    root = tmp_path_factory.mktemp("project")
    for room in (*ROOMS, "tests"):
        shutil.copytree(ROOT / room, root / room, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy2(ROOT / "pyproject.toml", root)
    return root


@contextmanager
def broken(root: Path, edits: tuple[Edit, ...]) -> Generator[None]:
    """The files with these edits, for as long as it lasts; fails where an old text is not there exactly once."""
    whole = {edit.file: (root / edit.file).read_text("utf-8") for edit in edits}
    text = dict(whole)
    for edit in edits:
        found = text[edit.file].count(edit.old)
        assert found == 1, f"stale: {edit.file} has {found} times {edit.old!r}"
        text[edit.file] = text[edit.file].replace(edit.old, edit.new)
    try:
        _write(root, text)
        yield
    finally:
        _write(root, whole)


def judged(root: Path, *tests: str) -> tuple[int, str]:
    """The exit code of pytest and what it said, of these tests on the project at `root`."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:xdist", "-p", "no:cacheprovider", LIMIT, *tests]
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    with subprocess.Popen(
        command,
        cwd=root,
        env={**own, "PYTHONPATH": str(root)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        process_group=0,
    ) as process:
        try:
            said, _ = process.communicate()
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)  # the servers that it started too
            raise
    return process.returncode, said


def unseen(code: int, said: str, test: str) -> str | None:
    """Why this is not `test` failing by what it asserts; None where it is."""
    if code != 1:
        return "it passed" if code == 0 else f"pytest itself ended with {code}"
    if not any(line.startswith(f"FAILED {test}") for line in said.splitlines()):
        return "it did not come to fail"
    return "it ran out of time" if "from pytest-timeout" in said else None


def _write(root: Path, text: dict[str, str]) -> None:
    for file, each in text.items():
        (root / file).write_text(each, "utf-8")


@pytest.mark.parametrize("breakage", BREAKAGES, ids=lambda breakage: breakage.name)
def test_a_broken_law_is_seen(copy: Path, breakage: Breakage):
    with broken(copy, breakage.edits):
        code, said = judged(copy, breakage.seen_by)
    why = unseen(code, said, breakage.seen_by)
    assert why is None, f"{breakage.law}\n{breakage.seen_by}: {why}\n{said[-4000:]}"


def test_in_the_copy_as_it_is_nothing_is_seen(copy: Path):
    """Else each breakage would seem to be seen. One with a laboratory and one without stand for all."""
    tests = [BREAKAGES[0].seen_by, next(each.seen_by for each in BREAKAGES if "histories" in each.seen_by)]
    code, said = judged(copy, *tests)
    assert [unseen(code, said, test) for test in tests] == ["it passed"] * 2, said


def test_a_breakage_whose_text_is_gone_or_doubled_is_an_error(tmp_path: Path):
    (tmp_path / "law.py").write_text("one\ntwo\ntwo\n")
    for gone in ("three", "two"):
        with pytest.raises(AssertionError, match=r"stale: law\.py has"), broken(tmp_path, (Edit("law.py", gone, ""),)):
            pass
    with broken(tmp_path, (Edit("law.py", "one", "none"), Edit("law.py", "none\n", ""))):
        assert (tmp_path / "law.py").read_text() == "two\ntwo\n"
    assert (tmp_path / "law.py").read_text() == "one\ntwo\ntwo\n"


@pytest.mark.parametrize(
    ("code", "said", "why"),
    [
        (1, "FAILED a.py::b - assert 1 == 2", None),
        (0, "1 passed", "it passed"),
        (1, "ERROR a.py::b - no server", "it did not come to fail"),
        (1, "FAILED a.py::c - assert 1 == 2", "it did not come to fail"),
        (1, "FAILED a.py::b - Failed: Timeout (>120.0s) from pytest-timeout.", "it ran out of time"),
        (2, "ERROR a.py - SyntaxError", "pytest itself ended with 2"),
        (4, "ERROR: not found: a.py::b", "pytest itself ended with 4"),
    ],
)
def test_only_a_test_that_fails_by_what_it_asserts_has_seen_it(code: int, said: str, why: str | None):
    assert unseen(code, said, "a.py::b") == why
