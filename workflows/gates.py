"""The gates: calls on which a person decides by themselves, each bound to its digest. The first decision wins."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from saga.decision import GateDecision
    from saga.errors import BadInput
    from saga.log import Log
    from saga.proposal import call_of, seal
    from saga.request import Admitted
    from saga.row import Row
    from saga.word import Approval
    from workflows.need import Need
    from workflows.pivot import deadline_of, may_let_happen


class Gate:
    """One call, as it is shown, until somebody has decided on it."""

    def __init__(self, row: Row, deadline: datetime) -> None:
        """Draw the nonce: what was decided on a call like it elsewhere is worth nothing here."""
        self._row, self.deadline = row, deadline
        self.call = call_of(row)
        self.digest = seal(self.call, str(workflow.uuid4()))
        self.decision: GateDecision | None = None

    @property
    def need(self) -> Need:
        """What a person is asked, with all that they must know to answer."""
        row, call = self._row, self.call
        why = call.gate or "it was done in this run already, and others would see a second one"
        what = f"may {call.tool} → {call.target} run now, by itself, before the rest is approved? {why}"
        where = f"{row.run_id} {row.step_idx} --by YOU --digest {self.digest}"
        return Need(
            step_idx=row.step_idx,
            half="call",
            kind="gate",
            what=what,
            how=f"saga approve {where} · saga reject {where}",
            digest=self.digest,
            call=call,
            deadline=self.deadline,
        )


class Gates:
    """The gates of one run, those that have been decided included."""

    def __init__(self, log: Log, forward: Callable[[], bool], changed: Callable[[], None]) -> None:
        """`forward`: whether the run still goes forward. `admitted` is set once the run has been admitted."""
        self._log, self._forward, self._changed = log, forward, changed
        self.admitted: Admitted | None = None
        self._gates: dict[int, Gate] = {}
        self._open: set[int] = set()

    @property
    def needs(self) -> list[Need]:
        """What waits, in step order."""
        return [self._gates[idx].need for idx in sorted(self._open)]

    async def wait(self, idx: int) -> GateDecision | None:
        """The decision on that queued call; None where the deadline passed, or the run turned round."""
        assert self.admitted is not None  # noqa: S101 - admission came before the first call
        gate = self._gates[idx] = Gate(self._log[idx], deadline_of(self._log, self.admitted))
        self._open.add(idx)
        self._changed()
        try:
            await workflow.wait_condition(
                lambda: gate.decision is not None or not self._forward(),
                timeout=max(gate.deadline - workflow.now(), timedelta()),
                timeout_summary=f"approval of step {idx} by itself, {gate.digest}, expires",
            )
        except TimeoutError:
            return None
        finally:
            self._open.discard(idx)
            self._changed()
        return gate.decision if self._forward() else None

    def check(self, decision: GateDecision) -> None:
        """BadInput with what is wrong; changes nothing."""
        idx = decision.step_idx
        gate = self._gates.get(idx)
        if idx >= len(self._log):
            raise BadInput(
                "step_idx", f"there are steps 0 to {len(self._log) - 1}" if len(self._log) else "no step yet"
            )
        if gate is None:
            row = self._log[idx]
            raise BadInput("step_idx", f"step {idx} {row.tool} is {row.status}; it is not decided on by itself")
        if decision.digest != gate.digest:
            raise BadInput("digest", f"is not the digest of what waits at step {idx}; look at it again")
        if gate.decision is not None:
            raise BadInput("", f"already decided: {gate.decision.decision} by {gate.decision.by}")
        if workflow.now() >= gate.deadline:
            raise BadInput("", f"too late: the deadline was {gate.deadline:%Y-%m-%d %H:%M:%S} UTC")
        if not self._forward():
            raise BadInput("", "too late: the run has turned round, and nothing more is sent")
        if decision.decision == "approve" and self.admitted is not None:
            may_let_happen(self.admitted, decision.by)

    def decide(self, decision: GateDecision) -> Row:
        """Note the decision that was checked, on the row too."""
        idx, at = decision.step_idx, workflow.now()
        row, gate = self._log[idx], self._gates[idx]
        if gate.decision is not None:
            return row
        gate.decision = decision
        if decision.decision == "approve":
            row = row.model_copy(update={"approved_by": Approval(by=decision.by, at=at, digest=gate.digest, gate=True)})
        else:
            row = row.model_copy(update={"how": f"rejected by {decision.by}: {decision.note}".rstrip(": ")})
        return self._log.put(row)  # told to the server by `wait`: a handler leaves no commands of its own
