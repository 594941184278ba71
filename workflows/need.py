"""A need: one thing that waits for a person, and how to go on."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from saga.proposal import CommitCall
from saga.record import Record
from saga.row import Row
from saga.word import Half

Kind = Literal[
    "unknown",
    "two_found",
    "undo_failed",
    "commit_failed",
    "gate",
    "correction",
    "review",
    "foreign_execution",
]


class Need(Record):
    """On which half of which step, what is wrong, and how to go on."""

    step_idx: int | None
    half: Half
    kind: Kind
    what: str
    how: str
    digest: str | None = None
    """Of a gate: of exactly the call that is shown."""
    call: CommitCall | None = None
    """Of a gate: the call that an approval will make."""
    deadline: datetime | None = None
    """Of a gate: until when it can be decided."""


def how_to_settle(row: Row, half: Half, kind: Kind) -> str:
    """What to type, in the words of the command line."""
    where = f"saga {{}} {row.run_id} {row.step_idx} --half {half} --by YOU"
    ask = f"{where.format('resolve')} --happened --ref REF | --did-not-happen"
    again, waive = where.format("retry"), where.format("waive") + " --note WHY"
    if kind == "undo_failed":
        return f"mend the cause, then {again} · or put it right by hand and {ask} · or {waive}"
    if kind == "commit_failed":
        return f"mend the cause, then {again} · or {waive}"
    if kind == "review":
        return f"tell whoever saw it, then {waive}"
    if kind == "foreign_execution":
        return f"look whose it is, then {ask} · or {waive}"
    return f"look in {row.facts.handling.system}, then {ask} · or look again: {again} · or {waive}"
