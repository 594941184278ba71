"""A club of our own: tools with names, references, gates and checks, on a hall whose every deed a test can look at."""

from __future__ import annotations

import dataclasses
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any, cast

from pydantic import Field
from temporalio.testing import WorkflowEnvironment

from activities.models.model import Model
from saga.agent import Agent
from saga.draft import CounterCall, Pace
from saga.errors import BadInput, Unanswered
from saga.outcome import Receipt, Sighting
from saga.record import Typed
from saga.registry import Registry
from saga.tool import Answers, Call, CounterTool, Tool
from tests.faultkit.board import Board, BoardWorld, Deed
from tests.workflows.plan import Call as Said
from workers.faultkit.laboratory import Handle, Laboratory, opened, skipping

PACE = Pace(request_s=0.5, attempt_s=1.0, patience_s=60.0, tries=3)


class Hall(Board):
    """Does one verb for each tool, so that each can be struck by itself, and knows which rooms are shut."""

    def __init__(self) -> None:
        super().__init__()
        self.shut: set[str] = set()
        self.hold_until: datetime | None = None

    async def do(self, tool: str, call: Call[Any]) -> Receipt:
        """The same key again is the same deed."""
        ref = self._write(tool, call.tags, call.key, lambda: self._named(tool))
        return Receipt(external_ref=ref, holds_until=self.hold_until if tool == "book_table" else None)

    async def undo(self, call: Call[Any]) -> Receipt:
        """What is gone stays gone."""
        ref = call.external_ref or ""

        def take() -> str:
            self.gone(ref)
            return ref

        verb = f"undo {ref.partition('-')[0]}"
        return Receipt(external_ref=self._write(verb, call.tags, call.key, take), result={"took": ref})

    async def seen(self, key: str) -> list[Sighting]:
        """As they stand now."""
        await self.carrying(key)  # where a fault may meet it
        found = [each for each in self.deeds if each.key == key]
        return [
            Sighting.model_validate({"external_ref": each.ref, "state": each.state, "result": _result(each)})
            for each in found
        ]

    async def look(self, room: str) -> None:
        """BadInput where that room is shut."""
        if fault := self._met("look", "GET", None):
            raise Unanswered(fault)
        if room in self.shut:
            raise BadInput("room", "must be one that is open")

    def gone(self, ref: str) -> None:
        """Somebody took it away."""
        next(each for each in self.deeds if each.ref == ref).state = "undone"

    def deed(self, ref: str) -> str:
        """How it stands."""
        return next(each for each in self.deeds if each.ref == ref).state

    def _named(self, tool: str) -> str:
        return f"{tool.partition('_')[2]}-{sum(not each.kind.startswith('note.undo') for each in self.deeds)}"


def _result(deed: Deed) -> dict[str, Any]:
    return {"took": deed.ref} if deed.kind.startswith("note.undo") else {}


class HallWorld(BoardWorld):
    """The hall, as the laboratory holds it."""

    def __init__(self) -> None:
        super().__init__()
        self.hall = self.board = Hall()
        self.writers = self.readers = {"board": self.hall}


class Args(Typed):
    """What every tool of the club takes."""

    room: str = "blue"
    to: str = ""
    about: list[dict[str, str]] = Field(default_factory=list[dict[str, str]])


class TakeArgs(Typed):
    """Of what, by the key that it was made under."""

    key: str


async def _undo(hall: Hall, call: Call[TakeArgs]) -> Receipt:
    return await hall.undo(call)


async def _find(hall: Hall, call: Call[Any]) -> Sequence[Sighting]:
    return await hall.seen(call.key)


async def _check(hall: Hall, args: Args) -> None:
    await hall.look(args.room)


