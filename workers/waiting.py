"""What a run waits for: whom, for what, and the exact command to type."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from saga.proposal import Proposal
from workers.seen import Seen
from workers.wording import moment, plain
from workflows.need import Need

BY = "--by YOU"
"""Stands in a command where the name of who types it goes."""


def lines(seen: Seen) -> list[str]:
    """Everything that waits for a person, each with what to type; what a worker has to do is not among it."""
    found: list[str] = []
    proposal = seen.proposal
    if proposal is not None and proposal.digest:
        found += _approval(seen, proposal)
    for need in seen.status.get("needs_human") or ():
        if not (proposal is not None and proposal.digest and need.get("kind") == "review"):
            found += _need(need)
    return found


def at_gate(need: Need) -> list[str]:
    """A call that a person decides on by itself, as exactly what will be sent."""
    call = need.call
    if call is None:
        return []
    circle = ", ".join(name.replace("_", " ") for name in call.audience)
    costs = f", {call.costs}" if call.costs else ""
    arguments = [f"   {name}: {plain(json.dumps(value, ensure_ascii=False))}" for name, value in call.args.items()]
    until = _until(need.deadline)
    head = f"it would be called{until}:"
    return [
        head,
        f"  {call.step_idx:>2} {call.tool}: {plain(call.target)}{costs}; seen by {circle or 'nobody'}",
        *arguments,
    ]


def approvers(seen: Seen) -> str:
    """Who may let something happen, in words."""
    if seen.approvers:
        return " or ".join(plain(name) for name in seen.approvers)
    return f"anyone but {plain(seen.requested_by)}" if seen.requested_by else "anyone but who asked for the run"


def offered(proposal: Proposal) -> list[str]:
    """The proposal as a person decides on it: what approval will do, and what rejection will undo."""
    found = [f"reason: {plain(proposal.reason)}"] if proposal.reason else []
    found.append("approval will do, in this order:")
    for call in proposal.commit:
        circle = ", ".join(name.replace("_", " ") for name in call.audience)
        costs = f", {call.costs}" if call.costs else ""
        found.append(f"  {call.step_idx:>2} {call.tool}: {plain(call.target)}{costs}; seen by {circle or 'nobody'}")
        found += [f"     {plain(call.gate)}"] if call.gate else []
    found += ["  nothing"] if not proposal.commit else []
    found.append("prepared so far, and taken back by a rejection:")
    for step in proposal.staged:
        undo = f"undone by {step.undone_by}" if step.undone_by else "cannot be undone"
        visible = "already visible; " if step.visible else ""
        found.append(f"  {step.step_idx:>2} {step.tool}: {plain(step.target)}; {visible}{undo}")
    found += ["  nothing"] if not proposal.staged else []
    return found


def _approval(seen: Seen, proposal: Proposal) -> list[str]:
    until = _until(proposal.deadline)
    where = f"{seen.run_id} {BY} --digest {proposal.digest}"
    return [
        f"an approval by {approvers(seen)}{until}",
        *(f"  {line}" for line in offered(proposal)),
        f"  yes: saga approve {where}",
        f"  no:  saga reject {where}",
        f"  not like this: saga send-back {where} --note WHY [--strike {_strikes(proposal)}]",
    ]


def _need(need: dict[str, Any]) -> list[str]:
    step = need.get("step_idx")
    where = (
        "the run"
        if step is None
        else f"step {step}, {'its undo' if need.get('half') == 'compensation' else 'its call'}"
    )
    how = [plain(part) for part in str(need.get("how") or "").split(" · ") if part]
    return [
        f"a person, for {where} ({str(need.get('kind')).replace('_', ' ')}): {plain(str(need.get('what') or ''))}",
        *(f"  {line}" for line in at_gate(Need.model_validate(need))),
        *(f"  {part}" for part in how),
    ]


def _strikes(proposal: Proposal) -> str:
    return ",".join(str(call.step_idx) for call in proposal.commit[:2]) or "I,J"


def _until(deadline: datetime | None) -> str:
    return f" until {moment(deadline)}, then it is taken back" if deadline else ""
