"""The pivot: one proposal, one decision bound to its digest, one deadline. The first decision wins."""

from __future__ import annotations

from datetime import datetime, timedelta

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from saga.decision import PivotDecision
    from saga.errors import BadInput
    from saga.log import Log
    from saga.proposal import Proposal, build
    from saga.request import Admitted
    from saga.row import Approval
    from workflows.options import HOLD_MARGIN


class Pivot:
    """One opening of the approval. A run that is sent back opens another one, with another digest."""

    def __init__(self, log: Log, admitted: Admitted, reason: str) -> None:
        """Draw the nonce, set the deadline: what was asked for, or the first hold's end less a margin."""
        self._admitted = admitted
        self.deadline = deadline_of(log, admitted)
        self.proposal: Proposal = build(log, str(workflow.uuid4()), self.deadline, reason)
        self.decision: PivotDecision | None = None
        self._decided_at = workflow.now()

    def check(self, decision: PivotDecision) -> None:
        """BadInput with what is wrong; changes nothing."""
        if decision.digest != self.proposal.digest:
            raise BadInput("digest", "is not the digest of what stands now; look at the proposal again")
        if self.decision is not None:
            raise BadInput("", f"already decided: {self.decision.decision} by {self.decision.by}")
        if workflow.now() >= self.deadline:
            raise BadInput("", f"too late: the deadline was {self.deadline:%Y-%m-%d %H:%M:%S} UTC")
        if decision.decision != "reject":
            may_let_happen(self._admitted, decision.by)
        if decision.strike and decision.decision != "send_back":
            raise BadInput("strike", "goes only with send_back")
        known = {call.step_idx for call in self.proposal.commit}
        for each in decision.strike:
            if each not in known:
                raise BadInput("strike", f"{each} is not one of the commits {sorted(known)}")

    def decide(self, decision: PivotDecision) -> None:
        """Note the decision that was checked."""
        if self.decision is None:
            self.decision, self._decided_at = decision, workflow.now()

    def approval(self) -> Approval:
        """Who let the commits run."""
        assert self.decision is not None  # noqa: S101 - asked only after an approval
        return Approval(by=self.decision.by, at=self._decided_at, digest=self.decision.digest)


def deadline_of(log: Log, admitted: Admitted) -> datetime:
    """Until when a person may decide: as long as was asked for, or until the first hold's end less a margin."""
    asked = workflow.now() + timedelta(seconds=admitted.approval_timeout_s)
    holds = [row.holds_until - HOLD_MARGIN for row in log if row.stands and row.holds_until]
    return min([asked, *holds])


def may_let_happen(admitted: Admitted, by: str) -> None:
    """BadInput unless `by` is an approver: on the list, or, where there is none, anyone but the requester."""
    if admitted.approvers:
        if by not in admitted.approvers:
            raise BadInput("by", f"{by} is not an approver of this run ({', '.join(admitted.approvers)})")
    elif by == admitted.requested_by:
        raise BadInput("by", "who asked for the run may not approve it alone")
