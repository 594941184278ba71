"""Faults that a run asks for itself: where a door fails on purpose, so that a half-success can be seen in staging.

Only a worker that was started for it lets such a request in, or does anything about it.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, Literal, get_args

from pydantic import Field, model_validator

from saga.agent import AnyAgent
from saga.errors import BadInput
from saga.record import Typed
from saga.registry import Registry
from saga.row import Half, Row
from saga.tool import Tool

Verb = Literal["call", "commit", "compensation", "lookup"]
"""What is struck: the call that the model made, its commit half, its counter-action, or the looking for any of them."""

SendFault = Literal["refuse", "not_sent", "before", "after", "twice", "hang", "crash"]
"""`refuse`: a definite no, nothing sent · `not_sent`: the door was shut, nothing sent · `before`: no answer, nothing
done · `after`: done, and the answer lost · `twice`: delivered twice, the second answer heard · `hang`: done, then
silence until the attempt is over · `crash`: done, and the worker process dies before anybody was told."""

LookFault = Literal["down", "lag"]
"""`down`: the look fails · `lag`: it sees nothing while the provider's index may still lag."""


class Fault(Typed):
    """One entry of `RunRequest.faults`. It strikes `times` requests of each half it is aimed at, after `skip`.

    Of a lookup: so many attempts of each look.
    """

    verb: Verb
    fault: SendFault | LookFault
    tool: str | None = None
    """The tool that the model calls, whichever half of it is struck. None: any, at that step."""
    step: Annotated[int, Field(ge=0)] | None = None
    """`step_idx` of the row. None: every step of that tool."""
    times: Annotated[int, Field(gt=0, le=1000)] = 1
    skip: Annotated[int, Field(ge=0, le=1000)] = 0

    @model_validator(mode="after")
    def _is_aimed(self) -> Fault:
        if self.tool is None and self.step is None:
            raise ValueError("name the tool, the step, or both")
        allowed = get_args(LookFault if self.verb == "lookup" else SendFault)
        if self.fault not in allowed:
            raise ValueError(f"of a {self.verb} the faults are {', '.join(allowed)}")
        return self

    def strikes(self, request: int) -> bool:
        """Whether it strikes that request of the half, counted from 1."""
        return self.skip < request <= self.skip + self.times


def check(faults: Collection[Fault], registry: Registry, agent: AnyAgent, max_steps: int) -> None:
    """BadInput for a plan that names a step, a tool or a half that no run of this agent can have."""
    for place, fault in enumerate(faults):
        if fault.step is not None and fault.step >= max_steps:
            raise BadInput(f"faults.{place}.step", f"a run of this request has steps 0 to {max_steps - 1}")
        if fault.tool is not None:
            _check_tool(f"faults.{place}", fault, registry, agent)


def _check_tool(where: str, fault: Fault, registry: Registry, agent: AnyAgent) -> None:
    effects = [each.name for each in registry.offered(agent) if isinstance(each, Tool)]
    if fault.tool not in effects:
        raise BadInput(f"{where}.tool", f"no tool with effects of {agent.name}; there are {', '.join(effects)}")
    tool = registry.tool(fault.tool)
    commit = registry.tool(tool.commits) if tool.commits else None
    there = {
        "call": True,
        "commit": commit is not None,
        "compensation": tool.compensate is not None,
        "lookup": tool.find is not None or (commit is not None and commit.find is not None),
    }
    if not there[fault.verb]:
        verbs = ", ".join(verb for verb, is_there in there.items() if is_there)
        raise BadInput(f"{where}.verb", f"{tool.name} has no {fault.verb}; it has {verbs}")


def aimed_at(faults: Collection[Fault], row: Row, half: Half, *, origin: Row, look: bool = False) -> tuple[Fault, ...]:
    """Those that strike this half of `row`, or the look for it; `origin` is the row of the call the model made."""
    verb: Verb = "commit" if row.staged_by is not None else "call"
    if half == "compensation":
        verb = "compensation"
    if look:
        verb = "lookup"
    return tuple(
        each
        for each in faults
        if each.verb == verb and each.tool in (None, origin.tool) and each.step in (None, row.step_idx)
    )
