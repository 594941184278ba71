"""The order of undoing, as a function of the log.

Dependencies decide: a step is undone before what it refers to. Among what is free the smaller audience goes first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from saga.draft import reach
from saga.row import Row

NEUTRAL = ("FAILED", "NOT_EXECUTED", "CANCELLED", "COMPENSATED")


def to_undo(rows: Iterable[Row]) -> list[Row]:
    """What an unwind must bring back to nothing, or find out about first.

    Not what was staged for a commit that happened and that nothing takes back: it was used up.
    """
    rows = list(rows)
    used_up = _used_up(rows)
    return [
        row
        for row in rows
        if row.waived is None
        and row.step_idx not in used_up
        and row.status in ("INTENDED", "UNKNOWN", "CONFIRMED", "COMPENSATION_REQUESTED", "COMPENSATION_FAILED")
        and (row.compensation is not None or row.status != "CONFIRMED")
    ]


def _used_up(rows: Iterable[Row]) -> set[int]:
    final = (row for row in rows if row.status == "CONFIRMED" and row.compensation is None)
    return {row.staged_by for row in final if row.staged_by is not None}


def dependants(rows: Iterable[Row]) -> dict[int, set[int]]:
    """For each step, the steps whose effects refer to it; the steps of a circle in step order instead.

    A reference to a later step counts like any other. Where steps refer to each other in a circle no order serves all
    of them, so among themselves each refers to all before it, and the latest is undone first.
    """
    rows = list(rows)
    edges = _edges(rows)
    for circle in _circles(edges):
        members = set(circle)
        for idx in circle:
            edges[idx] = (edges[idx] - members) | {each for each in circle if each < idx}
    back: dict[int, set[int]] = {row.step_idx: set() for row in rows}
    for idx, needs in edges.items():
        for each in needs:
            back.setdefault(each, set()).add(idx)
    return back


def circles(rows: Iterable[Row]) -> list[list[int]]:
    """The steps that refer to each other in a circle, each circle in step order; a well-formed run has none."""
    return _circles(_edges(rows))


def _edges(rows: Iterable[Row]) -> dict[int, set[int]]:
    """What each step refers to; to itself is to nothing."""
    return {row.step_idx: {each for each in row.depends_on if each != row.step_idx} for row in rows}


def _circles(edges: dict[int, set[int]]) -> list[list[int]]:
    found: list[list[int]] = []
    if not any(each > idx for idx, needs in edges.items() for each in needs):
        return found  # a circle has at least one reference to a later step
    reached = {idx: _reachable(edges, idx) for idx in sorted(edges)}
    for idx, there in reached.items():
        if idx in there and not any(idx in circle for circle in found):
            found.append([each for each in sorted(there) if idx in reached.get(each, ())])
    return found


def _reachable(edges: dict[int, set[int]], start: int) -> set[int]:
    seen: set[int] = set()
    stack = list(edges.get(start, ()))
    while stack:
        each = stack.pop()
        if each not in seen:
            seen.add(each)
            stack.extend(edges.get(each, ()))
    return seen


def ready(rows: Iterable[Row], running: Collection[int], given_up: Collection[int] = ()) -> list[int]:
    """The steps whose undoing may begin now, given those that are `running`.

    An unsettled call is always ready: finding out stands in nobody's way. A step waits for every dependant that is
    not neutral; one in `given_up` (a person has it now) is waited for only by steps that say they must. Of what is
    free only the smallest audience begins, and only while nothing of a smaller one is being sent: an undo that is being
    found out about, or waits for its next try, keeps nobody waiting but what it refers to.
    """
    rows = list(rows)
    by_idx = {row.step_idx: row for row in rows}
    back, used_up = dependants(rows), _used_up(rows)
    held = {row.step_idx for row in rows if row.step_idx in running and _held(row)}
    pending = [row for row in to_undo(rows) if row.step_idx not in given_up and row.step_idx not in held]
    asking = [row.step_idx for row in pending if row.status in ("INTENDED", "UNKNOWN")]
    free = [
        row
        for row in pending
        if row.step_idx not in asking and _free(row, by_idx, back[row.step_idx] - used_up, given_up)
    ]
    rank = min((reach(row.audience) for row in free), default=0)
    return [idx for idx in asking if idx not in running] + [
        row.step_idx for row in free if reach(row.audience) == rank and row.step_idx not in running
    ]


def _held(row: Row) -> bool:
    return row.compensation is not None and row.compensation.status in ("UNKNOWN", "PENDING", "FAILED", "NOT_EXECUTED")


def _free(row: Row, by_idx: dict[int, Row], dependants: set[int], given_up: Collection[int]) -> bool:
    for idx in dependants:
        other = by_idx[idx]
        if other.status in NEUTRAL or other.waived is not None:
            continue
        if other.status == "CONFIRMED" and other.compensation is None:
            continue  # nothing takes it back: waiting for it would strand what it stands on
        if idx in given_up and not row.facts.undo_waits and other.staged_by != row.step_idx:
            continue  # but a commit half that may have happened has used up what was staged for it
        return False
    return True
