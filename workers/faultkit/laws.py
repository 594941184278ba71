"""The laws, checked against the world after every saga test: what the log says and what outside systems hold.

`check` raises Broken with every law that does not hold. It is itself tested: each law can be seen to fail.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from saga.keys import compensation_key, correction_key, run_tag

Row = dict[str, Any]
Effect = dict[str, Any]

UNDONE = ("undone", "expired", "failed")
CLOSED = ("COMMITTED", "UNWOUND")


class Broken(AssertionError):
    """One or more laws do not hold; the message says which, and where."""


def check(
    rows: Sequence[Row],
    effects: Iterable[Effect],
    *,
    run_id: str,
    phase: str,
    kept: bool = False,
) -> None:
    """Laws 1 to 9 for one run. `effects` may hold other runs' too. `kept`: cancelled, what is settled stands."""
    keys = _keys(rows)
    own = [each for each in effects if each["run"] in (run_id, run_tag(run_id)) or each["key"] in keys]
    broken = [
        *_no_effect_without_row(rows, own),
        *_no_key_twice(own),
        *(_closed_is_settled(rows) if phase in CLOSED else ()),
        *_no_undo_of_nothing(rows, own),
        *(_unwound_is_neutral(rows, own) if phase == "UNWOUND" and not kept else ()),
        *_undone_before_what_it_stands_on(rows, own),
        *_nothing_irreversible_unapproved(rows, own),
        *(_committed_is_not_undone(rows) if phase == "COMMITTED" else ()),
        *_compensated_means_confirmed(rows, own),
        *_log_explains_world(rows, own),
    ]
    if broken:
        raise Broken(f"run {run_id} in {phase}:\n" + "\n".join(f"  law {line}" for line in broken))


def _keys(rows: Sequence[Row]) -> dict[str, tuple[Row, str]]:
    """Key → its row and half, every key that a row ever stood under included."""
    keys: dict[str, tuple[Row, str]] = {}
    for row in rows:
        keys[row["idempotency_key"]] = (row, "call")
        for half, key_of in (("compensation", compensation_key), ("correction", correction_key)):
            for attempt in range(1, TRIES + 1) if row[half] else ():
                key = key_of(row["run_id"], row["step_idx"], row["tool"], attempt)
                keys[key] = (row, half)
                if key == row[half]["idempotency_key"]:
                    break
    return keys


TRIES = 50
"""More tries of one half than any test makes."""


def _by_key(effects: Iterable[Effect]) -> dict[str, list[Effect]]:
    found: dict[str, list[Effect]] = {}
    for effect in effects:
        found.setdefault(effect["key"], []).append(effect)
    return found


def _no_effect_without_row(rows: Sequence[Row], effects: Sequence[Effect]) -> Iterable[str]:
    keys = _keys(rows)
    for effect in effects:
        at = keys.get(effect["key"])
        if at is None:
            yield f"1: {effect['kind']} {effect['ref']} has no row (key {effect['key']})"
        elif datetime.fromisoformat(at[0]["created_at"]).timestamp() > effect["at"] + CLOCKS_APART_S:
            yield f"1: {effect['kind']} {effect['ref']} is older than its row"


CLOCKS_APART_S = 2.0
"""The world's clock and the server's are two; within a test they are this close."""


def _no_key_twice(effects: Sequence[Effect]) -> Iterable[str]:
    """A second effect that was undone is healed; of two undoings each must undo something else."""
    live = [effect for effect in effects if effect["state"] not in UNDONE]
    for (key, _), count in Counter((effect["key"], _undoes(effect)) for effect in live).items():
        if count > 1:
            refs = [effect["ref"] for effect in live if effect["key"] == key]
            yield f"2: key {key} was applied {count} times: {refs}"


def _undoes(effect: Effect) -> str | None:
    return (effect.get("about") or {}).get("undoes")


def _closed_is_settled(rows: Sequence[Row]) -> Iterable[str]:
    for row in rows:
        unsettled = ("INTENDED", "UNKNOWN", "COMPENSATION_REQUESTED", "COMPENSATION_FAILED")
        if row["status"] == "QUEUED" or (row["status"] in unsettled and not row["waived"]):
            yield f"3: closed with step {row['step_idx']} {row['status']}"


def _no_undo_of_nothing(rows: Sequence[Row], effects: Sequence[Effect]) -> Iterable[str]:
    by_key = _by_key(effects)
    for row in rows:
        undo = row["compensation"]
        if undo and undo["idempotency_key"] in by_key and row["idempotency_key"] not in by_key:
            yield f"4: step {row['step_idx']} was undone and is not in the world"


