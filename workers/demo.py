"""`make demo`: the stories with real processes, told as they happen, and the scoreboard as the last line.

Exit 0 only if the world is right. Leaves nothing running, whatever ends it; its state stays, so that `make up` shows
its runs.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from workers import settings
from workers.connect import quiet
from workers.exits import NO, judged, leave
from workers.house import House, live
from workers.narrator import Say
from workers.outside import Outside
from workers.performance import Played, play
from workers.scoreboard import Scoreboard, count
from workers.settings import Settings
from workers.stories.approved import APPROVED
from workers.stories.forgotten_key import FORGOTTEN_KEY
from workers.stories.lost_answer import LOST_ANSWER
from workers.stories.onboarded import ONBOARDED
from workers.stories.plot import Plot
from workers.stories.rejected import REJECTED
from workers.stories.unpaid import UNPAID

STORIES = (LOST_ANSWER, FORGOTTEN_KEY, APPROVED, REJECTED, UNPAID, ONBOARDED)
"""One after the other: two of them kill the one worker that all would share."""

PACE = {
    "payments": {
        # The sandbox answers in milliseconds, and the answer that is held back is cut short by SIGKILL, not by this.
        "request_s": 5,
        # An undo makes four requests at worst, none to outlive the attempt.
        "attempt_s": 20,
        # Run A: a killed worker is noticed after 5 s, Temporal waits one more, and the new one is up in 3 s, on a very
        # busy machine in 30. Run A again waits all of this out, so it is not longer than that needs.
        "patience_s": 45,
    }
}
"""Payments alone, so that nobody waits out the ten minutes that a real Stripe is given. All else has its own pace."""

PORTS = ("temporal_port", "ui_port", "sandbox_port")
PLAYED = "demo.json"
"""The latest demo's runs, in the state's folder: {run id: title}."""


def main() -> int:
    """0: the world is right · 1: it is not, or a story went another way · 3: something did not start."""
    quiet()
    try:
        return live(_demo)
    except Exception as error:  # noqa: BLE001 - whatever it was, it ends in one sentence
        code, text = judged(error)
        print(f"make demo: {text}", file=sys.stderr)
        return code


async def _demo() -> int:
    began = time.monotonic()
    house = House(on_free_ports(settings.read()), extra=environment(), sandbox_only=True)
    _print("starting the Temporal server, the sandbox and three workers …")
    async with house:
        for name, process in house.parts.items():
            _print(f"  {name:<15} pid {process.pid}")
        played, board = await perform(house, STORIES, _print)
    return verdict(played, board, time.monotonic() - began, _print)


def environment() -> dict[str, str]:
    """What the workers of a house must be told for the stories to be played there."""
    return {"SAGA_PACE": json.dumps(PACE)}


def on_free_ports(config: Settings) -> Settings:
    """Free ports, but for those that somebody set: a demo is in nobody's way."""
    return config.model_copy(update={name: 0 for name in PORTS if name not in config.model_fields_set})


async def perform(house: House, plots: Sequence[Plot], say: Say) -> tuple[list[Played], Scoreboard]:
    """Play the plots on a house, and count. Their runs are new ones each time: an id is never used again."""
    began = datetime.now(UTC)
    ids = {plot.name: f"{plot.name}-{began:%m%d-%H%M%S}" for plot in plots}
    note = house.config.state_dir / PLAYED
    note.write_text(json.dumps({ids[plot.name]: plot.title for plot in plots}, indent=2), "utf-8")
    async with Outside(house.sandbox_url) as outside:
        since = await outside.now()
        played = [await play(plot, ids[plot.name], house, outside, say) for plot in plots]
        board = count([each.end for each in played], await outside.effects(), await outside.calls(), since=since)
    return played, board


def verdict(played: Sequence[Played], board: Scoreboard, took_s: float, say: Say) -> int:
    """Say what is wrong, where the runs can be looked at, and the scoreboard last; the exit code."""
    say("")
    for each in played:
        for wrong in each.wrong:
            say(f"not as told, {each.end.run_id}: {wrong}")
    for sentence in board.sentences:
        say(sentence)
    say(f"{len(played)} runs in {took_s:.0f} s. To look at one again: make up, and in another terminal")
    say(f"  .venv/bin/saga show {played[0].end.run_id}")
    say(board.line)
    return 0 if board.clean and not any(each.wrong for each in played) else NO


def remembered(state_dir: Path) -> dict[str, str]:
    """Run id → title of the latest demo on that state; empty where there was none."""
    try:
        found = json.loads((state_dir / PLAYED).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _print(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    leave(main())
