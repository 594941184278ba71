"""Two runs that ended as their stories want, row by row and effect by effect, for tests to plant a flaw in."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from saga.draft import Facts, Handling, Pace
from saga.keys import compensation_key, correction_key, step_key
from saga.row import Approval, CounterAction, Row
from workers.consent import Consent
from workers.holding import Holding
from workers.ledger import RunEnd
from workers.sandbox.world import Effect
from workers.scoreboard import Call, Scoreboard, count

RUN, EXECUTION, DIGEST = "a-run", "11111111-2222", "0123456789abcdef"
NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
APPROVED = NOON + timedelta(seconds=10)

UNDONE = (
    Holding(kind="ticket.create", state="undone"),
    Holding(kind="ticket.transition", undoes=True),
    Holding(kind="charge.capture", state="undone", amount_minor=500, currency="eur"),
    Holding(kind="charge.refund", undoes=True),
)
DONE = (
    Holding(kind="ticket.create"),
    Holding(kind="charge.capture", amount_minor=500, currency="eur"),
    Holding(kind="mail.send", about={"to": ["mara@customers.test"]}),
)


def row(idx, tool, status, *, undo="", undo_status=None, approved=False, correction="", **fields):
    pace = Pace(request_s=1, attempt_s=2, patience_s=3, tries=3)
    handling = Handling(system="payments", grade="key_and_lookup", clock_s=1, pace=pace)
    approval = Approval(by="lead", at=APPROVED, digest=DIGEST) if approved else None
    compensation = undo and CounterAction(
        tool=undo, args={}, idempotency_key=compensation_key(RUN, idx, tool), status=undo_status
    )
    corrects = correction and CounterAction(
        tool=correction, args={}, idempotency_key=correction_key(RUN, idx, tool), status="CONFIRMED"
    )
    return Row(
        run_id=RUN,
        step_idx=idx,
        tool=tool,
        tool_class="irreversible" if tool in ("send_email", "refund_order") else "compensatable",
        target="something",
        idempotency_key=step_key(RUN, idx, tool),
        args={},
        status=status,
        compensation=compensation or None,
        correction=corrects or None,
        approved_by=approval,
        execution=EXECUTION,
        facts=Facts(identity=None, clock_s=1, grade="key_and_lookup", commits=None, handling=handling),
        created_at=NOON,
        updated_at=NOON,
        **fields,
    )


def effect(kind: str, ref: str, key: str, at_s: float = 1.0, **fields: Any) -> Effect:
    given: dict[str, Any] = {"state": "standing", "amount_minor": None, "currency": None}
    given |= {"audience": ["finance"], "about": {}, **fields}
    return Effect(
        system="any",
        kind=kind,
        ref=ref,
        key=key,
        run=RUN,
        execution=EXECUTION,
        at=NOON.timestamp() + at_s,
        **given,
    )


def undo_key(of: Row) -> str:
    return compensation_key(RUN, of.step_idx, of.tool)


def line(at_s, ahead_s=0.0):
    """A request of that moment, by a world's clock that is so much ahead."""
    at = NOON.timestamp() + at_s
    return {"at": at, "wall_at": at - ahead_s}


class Unwound:
    """One ticket, closed; one charge, refunded: a run that was undone, and a world that agrees."""

    def __init__(self):
        self.rows = [
            row(0, "create_ticket", "COMPENSATED", undo="close_ticket", undo_status="CONFIRMED"),
            row(1, "charge_card", "COMPENSATED", undo="refund_charge", undo_status="CONFIRMED"),
        ]
        ticket, charge = (each.idempotency_key for each in self.rows)
        close, refund = (undo_key(each) for each in self.rows)
        euros: dict[str, Any] = {"amount_minor": 500, "currency": "eur"}
        self.effects = [
            effect("ticket.create", "SUP-1", ticket, state="undone"),
            effect("charge.capture", "pi_1", charge, state="undone", **euros),
            effect("charge.refund", "re_1", refund, **euros, about={"undoes": "pi_1"}),
            effect("ticket.transition", "SUP-1", close, about={"undoes": "SUP-1"}),
        ]
        self.must_hold: tuple[Holding, ...] = UNDONE
        self.consents: list[Consent] = []

    def end(self, *, closed: bool = True) -> RunEnd:
        return RunEnd(
            run_id=RUN,
            must_hold=self.must_hold,
            rows=tuple(self.rows),
            closed=closed,
            consents=tuple(self.consents),
        )

    def board(self, *, calls: Sequence[Call] = (), closed: bool = True, since: float | None = None) -> Scoreboard:
        return count([self.end(closed=closed)], self.effects, calls, since=since)

    def change(self, place, **fields):
        self.effects[place] = self.effects[place].model_copy(update=fields)


class Committed(Unwound):
    """One ticket, one charge and one mail, approved before the last two: a run that was carried out."""

    def __init__(self):
        super().__init__()
        self.rows = [
            row(0, "create_ticket", "CONFIRMED", undo="close_ticket"),
            row(1, "charge_card", "CONFIRMED", undo="refund_charge", approved=True),
            row(2, "send_email", "CONFIRMED", approved=True),
        ]
        ticket, charge, mail = (each.idempotency_key for each in self.rows)
        to = {"to": ["mara@customers.test"]}
        self.effects = [
            effect("ticket.create", "SUP-1", ticket),
            effect("charge.capture", "pi_1", charge, 11.0, amount_minor=500, currency="eur"),
            effect("mail.send", "msg_1", mail, 12.0, audience=["customer"], about=to),
        ]
        self.must_hold = DONE
        self.consents = [Consent(kind="pivot", at=APPROVED, by="lead", digest=DIGEST)]

    def correct(self, *, approved_s=15.0, audience=("customer",)):
        """A correction of the mail is sent at 20 s, a yes to it comes at `approved_s`."""
        sent = row(2, "send_email", "CONFIRMED", approved=True, correction="send_correction")
        self.rows[2] = sent
        key = correction_key(RUN, 2, "send_email")
        self.change(2, audience=list(audience))
        self.effects.append(effect("mail.send", "msg_2", key, 20.0, audience=["customer"]))
        at = NOON + timedelta(seconds=approved_s)
        self.consents.append(Consent(kind="correction", at=at, by="lead", step_idx=2))
