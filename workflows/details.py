"""The run's page in the Temporal Web UI: its current details, as Markdown that the page shows readably.

Lists and code blocks, no tables (they come out without padding); outside data is escaped, inline HTML would render.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from saga.proposal import Proposal
from saga.record import Json
from saga.row import Row
from workflows.need import Need
from workflows.people import problem_text

RESULT_SHOWN = 300
"""Characters of what a provider said of an undo: enough for the money, which stands first."""
LINES = 60
"""Steps on the page: more is scrolled past, and the page is made anew at every change."""

_SPECIAL = str.maketrans({each: f"\\{each}" for each in "\\`*_[]<>#|!"} | {"\n": " ", "\r": " "})


def escape(text: str) -> str:
    """Outside data as plain text in Markdown."""
    return text.translate(_SPECIAL)


def page(
    *,
    phase: str,
    why: str,
    rows: Iterable[Row],
    needs: Sequence[Need],
    proposal: Proposal | None,
    refused: Sequence[str],
    circles: Sequence[Sequence[int]] = (),
) -> str:
    """Phase, what waits for whom with the payload to paste, the log, and what was sent and did not fit."""
    parts = [f"**{phase}**{' · ' + escape(why) if why else ''}"]
    if proposal is not None:
        parts.append(_approval(proposal))
    parts += [_need(need) for need in needs]
    for circle in circles:
        steps = ", ".join(str(idx) for idx in circle)
        parts.append(f"**Circle**: steps {steps} refer to each other; they are undone in reverse step order")
    rows = list(rows)
    lines = [_line(row) for row in rows[-LINES:]]
    if len(rows) > LINES:
        lines.insert(0, f"- … {len(rows) - LINES} earlier steps: query saga_log")
    parts.append("**Log**\n\n" + ("\n".join(lines) or "- nothing yet"))
    if refused:
        parts.append("**Not taken**\n\n" + "\n".join(f"- {escape(each)}" for each in refused))
    return "\n\n".join(parts)


def _approval(proposal: Proposal) -> str:
    commits = "\n".join(
        f"{number}. {escape(call.tool)} → {escape(call.target)}"
        f"{' · ' + call.costs if call.costs else ''} · seen by {', '.join(call.audience) or 'nobody'}"
        f"{' · ' + escape(call.gate) if call.gate else ''}"
        for number, call in enumerate(proposal.commit, 1)
    )
    payload: Json = {"decision": "approve", "digest": proposal.digest, "by": "YOU", "note": ""}
    return (
        f"**Waits for approval** until {proposal.deadline:%Y-%m-%d %H:%M} UTC. Approval will run:\n\n"
        f"{commits or 'nothing; what is staged stays'}\n\n"
        f"Send the update `decide_pivot` with\n\n{_code(payload)}"
    )


def _need(need: Need) -> str:
    asked = f"**Waits for a person** ({need.kind}): {escape(need.what)}\n\n`{need.how}`"
    if need.call is None:
        return asked
    payload: Json = {"step_idx": need.step_idx, "decision": "approve", "digest": need.digest, "by": "YOU", "note": ""}
    return (
        f"{asked}\n\nIt will be called with exactly this, seen by {', '.join(need.call.audience) or 'nobody'}"
        f"{', ' + need.call.costs if need.call.costs else ''}:\n\n"
        f"{_code(need.call.args)}\n\nUntil {need.deadline:%Y-%m-%d %H:%M} UTC, send the update `decide_gate` with\n\n"
        f"{_code(payload)}"
    )


def _code(value: Json) -> str:
    """JSON in a fenced block. Escaped to ASCII, with no backtick left that could end the fence."""
    text = json.dumps(value, indent=2).replace("`", "\\u0060")
    return f"```json\n{text}\n```"


def _line(row: Row) -> str:
    parts = [f"- {row.step_idx} **{row.status}** {escape(row.tool)} → {escape(row.target)}"]
    if row.external_ref:
        parts.append(escape(row.external_ref))
    if row.how:
        parts.append(escape(row.how))
    if row.repeats:
        parts.append(f"asked for {len(row.repeats)} more times")
    if row.error:
        parts.append(escape(problem_text(row.error)))
    if row.compensation and row.compensation.status:
        parts.append(f"undo {escape(row.compensation.tool)}: {row.compensation.status}")
        if row.compensation.result:
            parts.append(escape(json.dumps(row.compensation.result)[:RESULT_SHOWN]))
    if row.approved_by:
        parts.append(f"approved by {escape(row.approved_by.by)}{', by itself' if row.approved_by.gate else ''}")
    parts += [escape(f"{said.by}: {said.what} {said.note}".rstrip()) for said in row.said if said.what != "waive"]
    if row.waived:
        parts.append(f"waived by {escape(row.waived.by)}")
    return " · ".join(parts)
