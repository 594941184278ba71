"""A consent: that a person let exactly these calls happen, and when, as Temporal's history has it.

Only what the server accepted is in history, and its event's time is the server's, so this is no word of ours.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from google.protobuf.timestamp_pb2 import Timestamp
from temporalio.api.common.v1 import Payload
from temporalio.api.history.v1 import HistoryEvent


@dataclass(frozen=True, kw_only=True)
class Consent:
    """`digest` says to what for a pivot and a gate, `step_idx` for a gate and a correction."""

    kind: Literal["pivot", "gate", "correction"]
    at: datetime
    by: str
    digest: str | None = None
    step_idx: int | None = None


def consents(events: Iterable[HistoryEvent]) -> list[Consent]:
    """Every yes in a history, the oldest first. A later one that the run did not need is among them."""
    return [found for event in events if (found := _consent(event)) is not None]


def accepted(events: Iterable[HistoryEvent]) -> list[tuple[str, dict[str, Any]]]:
    """(name, payload) of every update that was let in, the oldest first; a reset leaves those before it out."""
    return [pair for event in events if (pair := _accepted(event)) is not None]


def _accepted(event: HistoryEvent) -> tuple[str, dict[str, Any]] | None:
    if not event.HasField("workflow_execution_update_accepted_event_attributes"):
        return None
    asked = event.workflow_execution_update_accepted_event_attributes.accepted_request.input
    return asked.name, _json(asked.args.payloads)


def _consent(event: HistoryEvent) -> Consent | None:
    update = _accepted(event)
    if update is not None:
        return _of_update(*update, _at(event.event_time))
    if event.HasField("workflow_execution_signaled_event_attributes"):
        sent = event.workflow_execution_signaled_event_attributes
        if sent.signal_name == "approve_pivot":
            return _said("pivot", _json(sent.input.payloads), _at(event.event_time))
    return None


def _of_update(name: str, payload: dict[str, Any], at: datetime) -> Consent | None:
    decision = payload.get("decision")
    if name == "decide_pivot" and decision == "approve":
        return _said("pivot", payload, at)
    if name == "decide_gate" and decision == "approve":
        return _said("gate", payload, at)
    if name == "decide_correction" and decision == "send":
        return _said("correction", payload, at)
    return None


def _said(kind: Literal["pivot", "gate", "correction"], payload: dict[str, Any], at: datetime) -> Consent:
    step, digest = payload.get("step_idx"), payload.get("digest")
    return Consent(
        kind=kind,
        at=at,
        by=str(payload.get("by") or ""),
        digest=digest if isinstance(digest, str) else None,
        step_idx=step if isinstance(step, int) else None,
    )


def _json(payloads: Sequence[Payload]) -> dict[str, Any]:
    """The first payload; empty where it is no JSON object, since anybody may signal anything."""
    try:
        value = json.loads(payloads[0].data) if payloads else None
    except ValueError:
        value = None
    return value if isinstance(value, dict) else {}


def _at(time: Timestamp) -> datetime:
    return time.ToDatetime(tzinfo=UTC)
