"""A process of the house: a real Python (or server), never a launcher, in a process group of its own.

Killed means killed: the pid is that of the program itself, so no child works on after a SIGKILL.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from workers.exits import CannotTell

STOP_S = 10.0
"""From SIGTERM to SIGKILL. A worker lets the attempts under way end; one cut off leaves its row UNKNOWN, which the
next worker settles, so waiting longer than a person at a terminal would is not needed."""
LOOK_EVERY_S = 0.05


def python(*arguments: str) -> list[str]:
    """A command that runs one of our modules by the Python that runs this."""
    return [sys.executable, "-m", *arguments]


class Process:
    """One program that may be started, stopped, killed and started again. Its output goes to a log file."""

    def __init__(self, name: str, command: Sequence[str], *, state_dir: Path, environment: Mapping[str, str]) -> None:
        """Nothing is started yet. `name` is also that of its log and pid file under `state_dir`."""
        self.name, self._command, self._environment = name, list(command), dict(environment)
        self.log = state_dir / "logs" / f"{name}.log"
        self._pid_file = state_dir / "pids" / f"{name}.pid"
        self._process: subprocess.Popen[bytes] | None = None
        self._log_start = 0

    @property
    def pid(self) -> int:
        """The program's own process id; CannotTell while it was not started."""
        if self._process is None:
            raise CannotTell(f"{self.name} was not started")
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether it was started and has not ended."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Start it; CannotTell where one of an earlier house still runs on the same state."""
        if self.running:
            return
        self._refuse_leftover()
        for file in (self.log, self._pid_file):
            file.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("ab") as log:
            self._log_start = log.tell()
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=self._environment,
                # A Ctrl-C at the terminal is for the house, which stops its processes in order.
                start_new_session=True,
            )
        self._pid_file.write_text(str(self.pid), "utf-8")

    def kill(self) -> None:
        """SIGKILL, to all of its group; returns when it is gone."""
        self._signal(signal.SIGKILL)
        self._reap()

    def ask_to_stop(self) -> None:
        """SIGTERM; returns at once."""
        self._signal(signal.SIGTERM)

    def stop(self, grace_s: float = STOP_S) -> None:
        """SIGTERM, and SIGKILL where that was not enough within `grace_s`; returns when it is gone."""
        self.ask_to_stop()
        with contextlib.suppress(subprocess.TimeoutExpired):
            if self._process is not None:
                self._process.wait(grace_s)
        self.kill()

    def said(self) -> str:
        """What it has written since it was last started."""
        if not self.log.exists():
            return ""
        with self.log.open("rb") as log:
            log.seek(self._log_start)
            return log.read().decode("utf-8", "replace")

    async def says(self, words: str, within_s: float) -> str:
        """Wait for a line with `words` in its output, and return it; CannotTell where it ends or stays silent."""
        end = time.monotonic() + within_s
        while True:
            gone = not self.running
            line = next((line for line in self.said().splitlines() if words in line), None)
            if line is not None:
                return line
            if gone or time.monotonic() > end:
                raise self.silent("ended" if gone else f"was not ready within {within_s:.0f} s")
            await asyncio.sleep(LOOK_EVERY_S)

    def silent(self, what: str) -> CannotTell:
        """The error that says how it ended, in its own last words."""
        last = [line for line in self.said().strip().splitlines() if line.strip()][-1:]
        words = f": {last[0].strip()}" if last else ""
        return CannotTell(f"{self.name} {what}{words} (all of it in {self.log})")

    def _signal(self, sign: signal.Signals) -> None:
        if self._process is not None and self._process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, sign)

    def _reap(self) -> None:
        if self._process is not None:
            self._process.wait()
            self._pid_file.unlink(missing_ok=True)

    def _refuse_leftover(self) -> None:
        """Two servers on one file would ruin it, and a worker left over would go on with yesterday's code."""
        try:
            pid = int(self._pid_file.read_text("utf-8"))
        except (OSError, ValueError):
            return
        # The program and what it runs; ports may differ from one start to the next.
        if _command_of(pid).startswith(" ".join(self._command[:3])):
            raise CannotTell(
                f"{self.name} of an earlier start still runs (pid {pid}). "
                f"Stop it (Ctrl-C where `make up` runs, or kill {pid}), or set SAGA_STATE_DIR to another folder."
            )


def _command_of(pid: int) -> str:
    """The command line of a running process; empty where there is none."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
    with contextlib.suppress(OSError):
        shown = ["ps", "-ww", "-p", str(pid), "-o", "command="]
        return subprocess.run(shown, capture_output=True, text=True, check=False).stdout.strip()
    return ""
