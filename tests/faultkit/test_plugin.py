"""The plugin, as somebody who installed the project uses it: one marker, and failures that say which law and why."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.source import ROOT

# Each starts a pytest of its own and two or three laboratories.
pytestmark = pytest.mark.timeout(180)

USE = """
import pytest
from tests.faultkit import notes

@pytest.mark.saga_faults(notes.{kit}, stations=1, only=lambda each: each.id == "caretaker/pin_note/{target}")
def test_my_tools(saga_cell):
    saga_cell.run()
"""


@pytest.fixture
def run(tmp_path):
    """Runs pytest on a test of that kit's target; answers its exit code and what it said."""

    def run(kit: str, target: str, *options: str) -> tuple[int, str]:
        (tmp_path / "test_mine.py").write_text(USE.format(kit=kit, target=target))
        (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --strict-markers\n")
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist", *options, str(tmp_path)]
        # Where CI is set, pytest repeats every failure whole in its summary.
        environment = {name: value for name, value in os.environ.items() if name not in {"CI", "BUILD_NUMBER"}}
        environment["PYTHONPATH"] = str(ROOT)
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, env=environment)
        return done.returncode, done.stdout

    return run


def test_a_tool_that_is_right_passes(run):
    code, said = run("good", "lookup-call/finish")
    assert code == 0, said
    assert "1 passed" in said


def test_a_lookup_that_takes_an_error_for_an_absence_fails_with_the_law_that_it_breaks(run):
    code, said = run("blind_eye", "lookup-call/finish")
    assert code == 1
    assert "caretaker/pin_note/lookup-call/finish/wire/before:503*@board.list" in said
    assert "was applied 2 times: [" in said


def test_one_cell_is_run_alone(run):
    cell = "caretaker/pin_note/lookup-call/finish/wire/before:503*@board.list"
    code, said = run("blind_eye", "lookup-call/finish", "--saga-cell", cell)
    assert code == 1
    assert said.count("  alone: pytest --saga-cell") == 1


def test_nothing_of_the_kit_is_loaded_where_no_test_asks_for_it():
    look = "import sys, workers.faultkit.plugin; print([n for n in sys.modules if n.startswith('temporalio')])"
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"
