"""What starts a run, and what admission makes of it."""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field

from saga.faults import Fault
from saga.money import Money
from saga.record import Json, Record, Typed

RUN_ID = r"^[A-Za-z0-9._:-]{1,200}$"
"""Workflow ids that may be run ids: they go into labels, headers and metadata unescaped."""

Who = Annotated[str, Field(min_length=1, max_length=200, pattern=r"\S")]


class Spend(Money):
    """Money as somebody types it: no unknown field passes."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Limits(Typed):
    """Per run; hitting one is a policy failure: undo and stop."""

    max_steps: Annotated[int, Field(gt=0, le=500)] = 50
    """Steps with effects. 500 rows of about a kilobyte are what a query may still carry."""
    max_model_calls: Annotated[int, Field(gt=0, le=500)] = 60
    max_spend: Spend | None = None
    """Money taken from anybody by one run, in one currency."""


class RunRequest(Typed):
    """The one argument of `AgentRun`."""

    agent: Annotated[str, Field(min_length=1, max_length=100)]
    request: Json
    requested_by: Who
    model: Annotated[str, Field(min_length=1, max_length=200)] = "scripted:refund"
    approvers: list[Who] = Field(default_factory=list[Who])
    """Who may let something happen. Empty: anyone but `requested_by`."""
    approval_timeout_s: Annotated[int, Field(gt=0, le=30 * 86_400)] = 86_400
    """How long the proposal may wait, at most; a hold that ends earlier ends it earlier."""
    limits: Limits = Field(default_factory=Limits)
    faults: Annotated[list[Fault], Field(max_length=100)] = Field(default_factory=list[Fault])
    """Where the doors fail on purpose; refused unless the worker was started for it."""


class AdmittedLimits(Record):
    """The limits as they travel: see Limits."""

    max_steps: int
    max_model_calls: int
    max_spend: Money | None


class Admitted(Record):
    """A request that fits, with what the workflow needs to know of its agent."""

    agent: str
    request: Json
    requested_by: str
    model: str
    approvers: tuple[str, ...]
    approval_timeout_s: int
    limits: AdmittedLimits
    subject: str
    pivot: str
    paged: str
    faults: tuple[Fault, ...] = ()
