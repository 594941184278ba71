"""Consents: every yes that the server accepted, with its own time, and nothing else."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from temporalio.api.common.v1 import Payload
from temporalio.api.history.v1 import HistoryEvent

from workers.consent import accepted, consents

AT = datetime(2026, 11, 30, 12, 3, 4, tzinfo=UTC)
YES = {"decision": "approve", "digest": "0123456789abcdef", "by": "lead", "note": ""}


def payload(value: Any) -> Payload:
    return Payload(data=value if isinstance(value, bytes) else json.dumps(value).encode())


def update(name: str, *values: Any) -> HistoryEvent:
    event = HistoryEvent()
    event.event_time.FromDatetime(AT)
    asked = event.workflow_execution_update_accepted_event_attributes.accepted_request.input
    asked.name = name
    asked.args.payloads.extend(payload(value) for value in values)
    return event


def signal(name: str, *values: Any) -> HistoryEvent:
    event = HistoryEvent()
    event.event_time.FromDatetime(AT)
    event.workflow_execution_signaled_event_attributes.signal_name = name
    event.workflow_execution_signaled_event_attributes.input.payloads.extend(payload(value) for value in values)
    return event


def test_an_approval_has_who_what_and_the_servers_time():
    found = consents([update("decide_pivot", YES)])
    assert [(each.kind, each.by, each.digest, each.at) for each in found] == [("pivot", "lead", YES["digest"], AT)]


@pytest.mark.parametrize(
    ("event", "kind", "step_idx"),
    [
        (update("decide_gate", {**YES, "step_idx": 3}), "gate", 3),
        (update("decide_correction", {"step_idx": 4, "decision": "send", "by": "lead"}), "correction", 4),
        (signal("approve_pivot", {"digest": YES["digest"], "by": "lead"}), "pivot", None),
    ],
    ids=["a gate", "a correction", "a signal"],
)
def test_a_yes_to_one_step_and_one_by_signal_count_too(event, kind, step_idx):
    assert [(each.kind, each.step_idx) for each in consents([event])] == [(kind, step_idx)]


@pytest.mark.parametrize(
    "event",
    [
        update("decide_pivot", {**YES, "decision": "reject"}),
        update("decide_pivot", {**YES, "decision": "send_back"}),
        update("decide_correction", {"step_idx": 4, "decision": "skip", "by": "lead"}),
        update("waive_step", {"step_idx": 1, "by": "lead"}),
        update("decide_pivot"),
        update("decide_pivot", "approve"),
        update("decide_pivot", b"\x00 not JSON"),
        signal("reject_pivot", {"digest": YES["digest"], "by": "lead"}),
        signal("please", YES),
        HistoryEvent(),
    ],
    ids=[
        *("rejected", "sent back", "skipped", "a waiver", "no payload", "a text", "no JSON"),
        *("a rejecting signal", "an unknown signal", "another event"),
    ],
)
def test_nothing_else_is_a_yes(event):
    assert consents([event]) == []


def test_a_signal_of_any_shape_is_read_without_an_error():
    assert [each.digest for each in consents([signal("approve_pivot"), signal("approve_pivot", [1], 2)])] == [
        None,
        None,
    ]


def test_every_update_that_was_let_in_is_told_by_name_and_no_signal_is():
    order = {"keep": True, "by": "lead"}
    events = [signal("approve_pivot", YES), update("cancel_run", order), update("decide_pivot"), HistoryEvent()]
    assert accepted(events) == [("cancel_run", order), ("decide_pivot", {})]
