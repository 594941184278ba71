"""The demo, with real processes: it ends with a right world, says so last, and leaves nothing running."""

from __future__ import annotations

import importlib
import os
import pkgutil
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.source import ROOT
from tests.workers.endings import Committed, Unwound
from workers.demo import PLAYED, STORIES, on_free_ports, remembered, verdict
from workers.performance import Played, in_order
from workers.settings import Settings
from workers.stories.plot import Plot

ZEROS = (
    "scoreboard: duplicates=0 lost=0 orphans=0 wrongly_undone=0 wrong_clean=0 "
    "irreversible_before_pivot=0 wrong_apologies=0"
)


@pytest.fixture
def running(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """The demo as somebody starts it, on a state of its own."""
    environment = {**os.environ, "SAGA_STATE_DIR": str(tmp_path / "state"), "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(
        [sys.executable, "-m", "workers.demo"],
        cwd=ROOT,
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    with process:
        yield process
        if process.poll() is None:
            process.send_signal(signal.SIGINT)


def lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def pids(said: str) -> set[int]:
    """Of every process that it told of: the five it began with, and the ones it killed and started."""
    return {int(pid) for pid in re.findall(r"pid (\d+)", said)}


# A minute and a half on a quiet machine; two of these processes may share two cores with another test's.
@pytest.mark.timeout(280)
def test_the_demo_ends_with_a_right_world_and_leaves_nothing_running(running, tmp_path):
    said, _ = running.communicate()
    assert running.returncode == 0, said
    assert said.splitlines()[-1] == ZEROS
    for told in ("sent 2 times under one key", "found by lookup", "approves digest", "rejects digest", "1 request"):
        assert told in said
    assert len(pids(said)) == 5 + 2
    assert not any(lives(pid) for pid in pids(said))
    assert list(remembered(tmp_path / "state").values()) == [plot.title for plot in STORIES]


@pytest.mark.timeout(120)  # starts all of it, which takes ten seconds on a busy machine, and stops it
def test_ctrl_c_in_the_middle_leaves_nothing_running(running):
    said = ""
    for line in running.stdout:
        said += line
        if "SIGKILL to" in line:
            break
    running.send_signal(signal.SIGINT)
    rest, _ = running.communicate()
    assert running.returncode == 130, said + rest
    assert "scoreboard" not in rest
    end = time.monotonic() + 5
    while any(lives(pid) for pid in pids(said + rest)) and time.monotonic() < end:
        time.sleep(0.1)
    assert not any(lives(pid) for pid in pids(said + rest))


def played(world: Unwound, *wrong: str) -> Played:
    return Played(plot=STORIES[0], end=world.end(), wrong=wrong)


def test_a_right_world_is_exit_0_and_the_scoreboard_is_the_last_line():
    world, lines = Committed(), list[str]()
    assert verdict([played(world)], world.board(), 1.0, lines.append) == 0
    assert lines[-1] == ZEROS


def test_a_wrong_world_is_exit_1_and_says_what():
    world, lines = Committed(), list[str]()
    del world.effects[1], world.rows[1]
    assert verdict([played(world)], world.board(), 1.0, lines.append) == 1
    assert "lost=1" in lines[-1]
    assert any(line.startswith("lost, run a-run: there should be a charge.capture of 500 eur") for line in lines)


def test_a_story_that_went_another_way_is_exit_1_even_where_the_world_is_right():
    world, lines = Committed(), list[str]()
    assert verdict([played(world, "it was not replayed")], world.board(), 1.0, lines.append) == 1
    assert lines[-1] == ZEROS
    assert any("it was not replayed" in line for line in lines)


def test_ports_are_free_ones_unless_somebody_set_them(monkeypatch):
    for name in ("SAGA_TEMPORAL_PORT", "SAGA_UI_PORT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SAGA_SANDBOX_PORT", "18470")
    config = on_free_ports(Settings())
    assert (config.temporal_port, config.ui_port, config.sandbox_port) == (0, 0, 18470)


def test_every_story_is_played():
    folder = importlib.import_module("workers.stories").__path__
    modules = [importlib.import_module(each.name) for each in pkgutil.iter_modules(folder, "workers.stories.")]
    plots = [value for module in modules for value in vars(module).values() if isinstance(value, Plot)]
    assert {plot.name for plot in plots} == {plot.name for plot in STORIES}


def test_the_order_of_a_story_is_that_of_the_world():
    effects = Committed().effects
    assert in_order(("mail.send", "charge.capture"), effects[::-1]) == ("charge.capture", "mail.send")


def test_a_state_without_a_demo_remembers_none(tmp_path):
    assert remembered(tmp_path) == {}
    (tmp_path / PLAYED).write_text("not JSON", "utf-8")
    assert remembered(tmp_path) == {}
