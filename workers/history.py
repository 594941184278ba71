"""A run read from its history, where no worker answers: replayed here, and asked the same queries.

One implementation: the workflow's own query handlers answer, so nothing is folded a second time. What is read is
the state as of the last workflow task that was completed; what has arrived since is listed, not guessed at.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from google.protobuf.message import Message
from temporalio.api.enums.v1 import EventType
from temporalio.api.history.v1 import HistoryEvent
from temporalio.bridge.proto.workflow_activation import WorkflowActivation
from temporalio.client import WorkflowHistory
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.worker import Replayer, UnsandboxedWorkflowRunner, WorkflowInstance, WorkflowInstanceDetails

from workers.exits import CannotTell
from workflows.agent_run import AgentRun

Ask = Callable[..., Any]
"""`ask(query, *arguments)` → the query's answer as plain JSON; LookupError where the workflow has no answer."""


ENDED = (
    EventType.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED,
    EventType.EVENT_TYPE_WORKFLOW_EXECUTION_FAILED,
    EventType.EVENT_TYPE_WORKFLOW_EXECUTION_CANCELED,
)
"""The last event of a run that has come to its own end."""


async def replayed(
    history: WorkflowHistory, questions: Callable[[Ask], Any], *, workflows: Sequence[type] = (AgentRun,)
) -> Any:
    """What `questions` returns, put to the run as the history leaves it; None before its first workflow task.

    CannotTell where the history does not fit the workflow's code here.
    """
    done = committed(history.events)
    if not done:
        return None
    runner = _Questioner(questions)
    replayer = Replayer(
        workflows=workflows,
        workflow_runner=runner,
        unsandboxed_workflow_runner=runner,
        data_converter=pydantic_data_converter,
    )
    result = await replayer.replay_workflow(WorkflowHistory(history.workflow_id, done), raise_on_replay_failure=False)
    if result.replay_failure is not None or not runner.asked:
        raise CannotTell(
            f"the history of {history.workflow_id} cannot be replayed by the code here "
            f"({str(result.replay_failure)[:200]}); use the version that ran it"
        )
    if runner.failure is not None:
        raise runner.failure
    return runner.answer


def committed(events: Sequence[HistoryEvent]) -> list[HistoryEvent]:
    """The events up to what the last completed workflow task decided; what came later no workflow has seen."""
    if events and events[-1].event_type in ENDED:
        return list(events)  # its last task decided the end, after all else that it decided
    last = max(
        (at for at, event in enumerate(events) if event.event_type == EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED),
        default=None,
    )
    if last is None:
        return []
    end = last + 1
    while end < len(events) and _decided_in(events[end], events[last].event_id):
        end += 1
    return list(events[:end])


def arrived_since(events: Sequence[HistoryEvent]) -> list[str]:
    """In words, what has reached the server since then and waits for a worker."""
    summaries = {event.event_id: _summary(event) for event in events}
    return [text for event in events[len(committed(events)) :] if (text := _in_words(event, summaries)) is not None]


class _Questioner(UnsandboxedWorkflowRunner):
    """Puts the questions when the replay is over, before the instance is torn down.

    The teardown cancels the workflow's tasks, and a workflow that notes a cancel would note that one.
    """

    def __init__(self, questions: Callable[[Ask], Any]) -> None:
        self._questions = questions
        self.asked, self.answer, self.failure = False, None, None
        self._last: WorkflowActivation | None = None

    def create_instance(self, det: WorkflowInstanceDetails) -> WorkflowInstance:
        instance = super().create_instance(det)
        activate = instance.activate

        def ask(query: str, *arguments: Any) -> Any:
            return self._ask(activate, query, arguments)

        def listening(act: WorkflowActivation) -> Any:
            if any(job.HasField("remove_from_cache") for job in act.jobs):
                self._put(ask)
            self._last = act
            return activate(act)

        instance.activate = listening
        return instance

    def _put(self, ask: Ask) -> None:
        if self.asked or self._last is None:
            return
        self.asked = True
        try:
            self.answer = self._questions(ask)
        except Exception as failure:  # noqa: BLE001 - raised again where somebody can hear it
            self.failure = failure

    def _ask(self, activate: Callable[[WorkflowActivation], Any], query: str, arguments: Iterable[Any]) -> Any:
        """As the server would: an activation with nothing but the query, which changes nothing."""
        act = WorkflowActivation()
        if self._last is not None:
            act.run_id = self._last.run_id
            act.timestamp.CopyFrom(self._last.timestamp)
            act.history_length = self._last.history_length
        converter = pydantic_data_converter.payload_converter
        job = act.jobs.add().query_workflow
        job.query_id, job.query_type = query, query
        job.arguments.extend(converter.to_payloads(list(arguments)))
        for command in activate(act).successful.commands:
            answer = command.respond_to_query
            if answer.query_id == query and answer.HasField("succeeded"):
                return json.loads(answer.succeeded.response.data or b"null")
        raise LookupError(query)


def _decided_in(event: HistoryEvent, task: int) -> bool:
    """Whether that workflow task wrote this event."""
    attributes = _attributes(event)
    if attributes.DESCRIPTOR.name in (
        "WorkflowExecutionUpdateAcceptedEventAttributes",
        "WorkflowExecutionUpdateCompletedEventAttributes",
    ):
        return True
    return getattr(attributes, "workflow_task_completed_event_id", None) == task


def _attributes(event: HistoryEvent) -> Message:
    return getattr(event, str(event.WhichOneof("attributes")))


def _summary(event: HistoryEvent) -> str:
    """What stands beside the event in the Web UI."""
    data = event.user_metadata.summary.data
    return str(json.loads(data)) if data else ""


def _in_words(event: HistoryEvent, summaries: Mapping[int, str]) -> str | None:
    attributes: Any = _attributes(event)
    kind = event.event_type
    if kind == EventType.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED:
        return f"signal {attributes.signal_name}"
    plain = {
        EventType.EVENT_TYPE_WORKFLOW_EXECUTION_CANCEL_REQUESTED: "a cancel",
        EventType.EVENT_TYPE_WORKFLOW_EXECUTION_TERMINATED: "it was terminated",
        EventType.EVENT_TYPE_WORKFLOW_EXECUTION_TIMED_OUT: "it timed out",
    }
    if kind in plain:
        return plain[kind]
    for sign, words in (
        ("activity_task_completed", "an answer"),
        ("activity_task_failed", "a failure"),
        ("activity_task_timed_out", "a time-out"),
        ("activity_task_canceled", "a cancelled attempt"),
        ("child_workflow_execution_completed", "a finding"),
        ("timer_fired", "the end of a timer"),
    ):
        if event.WhichOneof("attributes") == f"{sign}_event_attributes":
            origin = _origin(attributes)
            return f"{words}: {summaries[origin]}" if summaries.get(origin) else words
    return None


def _origin(attributes: Any) -> int:
    """The event that asked for what this one brings."""
    for name in ("scheduled_event_id", "initiated_event_id", "started_event_id"):
        if getattr(attributes, name, 0):
            return int(getattr(attributes, name))
    return 0
