"""The story of a run, as text: what happened step by step, what is undone, what stands, what waits for whom.

Pure: rows, status and effects in, lines out. Times are UTC.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from saga.draft import AUDIENCES
from saga.money import Money
from saga.row import Row
from workers import waiting
from workers.effects import Effect, WorldView, halves
from workers.seen import Seen
from workers.wording import clock, columns, day, indented, plain

PHASES = {
    "STAGING": "under way; nothing final has been done",
    "AWAITING_APPROVAL": "prepared, and waits for an approval",
    "COMMITTING": "approved, and being carried out",
    "COMMITTED": "done, as approved",
    "UNWINDING": "being taken back",
    "UNWOUND": "taken back",
    "NEEDS_HUMAN": "nothing can go on without a person",
}
OUTCOMES = {
    "QUEUED": "waits for the approval",
    "INTENDED": "under way",
    "CONFIRMED": "done",
    "FAILED": "refused",
    "UNKNOWN": "nobody knows yet whether it happened",
    "NOT_EXECUTED": "did not happen",
    "CANCELLED": "never run",
    "COMPENSATION_REQUESTED": "done, being undone",
    "COMPENSATED": "done, then undone",
    "COMPENSATION_FAILED": "done, and could not be undone",
}
HOW = {
    "answered": "the provider answered",
    "replayed": "the provider repeated its first answer",
    "looked_up": "found by looking before sending again",
}
"""The codes a row may carry for how its outcome was found out; other words stand as they are."""


def story(seen: Seen, world: WorldView | None) -> str:
    """The whole page. `world` is left out where it is None."""
    parts = [heading(seen)]
    if seen.rows:
        parts.append(section(f"What happened ({day(seen.rows[0].created_at)}, UTC)", happened(seen.rows)))
        parts.append(section("Undone", undone(seen.rows)))
        parts.append(section("Stands", stands(seen.rows)))
    elif not seen.refused:
        parts.append("No step has been taken yet.")
    if seen.ended is None:
        parts.append(section("Waits", waiting.lines(seen)))
    if world is not None and not seen.refused:
        parts.append(section(f"The world's own view of the same keys ({world.where})", of_world(world, seen)))
    return "\n\n".join(parts) + "\n"


def section(title: str, lines: Iterable[str]) -> str:
    """A title, and its lines below it; "nothing" where there are none."""
    return "\n".join([title, *(indented(line) for line in list(lines) or ["nothing"])])


def heading(seen: Seen) -> str:
    """Which run, how it stands in words, why it ended so, and where all this was read."""
    about = [f"Run {seen.run_id}", seen.agent and f"agent {seen.agent}", seen.subject and f"about {seen.subject}"]
    about.append(seen.requested_by and f"asked for by {seen.requested_by}")
    lines = [" · ".join(plain(part) for part in about if part), standing(seen)]
    why = seen.why if seen.refused else str(seen.status.get("why") or seen.why)
    if why:
        lines.append(f"{'In short' if seen.ended == 'COMPLETED' else 'Why'}: {plain(why)}")
    if seen.source == "history":
        lines.append("No worker answered: read from the history, as of the last workflow task that a worker completed.")
        lines += [f"Since then, waiting for a worker: {plain(each)}" for each in seen.arrived]
    return "\n".join(lines)


def standing(seen: Seen) -> str:
    """How the run stands, in one line."""
    phase = str(seen.status.get("phase") or "")
    if seen.refused:
        return "REFUSED at the door: nothing was done"
    words = f"{phase}: {PHASES[phase]}" if phase in PHASES else "not taken up by a worker yet"
    if seen.ended in ("TERMINATED", "TIMED_OUT"):
        return f"{seen.ended} from outside; nothing was cleaned up. It was {words}"
    if seen.ended is not None and seen.ended_at is not None:
        words += f" · closed at {clock(seen.ended_at)}"
    return words


def happened(rows: Sequence[Row]) -> list[str]:
    """One line a step, in the order it happened."""
    steps = max((len(row.tool) for row in rows), default=0)
    return [step_line(row, steps) for row in sorted(rows, key=lambda row: (_when(row), row.step_idx))]


def step_line(row: Row, width: int = 0) -> str:
    """Time, what, on what, outcome, how it was found out, repeats, who saw it."""
    facts = [
        outcome(row),
        HOW.get(row.how, row.how) if row.status not in ("QUEUED", "INTENDED") else "",
        f"sent {row.attempts} times" if row.attempts > 1 else "",
        f"asked for {len(row.repeats) + 1} times, one step" if row.repeats else "",
        _approved(row),
        *(f"{said.by}: {said.what}{said.note and f' ({said.note})'}" for said in row.said if said.what == "retry"),
        f"waived by {row.waived.by}{row.waived.note and f' ({row.waived.note})'}" if row.waived else "",
        seen_by(row),
    ]
    what = f"{clock(_when(row))}  {row.step_idx:>2} {row.tool:<{width}}  {plain(row.target)}"
    return f"{what} — {'; '.join(plain(fact) for fact in facts if fact)}"


def _approved(row: Row) -> str:
    if row.approved_by is None:
        return ""
    return f"approved by {row.approved_by.by}{', by itself' if row.approved_by.gate else ''}"


def outcome(row: Row) -> str:
    """What became of a step, with its reference or its error."""
    words = OUTCOMES[row.status]
    if row.external_ref and row.status != "FAILED":
        words += f" ({row.external_ref})"
    if row.error is not None and row.status in ("FAILED", "UNKNOWN", "NOT_EXECUTED"):
        words += f": {row.error.message}"
    return words


def seen_by(row: Row) -> str:
    """Who could have seen it; who would, while it has not been done."""
    if not row.audience or row.status in ("FAILED", "NOT_EXECUTED", "CANCELLED"):
        return ""
    circle = ", ".join(name.replace("_", " ") for name in AUDIENCES if name in row.audience)
    verb = {"QUEUED": "would be seen by", "INTENDED": "may be seen by", "UNKNOWN": "may be seen by"}
    return f"{verb.get(row.status, 'seen by')} {circle}"


def undone(rows: Iterable[Row]) -> list[str]:
    """The counter-actions that were asked for, the latest last."""
    asked = [row for row in rows if row.compensation is not None and row.compensation.status is not None]
    return [_undo_line(row) for row in sorted(asked, key=lambda row: row.updated_at)]


def stands(rows: Iterable[Row]) -> list[str]:
    """What is in the world as far as the log knows, and what may be."""
    lines: list[str] = []
    for row in rows:
        name = f"{row.step_idx:>2} {row.tool}: {plain(row.target)}"
        if row.stands:
            lines.append(f"{name} ({row.external_ref})")
        elif row.status in ("UNKNOWN", "INTENDED"):
            lines.append(f"{name} — perhaps")
        elif row.status in ("COMPENSATION_REQUESTED", "COMPENSATION_FAILED"):
            lines.append(f"{name} ({row.external_ref}) — until its undo is confirmed")
    return lines


def of_world(view: WorldView, seen: Seen) -> list[str]:
    """One line an effect: what, state, amount, and which step of ours explains it."""
    if view.silent:
        return [view.silent]
    known = halves(seen.rows)
    return columns([_effect_cells(effect, _explained(effect, known)) for effect in view.effects])


def _undo_line(row: Row) -> str:
    half = row.compensation
    words = {
        "INTENDED": "under way",
        "UNKNOWN": "nobody knows yet whether it happened",
        "PENDING": "accepted, not yet confirmed",
        "CONFIRMED": "confirmed",
        "FAILED": "failed",
        "NOT_EXECUTED": "did not happen",
    }
    if half is None or half.status is None:
        return ""
    ref = f" ({half.external_ref})" if half.external_ref else ""
    error = f": {plain(half.error.message)}" if half.error else ""
    return (
        f"{clock(row.updated_at)}  {row.step_idx:>2} {row.tool}: {half.tool} on {row.external_ref}"
        f" — {words[half.status]}{ref}{error}"
    )


def _effect_cells(effect: Effect, explained: str) -> list[str]:
    amount = ""
    if effect.amount_minor is not None and effect.currency:
        amount = str(Money(amount_minor=effect.amount_minor, currency=effect.currency.lower()))
    at = clock(datetime.fromtimestamp(effect.at, UTC))
    return [at, effect.kind, effect.state, plain(effect.ref), amount, explained]


def _explained(effect: Effect, known: dict[str, tuple[Row, str]]) -> str:
    row, half = known.get(effect.key or "", (None, ""))
    if row is None:
        return "NO STEP EXPLAINS THIS"
    return f"step {row.step_idx} {row.tool}" + ("" if half == "call" else f", {half}")


def _when(row: Row) -> datetime:
    """A step behind the approval happened when it was carried out, one after the other, not when it was queued."""
    return row.updated_at if row.approved_by else row.created_at
