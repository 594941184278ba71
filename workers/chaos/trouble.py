"""Trouble: the faults that are aimed at one run, and those that strike everybody for a while. All of it ends."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from workers.chaos.piece import PIECES, Kind

AFTER = (
    "after:500",
    "after:502",
    "after:504",
    "after:reset",
    "after:truncate",
    "after:blank200",
    "after:204",
    "after:html200",
    "after:slow:3",
)
"""Done, and the answer lost. Three seconds are more than a client waits here."""
BEFORE = ("before:503", "before:504", "before:reset", "429:1", "429:date", "in_use")
"""Not done, and no answer that says so for certain."""
REFUSALS = {"payments": "refuse:402", "tickets": "refuse:400", "mail": "refuse:422", "warehouse": "refuse:409"}
"""A definite no of each system."""
KEYED = ("payments", "mail", "warehouse")
"""Systems that honour a key. To Jira a request that is delivered twice is two tickets, and nothing we could do."""

LOOKS = (
    ("tickets", "search"),
    ("tickets", "read"),
    ("payments", "list"),
    ("payments", "read"),
    ("mail", "read"),
    ("mail", "search"),
    ("warehouse", "read"),
    ("warehouse", "list"),
)
"""Where we look before we undo, and ask what became of a call."""


@dataclass(frozen=True, kw_only=True)
class Aim:
    """A fault as it is armed for one run."""

    system: str
    operation: str
    fault: str
    times: int = 1
    skip: int = 0


def aims(draw: Random, kind: Kind, *, slow: bool, gentle: bool) -> tuple[Aim, ...]:
    """None to three faults on what a run of this kind asks for. `gentle`: none that makes it turn back.

    A counter-action that is refused is tried again half a minute later, which only a slow run is given.
    """
    made = [(each.system, each.operation) for each in PIECES[kind]]
    undone = [(each.system, each.undo_operation) for each in PIECES[kind] if each.undone]
    if not made:
        return ()
    found: list[Aim] = []
    for _ in range(draw.choice((0, 1, 1, 2, 3))):
        half = draw.choice(("made", "made", "made", "undone", "look"))
        places = {"made": made, "undone": undone or made, "look": LOOKS}[half]
        system, operation = draw.choice(places)
        found.append(_aim(draw, system, operation, refusing=slow or (half == "made" and not gentle), looking=half))
    return tuple(found)


def _aim(draw: Random, system: str, operation: str, *, refusing: bool, looking: str) -> Aim:
    sorts = ["after", "after", "after", "before", "before"]
    if looking != "look":
        sorts += ["refuse"] if refusing else []
        sorts += ["duplicate"] if system in KEYED else []
    sort = draw.choice(sorts)
    fault = {"after": draw.choice(AFTER), "before": draw.choice(BEFORE), "duplicate": "duplicate"}.get(sort)
    times = 1 if sort in ("refuse", "duplicate") else draw.choice((1, 1, 1, 2, 3))
    return Aim(
        system=system,
        operation=operation,
        fault=fault or REFUSALS[system],
        times=times,
        skip=draw.choice((0, 0, 0, 1)),
    )
