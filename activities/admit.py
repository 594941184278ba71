"""The door `admit`: the first activity of a run. What does not fit ends the run as RunRefused, with no row."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from pydantic import ValidationError
from temporalio import activity
from temporalio.client import Client
from temporalio.exceptions import ApplicationError, ApplicationErrorCategory
from temporalio.service import RPCError, RPCStatusCode

from saga import faults
from saga.decision import first_problem, parse
from saga.doors import AdmitOrder
from saga.errors import BadInput
from saga.record import Json
from saga.registry import Registry
from saga.request import RUN_ID, Admitted, AdmittedLimits, RunRequest

REQUEST_LIMIT = 16_000
RUN_REFUSED = "RunRefused"
"""Failure type of a run that was never started."""


class Admit:
    """Judges what somebody started a run with."""

    def __init__(self, registry: Registry, model_of: Callable[[str], Any], *, inject: bool = False) -> None:
        """`model_of` raises BadInput for a model name it does not know. `inject`: a request may ask for faults."""
        self._registry, self._model_of, self._inject = registry, model_of, inject

    @activity.defn(name="admit")
    async def admit(self, order: AdmitOrder) -> Admitted:
        """The request as the workflow needs it; ApplicationError RUN_REFUSED with the reason where it does not fit."""
        run_id = activity.info().workflow_id or ""
        try:
            refuse_retry(order.attempt)
            admitted = examine(self._registry, self._model_of, order.payload, run_id, inject=self._inject)
            await refuse_second_life(activity.client(), run_id, order.execution)
        except BadInput as problem:
            raise ApplicationError(
                str(problem), type=RUN_REFUSED, non_retryable=True, category=ApplicationErrorCategory.BENIGN
            ) from None
        return admitted


def refuse_retry(attempt: int) -> None:
    """BadInput for an execution that is Temporal's own retry of one that failed."""
    if attempt > 1:
        raise BadInput("", "a retry of the whole execution: its first life may have left effects behind")


def examine(
    registry: Registry, model_of: Callable[[str], Any], payload: Any, run_id: str, *, inject: bool = False
) -> Admitted:
    """The request that `payload` is. BadInput names the field and what is allowed."""
    if not re.fullmatch(RUN_ID, run_id):
        raise BadInput("id", "1 to 200 characters of A-Z a-z 0-9 . _ : -")
    asked = parse(RunRequest, payload)
    agent = registry.agents.get(asked.agent)
    if agent is None:
        raise BadInput("agent", f"no such agent; there are {', '.join(sorted(registry.agents))}")
    model_of(asked.model)
    if asked.faults and not inject:
        raise BadInput("faults", "fault injection is off in this worker (SAGA_FAULT_INJECTION)")
    faults.check(asked.faults, registry, agent, asked.limits.max_steps)
    request = _request(agent.request, asked.request)
    return Admitted(
        agent=agent.name,
        request=request.model_dump(mode="json"),
        requested_by=asked.requested_by,
        model=asked.model,
        approvers=tuple(asked.approvers),
        approval_timeout_s=asked.approval_timeout_s,
        limits=AdmittedLimits(**dict(asked.limits)),
        subject=agent.subject(request),
        pivot=agent.pivot,
        paged=agent.paged,
        faults=tuple(asked.faults),
    )


def _request(model: Any, request: Json) -> Any:
    if len(json.dumps(request)) > REQUEST_LIMIT:
        raise BadInput("request", f"at most {REQUEST_LIMIT} bytes; it goes to the model with every turn")
    try:
        return model.model_validate(request)
    except ValidationError as error:
        field, allowed = first_problem(error)
        raise BadInput(f"request.{field}" if field else "request", allowed) from None


async def refuse_second_life(client: Client, run_id: str, execution: str) -> None:
    """BadInput where the server knows an earlier execution of this id: the same keys would mean its effects.

    Continue-as-new and reset keep the first execution's run id and are one life. The time-skipping test server has
    no visibility and says UNIMPLEMENTED; there is no earlier life to find on it.
    """
    try:
        async for seen in client.list_workflows(f'WorkflowId = "{run_id}"'):
            first = await _first_run_of(client, run_id, seen.run_id)
            if first and first != execution:
                raise BadInput("id", f"{run_id} has run before (execution {first}); choose another id")
    except RPCError as error:
        if error.status != RPCStatusCode.UNIMPLEMENTED:
            raise


async def _first_run_of(client: Client, run_id: str, execution: str) -> str:
    """The first execution of the chain that `execution` belongs to; itself where it was deleted since it was listed."""
    try:
        known = await client.get_workflow_handle(run_id, run_id=execution).describe()
    except RPCError as error:
        if error.status != RPCStatusCode.NOT_FOUND:
            raise
        return execution
    return known.raw_description.workflow_execution_info.first_run_id
