"""The contract of an agent: its tools, its request, and its pivot in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

RequestT = TypeVar("RequestT", bound=BaseModel)

REVIEW_TOOL = "request_human_review"
"""Every agent has it: planning stops and a person decides on what is staged."""


@dataclass(frozen=True, kw_only=True)
class Agent(Generic[RequestT]):
    """What one kind of run is for, what it may do, and where it stops being undoable."""

    name: str
    request: type[RequestT]
    tools: tuple[str, ...]
    brief: Callable[[RequestT], str]
    """The task as the model is given it."""
    subject: Callable[[RequestT], str]
    """What the run is about (the order, the client): the search attribute `SagaSubject`."""
    pivot: str
    why_no_earlier: str
    paged: str


AnyAgent = Agent[Any]
