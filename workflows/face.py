"""The face of a run: its status, its page in the Web UI and its search attributes, which follow every change."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from saga.decision import CancelOrder
    from saga.record import Record
    from saga.request import Admitted
    from saga.unwind import circles, to_undo
    from workflows.attributes import AGENT, IRREVERSIBLE, NEEDS_HUMAN, PHASE, SUBJECT, UNSETTLED, Attributes
    from workflows.details import page
    from workflows.earlier import BEFORE_RESET
    from workflows.need import Need
    from workflows.pivot import Pivot
    from workflows.planning import Planning
    from workflows.saga import Saga

Phase = Literal["STAGING", "AWAITING_APPROVAL", "COMMITTING", "COMMITTED", "UNWINDING", "UNWOUND", "NEEDS_HUMAN"]


NEVER_SENT = ("QUEUED", "CANCELLED", "NOT_EXECUTED", "FAILED")
"""Of an irreversible call that nobody approved: it has not happened."""


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
    circles: list[list[int]]
    """Steps that refer to each other in a circle: they are undone in reverse step order."""


class Face:
    """What a run holds that people can see or change."""

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
        self._undoing = 0
        self.refused: list[str] = []

    def _awaits_pivot(self) -> bool:
        return self.pivot is not None and self.phase in ("AWAITING_APPROVAL", "NEEDS_HUMAN")

    def _set_phase(self, phase: Phase, why: str = "") -> None:
        self.phase, self.why = phase, why or self.why
        if phase == "UNWINDING":
            self._undoing = len(to_undo(self.saga.log))
        if phase not in ("AWAITING_APPROVAL", "NEEDS_HUMAN"):
            self.pivot = self.pivot if phase == "COMMITTING" else None
        self._changed()

    def _needs(self) -> list[Need]:
        needs = self.saga.needs
        if self.phase == "NEEDS_HUMAN" and self.pivot is not None:
            what = self.pivot.proposal.reason or "the model asks for a person"
            how = f"saga approve|reject {self.saga.log.run_id} --by YOU --yes"
            needs = [*needs, Need(step_idx=None, half="call", kind="review", what=what, how=how)]
        return needs

    def _status(self) -> Status:
        rows = list(self.saga.log)
        unsettled = ("UNKNOWN", "COMPENSATION_REQUESTED", "COMPENSATION_FAILED")
        early = [
            row
            for row in rows
            if row.tool_class == "irreversible"
            and not row.approved_by
            and not (row.error and row.error.code == BEFORE_RESET)
        ]
        awaiting = self.pivot is not None and self._awaits_pivot()
        return Status(
            phase="NEEDS_HUMAN" if self.saga.stuck else self.phase,
            why=self.why,
            unsettled=sum(row.status in unsettled and not row.waived for row in rows),
            irreversible_before_pivot=sum(row.status not in NEVER_SENT for row in early),
            reordered=self.planning.reordered if self.planning else 0,
            needs_human=self._needs(),
            deadline=self.pivot.deadline if awaiting and self.pivot else None,
            refused=self.refused,
            circles=circles(rows),
        )

    def _changed(self) -> None:
        """The page and the search attributes follow every change."""
        status = self._status()
        now: dict[Any, Any] = {
            PHASE: status.phase,
            # An unwind is told once, with all that it must undo, and not again with every single undo.
            UNSETTLED: self._undoing if status.phase == "UNWINDING" else status.unsettled,
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
                refused=self.refused,
                circles=status.circles,
            )
        )
