"""Toys: an agent that may do everything, and tools that touch nothing, for where only the harness is measured."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field

from saga.agent import Agent
from saga.draft import CounterCall, Pace
from saga.errors import Refused, Unanswered
from saga.outcome import Receipt, Sighting
from saga.record import Json, Typed
from saga.registry import Registry
from saga.tool import Answers, Call, CounterTool, PureTool, Tool
from workers import composition
from workers.settings import Settings

PACE = Pace(request_s=20, attempt_s=30, patience_s=600, tries=3)
"""As a real provider's: nothing here comes near it."""

ANSWER_S = 0.3
"""What a provider of payments or tickets takes to answer a write: tenths of a second."""

Key = Annotated[str, Field(min_length=1, max_length=64)]


class PageArgs(Typed):
    """Which page of a book that nobody writes."""

    page: Annotated[str, Field(min_length=1, max_length=20)]


class KeyArgs(Typed):
    """The key of what is kept, or taken back."""

    forward_key: Key


class Work(Typed):
    """There is nothing to say about it."""


async def _perform(_: Any, call: Call[Any]) -> Receipt:
    return _seen(call).receipt()


async def _perform_slowly(_: Any, call: Call[Any]) -> Receipt:
    await asyncio.sleep(ANSWER_S)
    return _seen(call).receipt()


async def _balk(_: Any, __: Call[Any]) -> Receipt:
    raise Refused("a toy that always says no", code="toy")


async def _fall_silent(_: Any, __: Call[Any]) -> Receipt:
    raise Unanswered("a toy that never answers", code="no_answer")


async def _find_nothing(_: Any, __: Call[Any]) -> Sequence[Sighting]:
    return []


async def _find(_: Any, call: Call[Any]) -> Sequence[Sighting]:
    return [_seen(call)]


def _seen(call: Call[Any]) -> Sighting:
    """Every key stands, so that no world need be asked."""
    return Sighting(external_ref=f"toy_{call.key[:12]}", state="standing", execution=call.tags.execution)


async def _read(_: Any, args: PageArgs) -> Json:
    return {"page": args.page, "text": "nothing has changed"}


_SAID = "A toy: nothing is touched."
NOTE = Tool(
    name="note",
    about="Write down a page.",
    # Any that exists: its provider is handed over and never asked.
    system="orders",
    args=PageArgs,
    example={"page": "1"},
    tool_class="compensatable",
    perform=_perform,
    find=_find,
    grade="key_and_lookup",
    pace=PACE,
    index_lag_s=0.0,
    audience=lambda _: ("finance",),
    target=lambda args: f"page {args.page}",
    identity=("page",),
    compensate=lambda _, key: CounterCall(tool="rub_out", args={"forward_key": key}),
    answers=Answers(pivot=_SAID, undo=_SAID, idempotent=_SAID, unknown=_SAID, paged=_SAID),
)
POST = dataclasses.replace(
    NOTE,
    name="post",
    tool_class="irreversible",
    compensate=None,
    gate="A toy: what it posted cannot be corrected.",
    audience=lambda _: ("customer",),
)
SLOW_NOTE = dataclasses.replace(
    NOTE, name="slow_note", compensate=lambda _, key: CounterCall(tool="slow_rub_out", args={"forward_key": key})
)
"""Written down at once, and taken back in the time that a provider takes."""
NAP = dataclasses.replace(NOTE, name="nap", perform=_perform_slowly)
"""A call that takes the time that a provider takes."""
BALK = dataclasses.replace(NOTE, name="balk", perform=_balk)
"""Refused, so that what the run did before is undone."""
LAPSE = dataclasses.replace(
    NOTE,
    name="lapse",
    perform=_fall_silent,
    find=_find_nothing,
    # One attempt, and a clock of a second (attempt and request together): long against a look, short for a bench.
    pace=Pace(request_s=0.4, attempt_s=0.6, patience_s=600, tries=1),
)
"""Never answered, and never there: each of its tries settles as an absence."""
LOOK = PureTool(name="look", about="Read a page.", args=PageArgs, read=_read, example={"page": "1"})
RUB_OUT = CounterTool(
    name="rub_out",
    system="orders",
    args=KeyArgs,
    perform=_perform,
    find=_find,
    grade="key_and_lookup",
    index_lag_s=0.0,
    pace=PACE,
)
SLOW_RUB_OUT = dataclasses.replace(RUB_OUT, name="slow_rub_out", perform=_perform_slowly)

AGENT = "bench"


def registry(config: Settings) -> Registry:
    """Everything real, with the toys and one agent that may use whatever a model may."""
    real = composition.registry(config)
    tools = [*real.tools.values(), NOTE, POST, LOOK, SLOW_NOTE, NAP, BALK, LAPSE]
    offered = tuple(tool.name for tool in tools if tool.name not in real.commit_halves)
    agent = Agent(
        name=AGENT,
        request=Work,
        tools=offered,
        brief=lambda _: "Do what the plan says.",
        subject=lambda _: "bench",
        pivot=_SAID,
        why_no_earlier=_SAID,
        paged=_SAID,
    )
    return Registry(tools=tools, counters=[*real.counters.values(), RUB_OUT, SLOW_RUB_OUT], agents=[agent])
