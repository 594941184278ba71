"""A milestone: something in the life of a step that is worth a line while it happens, in words for people.

A row tells all of its milestones at any time, in order; whoever watches prints those that are new.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from saga.row import Row
from workers.story import HOW
from workers.wording import plain


@dataclass(frozen=True, kw_only=True)
class Milestone:
    """`name` is unique in its step. `turning`: the run's phase changed before it, to a commit or an unwind."""

    step_idx: int
    name: str
    words: str
    turning: bool


def milestones(rows: Sequence[Row]) -> list[Milestone]:
    """Everything that has become of these steps, as far as can be told in the order in which it happened."""
    forward = [each for row in rows for each in _of(row) if not each.turning]
    # One workflow task has one time: what ended in it ended before the next began.
    turned = sorted(rows, key=lambda row: (row.updated_at, row.status in ("INTENDED", "COMPENSATION_REQUESTED")))
    return forward + [each for row in turned for each in _of(row) if each.turning]


def _of(row: Row) -> Iterator[Milestone]:
    for name, words, turning in _life(row):
        told = f"step {row.step_idx} {row.tool}: {plain(words)}"
        yield Milestone(step_idx=row.step_idx, name=name, words=told, turning=turning)


def _life(row: Row) -> Iterator[tuple[str, str, bool]]:
    approved = row.approved_by is not None
    if row.status in ("QUEUED", "CANCELLED") or approved:
        half = f", prepared by step {row.staged_by}" if row.staged_by is not None else ""
        yield "queued", f"{row.target}{half}; waits for an approval, nothing is sent", False
    else:
        yield "written", f"{row.target}; the row is written, then the call is sent", False
    if row.approved_by is not None:
        yield "approved", f"approved by {row.approved_by.by}; sent", True
    if row.doubted or row.status == "UNKNOWN":
        error = f" ({row.error.message})" if row.error and row.status == "UNKNOWN" else ""
        yield "unknown", f"no answer that counts{error}: nobody knows, so the real system is asked", approved
    yield from ((name, words, approved) for name, words in _outcome(row))
    yield from ((f"repeat {place}", _repeat(row, place), False) for place in range(len(row.repeats)))
    if row.status == "CANCELLED":
        yield "cancelled", "will not be done", True
    yield from ((name, words, True) for name, words in _undoing(row))
    if row.waived is not None:
        yield "waived", f"left as it is, on the name of {row.waived.by}", True


def _outcome(row: Row) -> Iterator[tuple[str, str]]:
    if row.external_ref is not None and row.status not in ("INTENDED", "UNKNOWN", "FAILED"):
        times = f"; sent {row.attempts} times under one key" if row.attempts > 1 else ""
        yield "confirmed", f"it happened: {row.external_ref} ({HOW.get(row.how, row.how)}{times})"
    elif row.status == "FAILED":
        yield "failed", f"refused: {row.error.message if row.error else 'a definite no'}"
    elif row.status == "NOT_EXECUTED":
        yield "absent", "looked for long enough, and not there: it did not happen"


def _repeat(row: Row, place: int) -> str:
    """The words that are new in a second asking, as far as they are words."""
    asked = row.repeats[place].args
    other = [str(value) for name, value in asked.items() if value != row.args.get(name) and isinstance(value, str)]
    words = f' in other words ("{other[0]}")' if other else ""
    return f"asked for again{words}: it is this step, nothing is sent"


def _undoing(row: Row) -> Iterator[tuple[str, str]]:
    half = row.compensation
    if half is None or half.status is None:
        return
    yield "undo", f"is taken back by {half.tool}"
    if half.status == "CONFIRMED":
        yield "undone", f"taken back, and the provider says so ({half.external_ref or 'it was gone already'})"
    elif half.status == "FAILED":
        yield f"undo failed {half.attempts}", f"could not be taken back: {half.error.message if half.error else ''}"
    elif half.status == "PENDING":
        yield "undo pending", "taking it back is accepted, and not done yet"
