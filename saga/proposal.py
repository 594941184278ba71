"""The proposal: what a person approves at the pivot, and the digest that binds the approval to it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime
from hashlib import sha256
from typing import Any

from saga.draft import Audience, ToolClass, reach
from saga.log import Log
from saga.record import Json, Record
from saga.row import Row


class StagedStep(Record):
    """A step as it stands; `visible`: somebody other than the agent can see it already."""

    step_idx: int
    tool: str
    tool_class: ToolClass
    target: str
    args: Json
    status: str
    external_ref: str | None
    audience: tuple[Audience, ...]
    visible: bool
    undone_by: str | None
    """The counter-action that a rejection will run."""


class CommitCall(Record):
    """A call that approval will make: frozen arguments, who will see it, what it costs."""

    step_idx: int
    tool: str
    tool_class: ToolClass
    target: str
    args: Json
    audience: tuple[Audience, ...]
    costs: str | None
    undone_by: str | None
    gate: str = ""
    """Why the approval stands in for a correction, where there is none."""


class Proposal(Record):
    """Everything staged, and the exact calls that approval makes, in order."""

    digest: str | None
    staged: tuple[StagedStep, ...] = ()
    commit: tuple[CommitCall, ...] = ()
    undo_until: datetime | None = None
    """The earliest moment at which a provider lets go of something staged by itself."""
    deadline: datetime | None = None
    reason: str = ""
    """Why the model asked for a person, where it did."""


def commit_order(rows: Iterable[Row]) -> list[Row]:
    """The queued rows in the order they are committed, never in the one the model named.

    First what a provider can still refuse, then by who sees it, the smaller circle first, words after what they
    announce; a step never before one that it depends on.
    """
    left = sorted(rows, key=_rank)
    names, done, ordered = {row.step_idx for row in left}, set[int](), list[Row]()
    while left:
        free = next((row for row in left if not (set(row.depends_on) & names) - done), left[0])
        left.remove(free)
        ordered.append(free)
        done.add(free.step_idx)
    return ordered


def _rank(row: Row) -> tuple[bool, int, bool, int]:
    return not row.facts.refusable, reach(row.audience), row.facts.tells, row.step_idx


def build(log: Log, nonce: str, deadline: datetime, reason: str = "") -> Proposal:
    """The proposal as the log stands now. `nonce` makes yesterday's digest worthless today.

    The digest leaves out `deadline`: a query that reaches a worker just before the workflow task which opens the
    proposal runs the same code at another `now` (measured: one in six), and would hand out a digest that never stands.
    """
    staged = tuple(_staged(row) for row in log if row.stands or row.waived)
    commit = tuple(call_of(row) for row in commit_order(log.queued()))
    holds = [row.holds_until for row in log if row.stands and row.holds_until is not None]
    proposal = Proposal(
        digest=None,
        staged=staged,
        commit=commit,
        undo_until=min(holds, default=None),
        reason=reason,
    )
    return proposal.model_copy(update={"digest": seal(proposal, nonce), "deadline": deadline})


def seal(shown: Proposal | CommitCall, nonce: str) -> str:
    """The digest of what is shown, bound to this one showing of it."""
    dumped: Any = shown.model_dump(mode="json")
    for call in dumped.get("commit", ()):
        if not call["gate"]:
            del call["gate"]  # as of before there were any: what waits since then keeps its digest
    text = json.dumps(dumped, sort_keys=True) + nonce
    return sha256(text.encode()).hexdigest()[:16]


def _staged(row: Row) -> StagedStep:
    return StagedStep(
        step_idx=row.step_idx,
        tool=row.tool,
        tool_class=row.tool_class,
        target=row.target,
        args=row.args,
        status=row.status,
        external_ref=row.external_ref,
        audience=row.audience,
        visible=reach(row.audience) > 1,
        undone_by=row.compensation.tool if row.compensation else None,
    )


def call_of(row: Row) -> CommitCall:
    """A call that waits for a person, as it is shown."""
    return CommitCall(
        step_idx=row.step_idx,
        tool=row.tool,
        tool_class=row.tool_class,
        target=row.target,
        args=row.args,
        audience=row.audience,
        costs=str(row.facts.cost) if row.facts.cost else None,
        undone_by=row.compensation.tool if row.compensation else None,
        gate=row.facts.gate,
    )
