"""Rows as a run writes them, for tests that only read them."""

from datetime import UTC, datetime, timedelta
from typing import Any

from saga.draft import CounterCall, Draft, Facts, Handling, Pace
from saga.keys import OPEN_KEY
from saga.log import Log
from saga.outcome import Receipt
from saga.row import Row

AT = datetime(2026, 11, 30, 12, 3, 4, tzinfo=UTC)
RUN = "order-1182"


def later(seconds: float) -> datetime:
    return AT + timedelta(seconds=seconds)


def draft(tool: str = "create_ticket", *, target: str = "a ticket about order 1182", **changes: Any) -> Draft:
    """A reversible call, seen by the support team, undone by `close_ticket`."""
    pace = Pace(request_s=1, attempt_s=2, patience_s=3, tries=1)
    handling = Handling(system="tickets", grade="lookup", clock_s=1, pace=pace)
    return Draft(
        tool=tool,
        tool_class="reversible",
        target=target,
        args={},
        audience=("support_team",),
        compensation=CounterCall(tool="close_ticket", args={"ticket_key": OPEN_KEY}),
        correction=None,
        facts=Facts(identity=None, clock_s=1, grade="lookup", commits=None, handling=handling, undo=handling),
    ).model_copy(update=changes)


def log() -> Log:
    return Log(RUN, "the-first-execution")


def confirmed(rows: Log, ref: str = "SUP-1", how: str = "answered", *, after_s: float = 0, **changes: Any) -> Row:
    """The next step, done."""
    row = rows.write(draft(**changes), "INTENDED", later(after_s))
    return rows.put(row.confirm(Receipt(external_ref=ref), later(after_s + 1), how=how, attempts=1))