TAKE_BACK = CounterTool(
    name="take_back",
    system="board",
    args=TakeArgs,
    perform=_undo,
    find=_find,
    grade="key_and_lookup",
    index_lag_s=0.5,
    pace=PACE,
)
OPEN = Tool(
    name="open_room",
    about="Open a room.",
    system="board",
    args=Args,
    example={"room": "blue"},
    tool_class="reversible",
    perform=lambda hall, call: hall.do("open_room", call),
    find=_find,
    grade="key_and_lookup",
    pace=PACE,
    index_lag_s=0.5,
    audience=lambda _: ("agent",),
    target=lambda args: f"{args.room} {args.to}".strip(),
    identity=("room", "to"),
    compensate=lambda _, key: CounterCall(tool="take_back", args={"key": key}),
    answers=Answers(pivot="a", undo="b", idempotent="c", unknown="d", paged="e"),
)


def tool(name: str, **changes: Any) -> Tool[Any]:
    """A tool like `open_room`."""
    return dataclasses.replace(OPEN, name=name, perform=lambda hall, call: hall.do(name, call), **changes)


FINAL: dict[str, Any] = {"tool_class": "irreversible", "compensate": None, "audience": lambda _: ("customer",)}
TOOLS = (
    dataclasses.replace(OPEN, undo_waits=True),
    tool("hang_picture", owned=("to",), references={"to": "open_room"}),
    tool("book_table"),
    tool("write_index", points_at=lambda args: (f"page:{args.to}",)),
    tool("print_page", names=lambda args: (f"page:{args.room}",), points_at=lambda args: (f"page:{args.to}",)),
    tool("rent_chairs", check=_check),
    tool("put_sign", tool_class="compensatable", audience=lambda _: ("support_team",)),
    tool("ring_bell", **FINAL, at_once=True, gate="Who hears a bell cannot unhear it."),
    tool("send_card", **FINAL, gate="A card is not called back."),
    tool("send_parcel", **FINAL, gate="Nor is a parcel."),
)
STEWARD = Agent(
    name="steward",
    request=Args,
    tools=tuple(each.name for each in TOOLS),
    brief=lambda request: f"Prepare room {request.room}",
    subject=lambda request: request.room,
    pivot="The approval.",
    why_no_earlier="Cards cannot be called back.",
    paged="The steward.",
)


class Club(Laboratory):
    """The laboratory of the club."""

    @property
    def hall(self) -> Hall:
        """What there is to look at."""
        return cast("HallWorld", self.outside).hall

    async def run(self, model: str, **more: Any) -> Handle:
        """A run of the steward's, asked for by ann."""
        return await self.begin("run-1", agent="steward", request={}, model=model, **more)

    def deed(self, ref: str) -> str:
        """How that one stands."""
        return self.hall.deed(ref)

    def done(self) -> list[str]:
        """Every deed in its order: what, and how it stands."""
        return [f"{each.kind.removeprefix('note.')} {each.ref} {each.state}" for each in self.hall.deeds]


@asynccontextmanager
async def club(
    model_of: Callable[[str], Model], environment: Callable[[], Awaitable[WorkflowEnvironment]] = skipping
) -> AsyncGenerator[Club]:
    """Everything, for as long as the test holds it."""
    registry = Registry(tools=TOOLS, counters=[TAKE_BACK], agents=[STEWARD])
    async with opened(registry, HallWorld(), model_of, environment=environment) as made:
        yield Club(**{each.name: getattr(made, each.name) for each in dataclasses.fields(Laboratory)})


def say(name: str, room: str = "blue", to: str = "", **more: Any) -> Said:
    """A call of the model's."""
    return name, {"room": room, "to": to, **more}


def rung(hall: Club) -> int:
    """How often the bell was rung."""
    return sum(each.kind == "note.ring_bell" for each in hall.hall.deeds)


async def approve(hall: Club, run: Handle, step_idx: int = 0, by: str = "bob") -> str:
    """Let the call of that step run by itself; answers the digest that was decided on."""
    status = await hall.until(run, lambda status: any(need["kind"] == "gate" for need in status["needs_human"]))
    digest = next(need["digest"] for need in status["needs_human"] if need["step_idx"] == step_idx)
    order = {"step_idx": step_idx, "decision": "approve", "digest": digest, "by": by}
    await run.execute_update("decide_gate", order)
    return digest
