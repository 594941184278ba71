"""The contract of a tool: all that the harness must know before it lets a model near it.

A tool is declared in one file as one `Tool` (or `PureTool`); its functions take the provider they talk to as their
first argument, so that the composition root decides which credential that is: `find` never gets one that can write.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel, JsonValue

from saga.draft import Audience, CounterCall, Grade, Pace, ToolClass
from saga.money import Money
from saga.outcome import Receipt, Sighting
from saga.record import Json, Record, Typed

ArgsT = TypeVar("ArgsT", bound=BaseModel)


class Upstream(Record):
    """An earlier step that this one stands on, as far as a tool needs it."""

    tool: str
    key: str
    external_ref: str


@dataclass(frozen=True, kw_only=True)
class Tags:
    """What every effect carries on the other side, so that it can be found later."""

    key: str
    run_id: str
    step_idx: int
    execution: str


@dataclass(frozen=True, kw_only=True)
class Call(Generic[ArgsT]):
    """One half of one step, as a tool's functions see it.

    `since` is epoch seconds: nothing of this half can be older, so a lookup lists from there. `external_ref` is the
    forward effect's reference where it is known (always for a counter-action of a confirmed row).
    """

    args: ArgsT
    tags: Tags
    since: float
    external_ref: str | None = None
    result: Json = field(default_factory=dict[str, JsonValue])
    upstream: tuple[Upstream, ...] = ()

    @property
    def key(self) -> str:
        """The idempotency key of this half."""
        return self.tags.key

    def ref_of(self, key: str) -> str | None:
        """The external reference of the earlier step that has this key."""
        return next((step.external_ref for step in self.upstream if step.key == key), None)


Perform = Callable[[Any, Call[Any]], Awaitable[Receipt]]
"""Send it once, under `call.key`. Returns a receipt, or raises Refused, NotSent or Unanswered."""

Find = Callable[[Any, Call[Any]], Awaitable[Sequence[Sighting]]]
"""Every effect in the world that carries `call.key`, oldest first. Never writes. An error is raised, never an absence:
an empty answer is returned only after the credential was proven good."""


Check = Callable[[Any, Any], Awaitable[None]]
"""Given the reader and the arguments: raises BadInput, naming the argument, where the world would not take them."""


@dataclass(frozen=True, kw_only=True)
class Answers:
    """The five questions to answer in writing before an agent gets a write tool."""

    pivot: str
    """After which step is the run committed, seen from this tool?"""
    undo: str
    """What compensates it?"""
    idempotent: str
    """Why may the compensation be sent twice?"""
    unknown: str
    """How is an unknown outcome found out?"""
    paged: str
    """Who is called when the compensation fails?"""


@dataclass(frozen=True, kw_only=True)
class CounterTool(Generic[ArgsT]):
    """A counter-action, or the sending of a correction: never offered to the model."""

    name: str
    system: str
    args: type[ArgsT]
    perform: Perform
    find: Find
    grade: Grade
    index_lag_s: float
    pace: Pace
    key_life_s: float | None = None
    """As of a Tool."""


@dataclass(frozen=True, kw_only=True)
class Tool(Generic[ArgsT]):
    """A tool with effects. Which fields a class must fill is checked at registration, with the mend in the error."""

    name: str
    about: str
    """For the model: what it does and when to use it."""
    system: str
    """The provider that its functions talk to, by name."""
    args: type[ArgsT]
    example: Mapping[str, Any]
    """Arguments that fit; registration builds the counter-action of them, so a misspelling fails at start."""
    perform: Perform
    grade: Grade
    pace: Pace
    index_lag_s: float | None
    """How long the provider's lists may not show a new effect. None is refused: then absence could never be told."""
    audience: Callable[[ArgsT], tuple[Audience, ...]]
    target: Callable[[ArgsT], str]
    """What it acts on, in words for people."""
    answers: Answers
    tool_class: ToolClass | None = None
    find: Find | None = None
    person_answers: str = ""
    """Why nothing can be looked up, where a person must say what happened instead."""
    identity: tuple[str, ...] | None = None
    """The arguments that make two calls one intent."""
    why_no_identity: str = ""
    compensate: Callable[[ArgsT, str], CounterCall | None] | None = None
    """The counter-action for exactly these arguments and this (still open) key; None: it cannot be built."""
    commits: str | None = None
    """The commit half's tool."""
    commit_args: Callable[[ArgsT, str], Json] | None = None
    correct: Callable[[ArgsT], CounterCall | None] | None = None
    """The message that would put right what this told somebody: template and recipients, written before the call."""
    gate: str = ""
    """Why a person's approval of the call stands in for a correction; the proposal says so."""
    at_once: bool = False
    """It cannot wait for the pivot: a person approves exactly this call, by itself, before it is sent."""
    references: Mapping[str, str] = field(default_factory=dict[str, str])
    """Argument → the tool whose external reference it carries."""
    owned: tuple[str, ...] = ()
    """Arguments that must carry the external reference of an earlier step of this very run."""
    names: Callable[[ArgsT], tuple[str, ...]] | None = None
    """What other steps may call this effect by before it has a reference: a path, a slug."""
    points_at: Callable[[ArgsT], tuple[str, ...]] | None = None
    """The names of effects, of earlier steps or of later ones, that this one refers to."""
    check: Check | None = None
    """Asked before a row is written, with the credential that only reads."""
    correctable: tuple[str, ...] = ()
    independent: bool = False
    refusable: bool = False
    tells: bool = False
    """Nothing but words to somebody: among the commits of one audience it goes last, after what it announces."""
    undo_waits: bool = False
    key_life_s: float | None = None
    """How long the provider surely remembers a key; older ones are looked for, never sent again. None: for ever."""
    cost: Callable[[ArgsT], Money | None] | None = None
    max_cost: Money | None = None
    """Policy: no single call may take more."""


@dataclass(frozen=True, kw_only=True)
class PureTool(Generic[ArgsT]):
    """A tool without effects: no row, no key, as often as one likes."""

    name: str
    about: str
    args: type[ArgsT]
    read: Callable[[Any, ArgsT], Awaitable[Json]]
    """Given the provider (None where `system` is None) and the arguments; the answer stays small."""
    example: Mapping[str, Any] = field(default_factory=dict[str, Any])
    system: str | None = None
    """The provider that needs a credential to be asked; None: quick and local."""
    tool_class: Literal["pure"] = "pure"


class NoArgs(Typed):
    """Arguments of a tool that takes none."""


AnyTool = Tool[Any] | PureTool[Any]


def clock_s(tool: Tool[Any] | CounterTool[Any]) -> float:
    """Before this has passed since the last attempt, an empty lookup means "still unknown".

    An attempt that fell silent may still begin a request until its own limit, and that request lives for its limit;
    then the index lag.
    """
    return tool.pace.attempt_s + tool.pace.request_s + (tool.index_lag_s or 0.0)
