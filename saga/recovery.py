"""The recovery decision: what a run does next, as one table."""

from __future__ import annotations

from typing import Literal

Trouble = Literal["transient", "permanent", "cancelled", "policy", "unknown"]
Move = Literal["forward", "undo", "undo_and_stop", "keep", "reconcile", "person"]


def decide(trouble: Trouble, *, committed: bool, keep: bool = False) -> Move:
    """What to do about `trouble`.

    `committed`: something behind the pivot happened, or may have. `keep`: the canceller asked to keep what is useful.

    ========== ================================ =========================
    trouble    before the pivot                 after it
    ========== ================================ =========================
    unknown    reconcile, then decide           reconcile, then decide
    transient  forward                          forward
    permanent  undo                             a person; never undone
    cancelled  undo (``keep``: keep)            forward
    policy     undo and stop                    a person; never undone
    ========== ================================ =========================
    """
    if trouble == "unknown":
        return "reconcile"
    if trouble == "transient":
        return "forward"
    if committed:
        return "forward" if trouble == "cancelled" else "person"
    if trouble == "cancelled":
        return "keep" if keep else "undo"
    return "undo_and_stop" if trouble == "policy" else "undo"
