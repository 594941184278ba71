"""An ending: how one run ended, as the server and the world have it, ready to be judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from temporalio.api.history.v1 import HistoryEvent
from temporalio.client import Client, WorkflowExecutionDescription, WorkflowExecutionStatus, WorkflowFailureError
from temporalio.exceptions import ApplicationError

from saga.row import Row
from workers.chaos.course import Course
from workers.chaos.expectation import Ending, Story, must_hold
from workers.chaos.patience import patiently
from workers.chaos.plan import APPROVERS, Plan
from workers.chaos.view import Handle, latest, rows_of
from workers.consent import Consent, accepted, consents
from workers.holding import target_of
from workers.ledger import RunEnd
from workers.sandbox.world import Effect


@dataclass(frozen=True, kw_only=True)
class Ended:
    """What is known of a run once it is over. `ending` None: it is stuck."""

    run_id: str
    plan: Plan
    ending: Ending | None
    rows: tuple[Row, ...]
    earlier: tuple[Row, ...]
    """Of the branches that a reset threw away."""
    consents: tuple[Consent, ...]
    """Of people who may let something happen; what others sent is none."""
    story: dict[str, Any]
    """What the bench did to it, as fields of Story."""
    flaws: tuple[str, ...]
    """What is wrong and counts in none of the seven numbers."""

    def end(self, effects: list[Effect]) -> RunEnd:
        """With what the world must hold; `effects` are those of this run, seen after everything was over."""
        ending = self.ending or "TERMINATED"
        seen = {each.kind: each.state for each in effects if target_of(each, effects) is None}
        story = Story(
            kind=self.plan.kind,
            order_id=self.plan.order_id,
            ending=ending,
            seen=seen,
            declined=self.plan.declined,
            **self.story,
        )
        return RunEnd(
            run_id=self.run_id,
            must_hold=must_hold(story),
            rows=self.rows,
            closed=self.ending not in (None, "TERMINATED"),
            consents=self.consents,
            earlier=self.earlier,
        )


async def ended(course: Course, about: WorkflowExecutionDescription, client: Client) -> Ended:
    """Read rows and histories of a run that is over, or stuck."""
    handles = [latest(client, course.run_id, each) for each in (*course.executions, about.run_id)]
    histories = [(await patiently(each.fetch_history)).events for each in handles]
    flaws = [*course.intruder.flaws, *([course.stuck] if course.stuck else [])]
    ending = None if course.stuck else await _ending(handles[-1], about, histories[-1])
    if ending == "TERMINATED" and not course.terminated:
        flaws.append(f"it was closed as {about.status.name if about.status else 'nothing'}, and nobody had asked")
    if ending == "REFUSED":
        flaws.append("admission refused it")
    said = [each for events in histories for each in consents(events) if each.by in APPROVERS]
    if ending == "COMMITTED" and not said and course.plan.kind != "garbage":
        flaws.append("it committed, and nobody had approved")
    pages = [await _rows(each, events) for each, events in zip(handles, histories, strict=True)]
    return Ended(
        run_id=course.run_id,
        plan=course.plan,
        ending=ending,
        rows=pages[-1],
        earlier=tuple(row for page in pages[:-1] for row in page),
        consents=tuple(said),
        story={
            "touched": frozenset(course.touched),
            "moved": course.moved,
            "struck": struck(histories[-1], pages[-1]),
            "waived": frozenset(course.person.waived),
        },
        flaws=tuple(flaws),
    )


def struck(events: Sequence[HistoryEvent], rows: Sequence[Row]) -> frozenset[str]:
    """Tools of the commits that a reviewer left out, as the run has heard it: who said so may not have been told."""
    sent = [payload for name, payload in accepted(events) if name == "decide_pivot"]
    return frozenset(rows[idx].tool for payload in sent for idx in payload.get("strike") or ())


async def _rows(handle: Handle, events: Sequence[HistoryEvent]) -> tuple[Row, ...]:
    """A run that was terminated before its first task has none, and cannot be asked."""
    begun = any(each.HasField("workflow_task_completed_event_attributes") for each in events)
    return await patiently(lambda: rows_of(handle)) if begun else ()


async def _ending(handle: Handle, about: WorkflowExecutionDescription, events: Sequence[HistoryEvent]) -> Ending:
    if about.status == WorkflowExecutionStatus.COMPLETED:
        return "COMMITTED"
    kept = any(sent.get("keep") for name, sent in accepted(events) if name == "cancel_run")
    if about.status == WorkflowExecutionStatus.CANCELED:
        return "KEPT" if kept else "UNWOUND"
    if about.status != WorkflowExecutionStatus.FAILED:
        return "TERMINATED"
    try:
        await patiently(lambda: handle.result(follow_runs=False))
    except WorkflowFailureError as error:
        cause = error.cause
        if isinstance(cause, ApplicationError) and cause.type == "RunUnwound":
            return "KEPT" if kept and cause.message.startswith("cancelled; kept") else "UNWOUND"
    return "REFUSED"
