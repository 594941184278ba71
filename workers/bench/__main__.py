"""`python -m workers.bench`: start what is needed, measure, print the report, stop everything.

Ratios are of things measured in this one run, since machines differ. Exit 0 where everything could be measured.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from itertools import count
from pathlib import Path

from rich.console import Console
from rich.table import Table

from workers.bench import effects, memory, pairs, report, seats, settlements, turns, unwinds
from workers.bench.bed import Bed
from workers.bench.plans import STORY
from workers.bench.usage import cpu_s
from workers.connect import quiet
from workers.exits import judged, leave
from workers.house import live

WIDTH = 100
"""Columns of the report where nobody's terminal says how many."""

PAIRS = (
    (STORY, "a run with 8 effects and one approval, admission and looks included"),
    (f"direct:{effects.MANY}", f"a run with {effects.MANY} effects in one turn, no approval"),
)


def main() -> int:
    """The exit code."""
    quiet()
    directory = Path(tempfile.mkdtemp(prefix="saga-bench-"))
    try:
        code = live(lambda: _bench(directory))
    except Exception as error:  # noqa: BLE001 - as for every command
        code, text = judged(error)
        print(f"make bench: {text} (what its processes wrote is under {directory})", file=sys.stderr)
        return code
    shutil.rmtree(directory, ignore_errors=True)
    return code


async def _bench(directory: Path) -> int:
    began, show = time.monotonic(), Pages().show
    cpu_s(os.getpid())  # says at once where nothing can be measured
    async with Bed(directory / "runs") as bed:
        _say("single effects, and a lost answer")
        single = await effects.measure(bed.ground)
        show(report.per_effect(single), report.of_story(single), report.of_calls(single), report.of_lost(single))
        _say("how long rows are unknown")
        show(report.of_settlements(await settlements.measure(bed.ground)))
        _say(f"unwinds of {unwinds.ONE} effect and of {unwinds.MANY}")
        show(report.of_unwinds(await unwinds.measure(bed.ground)))
        _say(f"runs of {turns.LATE} turns")
        show(report.of_turns(await turns.measure(bed.ground)))
        for plan, name in PAIRS:
            _say(f"{pairs.PAIRS} pairs of {name}")
            show(report.of_pairs(name, await pairs.measure(bed.ground, plan)))
    _say(f"{memory.WAITING} runs that wait for approval")
    show(report.of_memory(await memory.measure(directory / "memory")))
    _say(f"{seats.WANTED} reservations by {seats.CALLERS} callers")
    show(report.of_seats(await seats.measure()))
    print(f"measured in {time.monotonic() - began:.0f} s")
    return 0


def _say(what: str) -> None:
    """On stderr, so that the report can be piped."""
    print(f"measuring {what} …", file=sys.stderr, flush=True)


class Pages:
    """The report on stdout, each table as soon as it has been measured."""

    def __init__(self) -> None:
        """Nothing is shown yet."""
        self._console = Console(highlight=False)
        if not self._console.is_terminal:
            self._console.width = WIDTH
        self._numbers = count(1)

    def show(self, *tables: Table) -> None:
        """Print them, numbered in the order in which they come."""
        for table in tables:
            table.title = f"{next(self._numbers)} · {table.title}"
            self._console.print(table)
            self._console.print()


if __name__ == "__main__":
    leave(main())
