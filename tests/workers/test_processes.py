"""Processes: the pid is the program's own, TERM before KILL, nothing left over."""

import asyncio
import os
import subprocess
import sys
import time

import pytest

from workers.exits import CannotTell
from workers.processes import Process, python

OBEYS = "import signal, time; print('ready', flush=True); time.sleep(60)"
DEAF = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('ready', flush=True); time.sleep(60)"
WITH_CHILD = (
    "import subprocess, sys, time; child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']);"
    "print('ready', child.pid, flush=True); time.sleep(60)"
)


@pytest.fixture
def run(tmp_path):
    started: list[Process] = []

    def make(code: str, name: str = "part") -> Process:
        process = Process(name, [sys.executable, "-c", code], state_dir=tmp_path, environment=dict(os.environ))
        started.append(process)
        process.start()
        return process

    yield make
    for process in started:
        process.kill()


async def test_stopped_by_term(run):
    process = run(OBEYS)
    await process.says("ready", 10)
    process.stop()
    assert not process.running
    assert not list(process.log.parent.parent.glob("pids/*"))


async def test_killed_where_it_will_not_hear(run):
    process = run(DEAF)
    await process.says("ready", 10)
    began = time.monotonic()
    process.stop(grace_s=0.3)
    assert not process.running
    assert time.monotonic() - began < 5


async def test_a_kill_takes_its_children_too(run):
    process = run(WITH_CHILD)
    child = int((await process.says("ready", 10)).split()[1])
    process.kill()
    for _ in range(100):
        if not alive(child):
            break
        await asyncio.sleep(0.02)
    assert not alive(child)


async def test_started_again_it_says_only_what_is_new(run):
    process = run(OBEYS)
    await process.says("ready", 10)
    first = process.pid
    process.kill()
    process.start()
    await process.says("ready", 10)
    assert process.pid != first
    assert process.said().count("ready") == 1


async def test_one_that_ends_is_heard_at_once_with_its_last_words(run):
    process = run("raise SystemExit('no such setting')")
    with pytest.raises(CannotTell, match="part ended: no such setting"):
        await process.says("ready", 30)


async def test_one_that_stays_silent_is_not_waited_for_ever(run):
    with pytest.raises(CannotTell, match="was not ready within 0 s"):
        await run(OBEYS).says("another word", 0.2)


async def test_one_left_over_is_named_and_not_joined(run):
    process = run(OBEYS)
    await process.says("ready", 10)
    with pytest.raises(CannotTell, match=rf"still runs \(pid {process.pid}\)"):
        run(OBEYS)


def test_a_stale_pid_file_is_in_nobodys_way(run, tmp_path):
    (tmp_path / "pids").mkdir()
    (tmp_path / "pids" / "part.pid").write_text(str(os.getpid()))
    assert run(OBEYS).running


def test_a_module_is_run_by_this_python():
    assert python("workers.worker", "runs") == [sys.executable, "-m", "workers.worker", "runs"]


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # A child whose parent was killed is a zombie until somebody reaps it.
    return "(Z" not in state(pid)


def state(pid: int) -> str:
    shown = subprocess.run(["ps", "-p", str(pid), "-o", "stat="], capture_output=True, text=True, check=False)
    return f"({shown.stdout.strip()}"
