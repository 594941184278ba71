"""`make chaos RUNS= SEED=`: the crash bench, and the scoreboard as its last line.

Exit 0 only if the world is right: seven zeros, and every run closed but those that the monkey terminated.
"""

from __future__ import annotations

import argparse
import secrets
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from workers.chaos.bench import Bench, Result
from workers.chaos.verdict import flawed
from workers.connect import quiet
from workers.exits import CANNOT_TELL, NO, judged, leave
from workers.house import live

DEFAULT_RUNS = 200
SEEDS = 1_000_000
"""A seed is typed again by hand."""
EVERY = 100
"""Where nobody watches a terminal, one line for so many runs."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What was typed: how many runs, of which seed, or only one of them."""

    runs: int
    seed: int
    only: int | None = None

    @property
    def numbers(self) -> Sequence[int]:
        """The runs' numbers."""
        return range(self.runs) if self.only is None else (self.only,)


def main(arguments: Sequence[str]) -> int:
    """The exit code."""
    quiet()
    asked = _asked(arguments)
    directory = Path(tempfile.mkdtemp(prefix="saga-chaos-"))
    try:
        code = live(lambda: _chaos(asked, directory))
    except BaseExceptionGroup as group:
        code, text = judged(_first(group))
    except Exception as error:  # noqa: BLE001 - whatever it was, it ends in one sentence
        code, text = judged(error)
    else:
        text = ""
    if text:
        print(f"make chaos: {text}", file=sys.stderr)
        code = CANNOT_TELL
    if code:
        print(f"make chaos: its processes wrote under {directory}", file=sys.stderr)
    else:
        shutil.rmtree(directory, ignore_errors=True)
    return code


async def _chaos(asked: Asked, directory: Path) -> int:
    began = time.monotonic()
    _say(f"seed {asked.seed}, {len(asked.numbers)} runs")
    result = await Bench(asked.seed, asked.numbers, directory, Progress()).measure()
    return report(result, asked, time.monotonic() - began)


def report(result: Result, asked: Asked, took_s: float) -> int:
    """Print what was done, what is wrong, how to see it again, and the scoreboard last; the exit code."""
    verdict = result.verdict
    _say("", *(f"{count:>6}  {name}" for name, count in result.did.items()), "")
    _say(f"{len(result.ends)} runs in {took_s:.0f} s: {_counted(verdict.endings)}")
    _say(*verdict.open, *verdict.wrong, *verdict.board.sentences)
    numbers = {each.run_id: each.plan for each in result.ends}
    for run_id in sorted(
        {each.run_id for each in flawed(verdict)} | {each.run_id for each in result.ends if each.flaws}
    ):
        plan = numbers[run_id]
        _say(f"plan of {run_id}: {plan}", f"  alone: make chaos SEED={asked.seed} ONLY={plan.number}")
    _say(f"again: make chaos RUNS={asked.runs} SEED={asked.seed}")
    _say(verdict.board.line)
    return 0 if verdict.clean else NO


class Progress:
    """One line, written over on a terminal."""

    def __init__(self) -> None:
        """Nothing is written yet."""
        self._seen = 0

    def __call__(self, text: str) -> None:
        """One run more."""
        self._seen += 1
        if sys.stdout.isatty():
            print(f"\r{text}", end="", flush=True)
        elif self._seen % EVERY == 0:
            _say(text)


def _asked(arguments: Sequence[str]) -> Asked:
    """An empty text is nothing typed: `make` hands over what it was not given so."""
    parser = argparse.ArgumentParser(prog="make chaos")
    for name in ("--runs", "--seed", "--only"):
        parser.add_argument(name, default="")
    typed = parser.parse_args(arguments)
    try:
        runs = int(typed.runs or DEFAULT_RUNS)
        seed = int(typed.seed or secrets.randbelow(SEEDS))
        only = int(typed.only) if typed.only else None
    except ValueError as error:
        parser.error(f"whole numbers are expected ({error})")
    if runs < 1:
        parser.error("RUNS: at least one")
    return Asked(runs=runs, seed=seed, only=only)


def _counted(endings: dict[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(endings.items()))


def _first(group: BaseExceptionGroup[BaseException]) -> Exception:
    inner = group.exceptions[0]
    if isinstance(inner, BaseExceptionGroup):
        return _first(inner)
    return inner if isinstance(inner, Exception) else RuntimeError(repr(inner))


def _say(*lines: str) -> None:
    for line in lines:
        print(line, flush=True)


if __name__ == "__main__":
    leave(main(sys.argv[1:]))
