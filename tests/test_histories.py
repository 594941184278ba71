"""Recorded histories replayed (T33): a change of workflow code that would break runs which wait today goes red here.

Red means: a run like that one, open while the new code is deployed, would stand still with a nondeterminism error, or
would read its own past otherwise. So mend the code, or put the change behind `workflow.patched`, and leave the file.

A history may be recorded anew (`python -m tests.histories.record [NAME …]`) only
- before the first release that anybody runs; or
- when no run that began under the old code can still be open: then say so in the CHANGELOG, for whoever deploys must
  let theirs end first; or
- to record beside it, under another name, what the new code does.
"""

import json
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from temporalio import workflow
from temporalio.client import WorkflowHistory
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.worker import Replayer, UnsandboxedWorkflowRunner
from temporalio.workflow import NondeterminismError

from tests.histories.record import FOLDER, STORIES
from workers.history import replayed
from workflows.agent_run import AgentRun
from workflows.reconcile import Reconcile

# What each run must still say of itself: its phase, and what became of its steps.
UNDONE = {
    "draft_email": "COMPENSATED",
    "send_draft": "CANCELLED",
    "stage_ticket": "COMPENSATED",
    "publish_ticket": "CANCELLED",
    "authorise_payment": "COMPENSATED",
    "capture_payment": "CANCELLED",
    "reship": "COMPENSATED",
    "ship_parcel": "CANCELLED",
}
DONE = dict.fromkeys(UNDONE, "CONFIRMED")
SAYS = {
    "run_a": (
        "UNWOUND",
        {
            "send_email": "CANCELLED",
            "create_ticket": "COMPENSATED",
            "charge_card": "COMPENSATED",
            "reship": "FAILED",
        },
    ),
    "run_b": ("COMMITTED", DONE),
    "run_c": ("UNWOUND", UNDONE),
    "waiting": (
        "AWAITING_APPROVAL",
        {tool: "QUEUED" if undone == "CANCELLED" else "CONFIRMED" for tool, undone in UNDONE.items()},
    ),
    "cancelled": ("UNWOUND", UNDONE),
    "expired": ("UNWOUND", UNDONE),
    "resolved": ("COMMITTED", DONE),
    "sent_back": ("COMMITTED", {**DONE, "draft_email": "COMPENSATED", "send_draft": "CANCELLED"}),
    "reset": ("COMMITTED", DONE),
}


def histories(name: str) -> list[WorkflowHistory]:
    """The run's, and those of its reconcilers."""
    recorded = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
    return [WorkflowHistory.from_json(each["workflow_id"], {"events": each["events"]}) for each in recorded]


@pytest.mark.parametrize("name", SAYS)
async def test_a_recorded_history_replays(name):
    """T33, T34."""
    replayer = Replayer(workflows=[AgentRun, Reconcile], data_converter=pydantic_data_converter)
    for history in histories(name):
        await replayer.replay_workflow(history)


@pytest.mark.parametrize("name", SAYS)
async def test_a_recorded_history_replays_as_that_of_a_reset_run(name):
    """T34: after a reset a run's own id is not the first execution's; code that branches on that would wedge there.

    A replay takes the run's own id from where its chance comes from, so the other one is changed. That a real reset
    changes nothing else is shown by tests/crash.
    """
    replayer = Replayer(workflows=[AgentRun, Reconcile], data_converter=pydantic_data_converter)
    for history in histories(name):
        history.events[0].workflow_execution_started_event_attributes.first_execution_run_id = str(uuid4())
        await replayer.replay_workflow(history)


@pytest.mark.parametrize(("name", "phase", "steps"), [(name, *says) for name, says in SAYS.items()])
async def test_a_recorded_run_still_says_the_same_of_itself(name, phase, steps):
    """T33."""
    rows, status = await replayed(histories(name)[0], lambda ask: (ask("saga_log"), ask("status")))
    assert status["phase"] == phase
    assert {row["tool"]: row["status"] for row in rows if row["status"] != "FAILED" or row["tool"] == "reship"} == steps


def test_every_history_is_replayed_and_can_be_recorded():
    assert {file.stem for file in Path(FOLDER).glob("*.json")} == set(SAYS) == set(STORIES)


@pytest.mark.parametrize("name", SAYS)
async def test_code_that_does_otherwise_is_found(name):
    """T33."""
    replayer = Replayer(
        workflows=[Otherwise], workflow_runner=UnsandboxedWorkflowRunner(), data_converter=pydantic_data_converter
    )
    with pytest.raises(NondeterminismError):
        await replayer.replay_workflow(histories(name)[0])


@workflow.defn(name="AgentRun")
class Otherwise(AgentRun):
    """A run that waits a second before it begins."""

    @workflow.init
    def __init__(self, *payload):
        super().__init__(*payload)

    @workflow.run
    async def run(self, *payload):
        await workflow.sleep(timedelta(seconds=1))
        return await super().run(*payload)
