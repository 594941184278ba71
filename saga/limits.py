"""The limits of one run, held against its log: hitting one is a policy failure, undo and stop."""

from __future__ import annotations

from collections.abc import Collection

from saga.draft import Draft, Facts
from saga.money import Money
from saga.request import AdmittedLimits
from saga.row import Row


def over_limit(limits: AdmittedLimits, log: Collection[Row], draft: Draft) -> str:
    """Which limit one more step of `draft` would break, in words; empty where it fits."""
    if len(log) >= limits.max_steps:
        return f"{len(log)} steps, the limit"
    cost, cap = _cost(draft.facts), limits.max_spend
    if cost is None or cap is None:
        return ""
    if cost.currency != cap.currency:
        return f"this run may only spend {cap.currency.upper()}"
    # A commit half costs what its staged half already counted.
    spent = [_cost(row.facts) for row in log if row.old and row.staged_by is None]
    total = sum((each.amount_minor for each in spent if each and each.currency == cap.currency), cost.amount_minor)
    if total > cap.amount_minor:
        return f"{Money(amount_minor=total, currency=cap.currency)} in all, over the limit of {cap}"
    return ""


def _cost(facts: Facts) -> Money | None:
    """What the call takes; of one that only holds it, what its commit half will take."""
    return facts.cost or (facts.commits.facts.cost if facts.commits else None)
