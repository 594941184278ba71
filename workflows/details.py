"""The run's page in the Temporal Web UI: its current details, as Markdown that the page shows readably.

Lists and code blocks, no tables (they come out without padding); outside data is escaped, inline HTML would render.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from saga.proposal import Proposal
from saga.row import Row
from workflows.people import Need, problem_text

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
) -> str:
    """Phase, what waits for whom with the payload to paste, the log, and what was sent and did not fit."""
    parts = [f"**{phase}**{' · ' + escape(why) if why else ''}"]
    if proposal is not None:
        parts.append(_approval(proposal))
    parts += [f"**Waits for a person** ({need.kind}): {escape(need.what)}\n\n`{need.how}`" for need in needs]
    rows = list(rows)
    lines = [_line(row) for row in rows[-LINES:]]
    if len(rows) > LINES:
        lines.insert(0, f"- … {len(rows) - LINES} earlier steps: query saga_log")
    parts.append("**Log**\n\n" + ("\n".join(lines) or "- nothing yet"))
    if refused:
        parts.append("**Not taken**\n\n" + "\n".join(f"- {escape(each)}" for each in refused))
    return "\n\n".join(parts)


def _approval(proposal: Proposal) -> str:
    payload = {"decision": "approve", "digest": proposal.digest, "by": "YOU", "note": ""}
    commits = "\n".join(
        f"{number}. {escape(call.tool)} → {escape(call.target)}"
        f"{' · ' + call.costs if call.costs else ''} · seen by {', '.join(call.audience) or 'nobody'}"
        for number, call in enumerate(proposal.commit, 1)
    )
    return (
        f"**Waits for approval** until {proposal.deadline:%Y-%m-%d %H:%M} UTC. Approval will run:\n\n"
        f"{commits or 'nothing; what is staged stays'}\n\n"
        f"Send the update `decide_pivot` with\n\n```json\n{json.dumps(payload, indent=2)}\n```"
    )


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
    if row.approved_by:
        parts.append(f"approved by {escape(row.approved_by.by)}")
    if row.waived:
        parts.append(f"waived by {escape(row.waived.by)}")
    return " · ".join(parts)
