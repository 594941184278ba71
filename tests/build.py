"""Rows, drafts, tools and registries as tests need them: complete, and different only in what a test says.

The tool is a box put on a shelf: `put_box`, undone by `take_box`. Its functions hand the call to whatever provider they
are given: `provider.perform(call)`, `provider.find(call)`, and `provider.read(args)` for the pure `count_boxes`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from pydantic import Field

from saga.agent import Agent
from saga.draft import CounterCall, Draft, Facts, Handling, Pace
from saga.keys import OPEN_KEY, compensation_key, step_key
from saga.log import Log
from saga.money import Money
from saga.outcome import Receipt, Sighting
from saga.record import Json, Typed
from saga.registry import Registry
from saga.row import Approval, CounterAction, HalfStatus, Row, Status
from saga.tool import Answers, AnyTool, Call, CounterTool, PureTool, Tool

RUN = "run-1182"
EXECUTION = "0192aabb-ccdd-7eef-8001-223344556677"
OTHER_EXECUTION = "0192aabb-ccdd-7eef-8001-998877665544"
START = datetime(2026, 1, 5, 9, tzinfo=UTC)
PACE = Pace(request_s=2, attempt_s=5, patience_s=60, tries=3)


def at(seconds: float) -> datetime:
    """So many seconds after the start."""
    return START + timedelta(seconds=seconds)


class BoxArgs(Typed):
    """What `put_box` takes."""

    shelf: Annotated[str, Field(min_length=1, max_length=20, pattern=r"^[A-Z0-9]+$")]
    words: str = ""
    cents: int = 100


class TakeArgs(Typed):
    """What `take_box` takes."""

    box_key: Annotated[str, Field(min_length=1)]


class ShelfRequest(Typed):
    """What an agent of shelves is asked."""

    shelf: str


async def _perform(provider: Any, call: Call[Any]) -> Receipt:
    return await provider.perform(call)


async def find(provider: Any, call: Call[Any]) -> Sequence[Sighting]:
    """The lookup of every tool made here."""
    return await provider.find(call)


async def _read(provider: Any, args: Any) -> Json:
    return await provider.read(args)


def make_tool(name: str = "put_box", **changes: Any) -> Tool[Any]:
    """A compensatable tool of the system `shelf`, of grade key and lookup, that registration accepts."""
    fields: dict[str, Any] = {
        "about": "Put a box on a shelf.",
        "system": "shelf",
        "args": BoxArgs,
        "example": {"shelf": "A1"},
        "tool_class": "compensatable",
        "perform": _perform,
        "find": find,
        "grade": "key_and_lookup",
        "pace": PACE,
        "index_lag_s": 3.0,
        "audience": lambda _: ("agent",),
        "target": lambda args: f"shelf {args.shelf}",
        "identity": ("shelf",),
        "compensate": lambda _, key: CounterCall(tool="take_box", args={"box_key": key}),
        "answers": Answers(pivot="a", undo="b", idempotent="c", unknown="d", paged="e"),
    }
    return Tool(name=name, **{**fields, **changes})


def make_counter(name: str = "take_box", **changes: Any) -> CounterTool[Any]:
    """The counter-action, with the same guarantees."""
    fields: dict[str, Any] = {
        "system": "shelf",
        "args": TakeArgs,
        "perform": _perform,
        "find": find,
        "grade": "key_and_lookup",
        "index_lag_s": 3.0,
        "pace": PACE,
    }
    return CounterTool(name=name, **{**fields, **changes})


def make_pure(name: str = "count_boxes", **changes: Any) -> PureTool[Any]:
    """A tool without effects that needs no credential."""
    fields: dict[str, Any] = {"about": "Count the boxes.", "args": BoxArgs, "read": _read}
    return PureTool(name=name, **{**fields, **changes})


def make_agent(*tools: str, name: str = "shelves", **changes: Any) -> Agent[Any]:
    """An agent that may call these tools; of itself `put_box`."""
    fields: dict[str, Any] = {
        "request": ShelfRequest,
        "tools": tools or ("put_box",),
        "brief": lambda request: f"fill shelf {request.shelf}",
        "subject": lambda request: request.shelf,
        "pivot": "the approval",
        "why_no_earlier": "boxes can be taken back",
        "paged": "the storekeeper",
    }
    return Agent(name=name, **{**fields, **changes})


def make_registry(*tools: AnyTool, counters: Iterable[CounterTool[Any]] | None = None, agents: Any = ()) -> Registry:
    """These tools (of itself one `put_box`), `take_box`, and no agent."""
    found = [make_counter()] if counters is None else counters
    return Registry(tools=tools or (make_tool(),), counters=found, agents=agents)


def make_facts(**changes: Any) -> Facts:
    """What `put_box` says of a call."""
    handling = Handling(system="shelf", grade="key_and_lookup", clock_s=5, pace=PACE)
    fields: dict[str, Any] = {
        "identity": '["A1"]',
        "clock_s": 5,
        "grade": "key_and_lookup",
        "commits": None,
        "handling": handling,
        "undo": handling,
    }
    return Facts(**{**fields, **changes})


def make_draft(tool: str = "put_box", *, facts: Facts | None = None, **changes: Any) -> Draft:
    """A call of `put_box` that may become a step; undone by `take_box`."""
    fields: dict[str, Any] = {
        "tool_class": "compensatable",
        "target": "shelf A1",
        "args": {"shelf": "A1", "words": "", "cents": 100},
        "audience": ("agent",),
        "compensation": CounterCall(tool="take_box", args={"box_key": OPEN_KEY}),
        "correction": None,
    }
    return Draft(tool=tool, facts=facts or make_facts(), **{**fields, **changes})


def make_row(
    step_idx: int = 0,
    status: Status = "INTENDED",
    *,
    tool: str = "put_box",
    undoable: bool = True,
    undo: HalfStatus | None = None,
    facts: Facts | None = None,
    **changes: Any,
) -> Row:
    """A row of `put_box` in that status. `undo`: the counter-action's own status; `undoable=False`: it has none."""
    key = step_key(RUN, step_idx, tool)
    counter = CounterAction(
        tool="take_box",
        args={"box_key": key},
        idempotency_key=compensation_key(RUN, step_idx, tool),
        status=undo,
    )
    fields: dict[str, Any] = {
        "tool_class": "compensatable",
        "target": f"shelf A{step_idx}",
        "args": {"shelf": f"A{step_idx}", "words": "", "cents": 100},
        "audience": ("agent",),
        "compensation": counter if undoable else None,
        "execution": EXECUTION,
        "created_at": START,
        "updated_at": START,
    }
    return Row(
        run_id=RUN,
        step_idx=step_idx,
        tool=tool,
        idempotency_key=key,
        status=status,
        facts=facts or make_facts(),
        **{**fields, **changes},
    )


def make_log(*rows: Row) -> Log:
    """The log of these rows, which are numbered from 0."""
    return Log(RUN, EXECUTION, rows)


def make_receipt(ref: str = "box-1", **changes: Any) -> Receipt:
    """A provider's answer that counts."""
    return Receipt(external_ref=ref, **changes)


def make_approval(by: str = "bob", digest: str = "0123456789abcdef") -> Approval:
    """Somebody's yes."""
    return Approval(by=by, at=START, digest=digest)


def money(amount_minor: int, currency: str = "eur") -> Money:
    """So many minor units."""
    return Money(amount_minor=amount_minor, currency=currency)
