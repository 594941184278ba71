"""The desk: where people meet a run. Its queries, updates and signals, and the page they see.

Each update has a validator that does all parsing, checking and refusing; the handler only writes down and answers.
Handlers take `*payload`, since none, one, two or null payloads all arrive, and an ordinary parameter would let an empty
one fail the workflow task for ever.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal, TypeVar

from temporalio import workflow
from temporalio.common import RawValue
from temporalio.exceptions import ApplicationError, ApplicationErrorCategory

with workflow.unsafe.imports_passed_through():
    from saga.decision import (
        CancelOrder,
        LogQuery,
        PivotDecision,
        PivotSignal,
        Resolution,
        StepOrder,
        TranscriptQuery,
        parse,
    )
    from saga.errors import BadInput
    from saga.record import Json, Record, Typed
    from saga.request import Admitted
    from workflows.attributes import AGENT, IRREVERSIBLE, NEEDS_HUMAN, PHASE, SUBJECT, UNSETTLED, Attributes
    from workflows.details import page
    from workflows.people import Need
    from workflows.pivot import Pivot, may_let_happen
    from workflows.planning import Planning
    from workflows.saga import Saga

Phase = Literal["STAGING", "AWAITING_APPROVAL", "COMMITTING", "COMMITTED", "UNWINDING", "UNWOUND", "NEEDS_HUMAN"]
OrderT = TypeVar("OrderT", bound=Typed)
REFUSED_KEPT = 20
"""Signals that did not fit, kept for the page; a flood of forged ones must not grow the run."""
INVALID = "InvalidDecision"
"""Failure type of a decision that changed nothing."""


class Status(Record):
    """Answer of the query `status`."""

    phase: Phase
    why: str
    unsettled: int
    irreversible_before_pivot: int
    reordered: int
    needs_human: list[Need]
    deadline: datetime | None
    refused: list[str]
    """The latest signals that did not fit and changed nothing."""


class Desk:
    """What a run holds that people can see or change; `AgentRun` tells the story around it."""

    def __init__(self) -> None:
        """An empty log, in the first phase."""
        info = workflow.info()
        self.saga = Saga(info.workflow_id, info.first_execution_run_id or info.run_id, self._changed)
        self.phase: Phase = "STAGING"
        self.why = ""
        self.admitted: Admitted | None = None
        self.planning: Planning | None = None
        self.pivot: Pivot | None = None
        self.cancel: CancelOrder | None = None
        self.cancel_heard = False
        self._attributes = Attributes()
        self._refused: list[str] = []

    def turn_round(self) -> None:
        """A cancel: nothing more goes forward, unless a commit has happened or may have; then it changes nothing."""
        if self.phase in ("COMMITTED", "UNWINDING", "UNWOUND") or self.saga.committed:
            return
        self.saga.forward = False
        self.saga.halves.cancel_underway()

    # Queries

    @workflow.query(description="The saga log: one row per step. Optional {after: -1, limit: 500}.")
    def saga_log(self, *payload: Any) -> list[Json]:
        """Rows in order, from the step after `after`, at most `limit`."""
        asked = parse(LogQuery, payload[0] if payload and payload[0] is not None else {})
        rows = [row for row in self.saga.log if row.step_idx > asked.after]
        return [row.model_dump(mode="json") for row in rows[: asked.limit]]

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
        """Refuse what does not fit; keeping effects is an approver's to say."""
        order = _one(CancelOrder, payload)
        if order.keep:
            self._approvers_only(order)

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
        self._refused = [*self._refused, text[:300]][-REFUSED_KEPT:]
        self._changed()

    # What the above are made of

    def _check_pivot(self, decision: PivotDecision) -> None:
        _refusing(lambda: self._pivot_or_refuse(decision))

    def _pivot_or_refuse(self, decision: PivotDecision) -> Pivot:
        if self.pivot is None or not self._awaits_pivot():
            raise BadInput("", f"nothing awaits approval: the run is {self.phase}")
        self.pivot.check(decision)
        return self.pivot

    def _awaits_pivot(self) -> bool:
        return self.pivot is not None and self.phase in ("AWAITING_APPROVAL", "NEEDS_HUMAN")

    def _approvers_only(self, order: OrderT) -> OrderT:
        def check() -> None:
            if self.admitted is None:
                raise BadInput("", "the run has not been admitted yet")
            may_let_happen(self.admitted, getattr(order, "by", ""))

        _refusing(check)
        return order

    def _set_phase(self, phase: Phase, why: str = "") -> None:
        self.phase, self.why = phase, why or self.why
        if phase not in ("AWAITING_APPROVAL", "NEEDS_HUMAN"):
            self.pivot = self.pivot if phase == "COMMITTING" else None
        self._changed()

    def _needs(self) -> list[Need]:
        needs = self.saga.people.needs
        if self.phase == "NEEDS_HUMAN" and self.pivot is not None:
            what = self.pivot.proposal.reason or "the model asks for a person"
            how = f"saga approve|reject {self.saga.log.run_id} --by YOU --yes"
            needs = [*needs, Need(step_idx=None, half="call", kind="review", what=what, how=how)]
        return needs

    def _status(self) -> Status:
        rows = list(self.saga.log)
        unsettled = ("UNKNOWN", "COMPENSATION_REQUESTED", "COMPENSATION_FAILED")
        early = [row for row in rows if row.tool_class == "irreversible" and not row.approved_by]
        awaiting = self.pivot is not None and self._awaits_pivot()
        return Status(
            phase="NEEDS_HUMAN" if self.saga.stuck else self.phase,
            why=self.why,
            unsettled=sum(row.status in unsettled and not row.waived for row in rows),
            irreversible_before_pivot=sum(row.status not in ("QUEUED", "CANCELLED") for row in early),
            reordered=self.planning.reordered if self.planning else 0,
            needs_human=self._needs(),
            deadline=self.pivot.deadline if awaiting and self.pivot else None,
            refused=self._refused,
        )

    def _changed(self) -> None:
        """The page and the search attributes follow every change."""
        status = self._status()
        now: dict[Any, Any] = {
            PHASE: status.phase,
            UNSETTLED: status.unsettled,
            NEEDS_HUMAN: bool(status.needs_human) or status.phase == "AWAITING_APPROVAL",
            IRREVERSIBLE: status.irreversible_before_pivot,
        }
        if self.admitted is not None:
            now |= {AGENT: self.admitted.agent, SUBJECT: self.admitted.subject}
            self._attributes.tell(now)
        waiting = self.pivot.proposal if self.pivot is not None and self._awaits_pivot() else None
        workflow.set_current_details(
            page(
                phase=status.phase,
                why=status.why,
                rows=self.saga.log,
                needs=status.needs_human,
                proposal=waiting,
                refused=self._refused,
            )
        )


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