def _unwound_is_neutral(rows: Sequence[Row], effects: Sequence[Effect]) -> Iterable[str]:
    by_key = _by_key(effects)
    for row in rows:
        if row["tool_class"] == "irreversible" or row["waived"] or row["step_idx"] in _used_up(rows, by_key):
            continue
        for effect in by_key.get(row["idempotency_key"], ()):
            if effect["state"] not in UNDONE:
                yield f"5: unwound, and {effect['kind']} {effect['ref']} of step {row['step_idx']} is {effect['state']}"


def _used_up(rows: Sequence[Row], by_key: dict[str, list[Effect]]) -> set[int]:
    """Staged steps whose commit half is in the world: of the two, the commit half's effect is the one to judge."""
    return {row["staged_by"] for row in rows if row["staged_by"] is not None and row["idempotency_key"] in by_key}


def _undone_before_what_it_stands_on(rows: Sequence[Row], effects: Sequence[Effect]) -> Iterable[str]:
    """In a circle no order serves all: there only what refers to an earlier step binds."""
    by_key = _by_key(effects)
    needs = {row["step_idx"]: set(row["depends_on"]) - {row["step_idx"]} for row in rows}

    def undone_at(row: Row) -> float | None:
        found = by_key.get(row["compensation"]["idempotency_key"]) if row["compensation"] else None
        return found[0]["at"] if found else None

    for row in rows:
        mine = undone_at(row)
        for idx in needs[row["step_idx"]]:
            if row["step_idx"] < idx and row["step_idx"] in _reached(needs, idx):
                continue
            theirs = undone_at(rows[idx])
            if mine is not None and theirs is not None and theirs < mine:
                yield f"5: step {idx} was undone before step {row['step_idx']}, which refers to it"


def _reached(needs: dict[int, set[int]], start: int) -> set[int]:
    """Where references lead from a step, in any number of hops."""
    seen: set[int] = set()
    todo = [start]
    while todo:
        fresh = needs.get(todo.pop(), set[int]()) - seen
        seen |= fresh
        todo += fresh
    return seen


def _nothing_irreversible_unapproved(rows: Sequence[Row], effects: Sequence[Effect]) -> Iterable[str]:
    by_key = _by_key(effects)
    for row in rows:
        if row["tool_class"] != "irreversible":
            continue
        for effect in by_key.get(row["idempotency_key"], ()):
            approval = row["approved_by"]
            if not approval and row["waived"]:
                continue  # a person has it on their name
            if not approval:
                yield f"6: {effect['kind']} {effect['ref']} happened and nobody approved it"
            elif approval.get("gate") and not row["facts"]["at_once"]:
                yield f"6: {effect['kind']} {effect['ref']} was let through by itself, and should have waited"
            elif datetime.fromisoformat(approval["at"]).timestamp() > effect["at"] + CLOCKS_APART_S:
                yield f"6: {effect['kind']} {effect['ref']} happened before its approval"


def _committed_is_not_undone(rows: Sequence[Row]) -> Iterable[str]:
    for row in rows:
        pivot = row["approved_by"] and not row["approved_by"].get("gate")  # what a gate let through may be taken back
        if pivot and row["compensation"] and row["compensation"]["status"]:
            yield f"7: step {row['step_idx']} was approved and undone"


def _compensated_means_confirmed(rows: Sequence[Row], effects: Sequence[Effect]) -> Iterable[str]:
    by_key = _by_key(effects)
    for row in rows:
        if row["status"] != "COMPENSATED" or row["step_idx"] in _used_up(rows, by_key):
            continue
        for effect in by_key.get(row["idempotency_key"], ()):
            if effect["state"] not in UNDONE:
                yield f"8: step {row['step_idx']} is COMPENSATED and {effect['ref']} is {effect['state']}"


def _log_explains_world(rows: Sequence[Row], effects: Sequence[Effect]) -> Iterable[str]:
    by_key = _by_key(effects)
    for row in rows:
        there = bool(by_key.get(row["idempotency_key"]))
        name = f"step {row['step_idx']} {row['tool']}"
        if row["status"] in ("CONFIRMED", "COMPENSATED") and not there and row["external_ref"] is not None:
            yield f"9: {name} is {row['status']} and the world has nothing under its key"
        if row["status"] in ("QUEUED", "FAILED", "NOT_EXECUTED", "CANCELLED") and there and not row["waived"]:
            yield f"9: {name} is {row['status']} and the world has it"
