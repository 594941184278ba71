"""The desk: where people meet a run. Its queries, updates and signals.

Each update has a validator that does all parsing, checking and refusing; the handler only writes down and answers.
Handlers take `*payload`, since none, one, two or null payloads all arrive, and an ordinary parameter would let an empty
one fail the workflow task for ever.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from temporalio import workflow
from temporalio.common import RawValue
from temporalio.exceptions import ApplicationError, ApplicationErrorCategory

with workflow.unsafe.imports_passed_through():
    from saga.decision import (
        CancelOrder,
        GateDecision,
        LogQuery,
        PivotDecision,
        PivotSignal,
        Resolution,
        StepOrder,
        TranscriptQuery,
        parse,
    )
    from saga.errors import BadInput
    from saga.record import Json, Typed
    from workflows.face import Face
    from workflows.pivot import Pivot, may_let_happen

OrderT = TypeVar("OrderT", bound=Typed)
REFUSED_KEPT = 20
"""Signals that did not fit, kept for the page; a flood of forged ones must not grow the run."""
ANSWER_LIMIT = 250_000
"""Bytes of a query's answer; the server's wall is at 2 MB."""
INVALID = "InvalidDecision"
"""Failure type of a decision that changed nothing."""


class Desk(Face):
    """What people can ask of a run and say to it; `AgentRun` tells the story around it."""

    def turn_round(self) -> None:
        """A cancel: nothing more goes forward, unless a commit has happened or may have; then it changes nothing."""
        if self.phase in ("COMMITTED", "UNWINDING", "UNWOUND") or self.saga.committed:
            return
        self.saga.turn_round()
        self.saga.halves.cancel_underway()

    # Queries

    @workflow.query(description="The saga log: one row per step. Optional {after: -1, limit: 500}.")
    def saga_log(self, *payload: Any) -> list[Json]:
        """Rows in order after step `after`, at most `limit` and ANSWER_LIMIT bytes; ask on until none come."""
        asked = parse(LogQuery, payload[0] if payload and payload[0] is not None else {})
        rows = [row for row in self.saga.log if row.step_idx > asked.after]
        page, size = [], 0
        for row in rows[: asked.limit]:
            size += len(row.model_dump_json())
            if page and size > ANSWER_LIMIT:
                break
            page.append(row.model_dump(mode="json"))
        return page

    @workflow.query(description="What approval would do now; digest is null while nothing awaits it.")
    def proposal(self) -> Json:
        """The proposal that stands, or {digest: null}."""
        waits = self.pivot is not None and self._awaits_pivot()
        return self.pivot.proposal.model_dump(mode="json") if waits and self.pivot else {"digest": None}

    @workflow.query(description="Phase, what is unsettled, and what waits for whom.")
    def status(self) -> Json:
        """See Status."""
        return self._status().model_dump(mode="json")

    @workflow.query(description="The turns as the model is given them. Optional {upto}.")
    def transcript(self, *payload: Any) -> list[Json]:
        """At most 256 kB; shortened as `Planning.transcript` says."""
        asked = parse(TranscriptQuery, payload[0] if payload and payload[0] is not None else {})
        turns = self.planning.transcript(asked.upto) if self.planning else []
        return [turn.model_dump(mode="json") for turn in turns]

    # Updates

    @workflow.update(description="Approve, reject or send back the proposal: {decision, digest, by, note, strike?}")
    def decide_pivot(self, *payload: Any) -> Json:
        """The first decision on this digest wins. Answers the status."""
        decision = parse(PivotDecision, payload[0])
        if self.pivot:
            self.pivot.decide(decision)
        return self.status()

    @decide_pivot.validator
    def check_pivot(self, *payload: Any) -> None:
        """Refuse what does not fit, is stale, late or not theirs to decide."""
        self._check_pivot(_one(PivotDecision, payload))

    @workflow.update(description="Let one call run by itself, or not: {step_idx, decision, digest, by, note}")
    def decide_gate(self, *payload: Any) -> Json:
        """The first decision on this call wins. Answers the row."""
        return self.saga.gates.decide(parse(GateDecision, payload[0])).model_dump(mode="json")

    @decide_gate.validator
    def check_gate(self, *payload: Any) -> None:
        """Refuse what does not fit, is stale, late or not theirs to decide."""
        decision = _one(GateDecision, payload)
        _refusing(lambda: self.saga.gates.check(decision))

    @workflow.update(description="You looked: {step_idx, half: call|compensation, happened, external_ref?, by, note}")
    def resolve_step(self, *payload: Any) -> Json:
        """A person says whether it happened. Answers the row."""
        return self.saga.people.resolve(parse(Resolution, payload[0])).model_dump(mode="json")

    @resolve_step.validator
    def check_resolve(self, *payload: Any) -> None:
        """Refuse where that half is not open, or the person is no approver."""
        order = self._approvers_only(_one(Resolution, payload))
        _refusing(lambda: self.saga.people.may_resolve(order))

    @workflow.update(description="Try again, or look again: {step_idx, half: call|compensation, by, note}")
    def retry_step(self, *payload: Any) -> Json:
        """Answers the row."""
        return self.saga.people.retry(parse(StepOrder, payload[0])).model_dump(mode="json")

    @retry_step.validator
    def check_retry(self, *payload: Any) -> None:
        """Refuse where nobody was asked about that half, or the person is no approver."""
        order = self._approvers_only(_one(StepOrder, payload))
        _refusing(lambda: self.saga.people.may_retry(order))

    @workflow.update(description="Leave it as it is, on your name: {step_idx, half: call|compensation, by, note}")
    def waive_step(self, *payload: Any) -> Json:
        """Answers the row."""
        return self.saga.people.waive(parse(StepOrder, payload[0])).model_dump(mode="json")

    @waive_step.validator
    def check_waive(self, *payload: Any) -> None:
        """Refuse where there is nothing to waive, or the person is no approver."""
        order = self._approvers_only(_one(StepOrder, payload))
        _refusing(lambda: self.saga.people.may_waive(order))

    @workflow.update(description="Say why before cancelling: {keep, by, note}. Then use Request Cancellation.")
    def cancel_run(self, *payload: Any) -> Json:
        """Nothing more goes forward; `keep` leaves settled effects. Answers the status."""
        self.cancel = self.cancel or parse(CancelOrder, payload[0])
        self.turn_round()
        return self.status()

    @cancel_run.validator
    def check_cancel(self, *payload: Any) -> None:
        """Refuse what does not fit; keeping effects is an approver's to say, and only before they are undone."""
        order = _one(CancelOrder, payload)
        if order.keep:
            self._approvers_only(order)
        _refusing(lambda: self._may_keep(order))

    # Signals

    @workflow.signal(
        description="Approve the proposal: {digest, by, note}. Prefer the update decide_pivot: it answers."
    )
    def approve_pivot(self, *payload: Any) -> None:
        """As decide_pivot; what does not fit changes nothing and is written on the page."""
        self._hear("approve", payload)

    @workflow.signal(description="Reject the proposal: {digest, by, note}. Prefer the update decide_pivot: it answers.")
    def reject_pivot(self, *payload: Any) -> None:
        """As decide_pivot; what does not fit changes nothing and is written on the page."""
        self._hear("reject", payload)

    @workflow.signal(dynamic=True)
    def unknown_signal(self, name: str, payload: Sequence[RawValue]) -> None:  # noqa: ARG002 - nothing in it counts
        """A name that nobody here knows."""
        self._note_refused(f"signal {name[:80]}: there is no such signal; approve_pivot and reject_pivot are")

    def _hear(self, decision: str, payload: Sequence[Any]) -> None:
        try:
            signal = _parse_one(PivotSignal, payload)
            full = PivotDecision.model_validate({**signal.model_dump(), "decision": decision})
            self._pivot_or_refuse(full).decide(full)
        except BadInput as problem:
            self._note_refused(f"signal {decision}_pivot: {problem}")

    def _note_refused(self, text: str) -> None:
        self.refused = [*self.refused, text[:300]][-REFUSED_KEPT:]
        self._changed()

    # What the above are made of

    def _check_pivot(self, decision: PivotDecision) -> None:
        _refusing(lambda: self._pivot_or_refuse(decision))

    def _pivot_or_refuse(self, decision: PivotDecision) -> Pivot:
        if self.pivot is None or not self._awaits_pivot():
            raise BadInput("", f"nothing awaits approval: the run is {self.phase}")
        self.pivot.check(decision)
        return self.pivot

    def _may_keep(self, order: CancelOrder) -> None:
        """BadInput where `keep` says otherwise than the cancel that counts already: the first one does."""
        if self.cancel is not None and order.keep != self.cancel.keep:
            kept = "keeping what is settled" if self.cancel.keep else "keeping nothing"
            raise BadInput("keep", f"{self.cancel.by} has cancelled it already, {kept}")
        if order.keep and self.cancel is None and self.phase in ("UNWINDING", "UNWOUND"):
            raise BadInput("keep", f"too late: the run is {self.phase}")

    def _approvers_only(self, order: OrderT) -> OrderT:
        def check() -> None:
            if self.admitted is None:
                raise BadInput("", "the run has not been admitted yet")
            may_let_happen(self.admitted, getattr(order, "by", ""))

        _refusing(check)
        return order


def _parse_one(model: type[OrderT], payload: Sequence[Any]) -> OrderT:
    if len(payload) != 1:
        raise BadInput("", f"expected one JSON object, got {len(payload)} payloads")
    return parse(model, payload[0])


def _one(model: type[OrderT], payload: Sequence[Any]) -> OrderT:
    found: list[OrderT] = []
    _refusing(lambda: found.append(_parse_one(model, payload)))
    return found[0]


def _refusing(check: Any) -> None:
    """Run a check; what it refuses goes to the sender as a failure message that a person understands."""
    try:
        check()
    except BadInput as problem:
        raise ApplicationError(
            str(problem), type=INVALID, non_retryable=True, category=ApplicationErrorCategory.BENIGN
        ) from None
