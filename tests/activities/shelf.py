"""A world of one shelf that does as it is told, and the life of one activity in it, attempt after attempt."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from activities.perform import Perform
from activities.sending import NOT_SENT
from compensations.door import Compensate
from saga.doors import SendOrder
from saga.draft import Grade, Pace
from saga.outcome import Answer, Receipt, Sighting
from saga.record import Json
from saga.row import Half, Row
from saga.tool import Call
from tests.build import EXECUTION, PACE, START, make_counter, make_registry, make_row, make_tool

State = Literal["standing", "undone", "pending", "failed"]


@dataclass
class Box:
    """One effect."""

    key: str
    ref: str
    execution: str | None = EXECUTION
    state: State = "standing"


@dataclass
class Fault:
    """What strikes the next request: `done` says whether the box is on the shelf all the same."""

    error: BaseException
    done: bool


class Shelf:
    """The provider. `boxes` is the world; `sent` and `looked` are the keys of the requests it received."""

    def __init__(self, *, honours_keys: bool = True) -> None:
        """Empty, answering, and with a list that shows everything at once."""
        self.boxes: list[Box] = []
        self.sent: list[str] = []
        self.looked: list[str] = []
        self.faults: list[Fault] = []
        self.look_error: BaseException | None = None
        self.lags = False
        self.pending = False
        self.result: Json = {}
        self.looks_itself = False
        self.gate: asyncio.Event | None = None
        self.under_way = asyncio.Event()
        self._honours_keys = honours_keys

    def strike(self, error: BaseException, *, done: bool = False) -> None:
        """Answer a coming request with this error, in the order given."""
        self.faults.append(Fault(error, done))

    def put(self, key: str, **changes: Any) -> Box:
        """A box that is there without this test's doing."""
        box = Box(key, f"box-{len(self.boxes)}", **changes)
        self.boxes.append(box)
        return box

    async def perform(self, call: Call[Any]) -> Receipt:
        """Put the box, once per key where keys are honoured."""
        self.sent.append(call.key)
        fault = self.faults.pop(0) if self.faults else None
        if fault is not None and not fault.done:
            raise fault.error
        found = self.looks_itself and any(box.key == call.key for box in self.boxes)
        known = next((box for box in self.boxes if box.key == call.key), None) if self._honours_keys or found else None
        box = known or self.put(call.key)
        if self.gate is not None:
            self.under_way.set()
            await self.gate.wait()
        if fault is not None:
            raise fault.error
        return Receipt(
            external_ref=box.ref, execution=box.execution, pending=self.pending, result=self.result, found=found
        )

    async def find(self, call: Call[Any]) -> Sequence[Sighting]:
        """Every box of that key, unless the list lags."""
        self.looked.append(call.key)
        if self.look_error is not None:
            raise self.look_error
        return [
            Sighting(external_ref=box.ref, state=box.state, execution=box.execution)
            for box in self.boxes
            if box.key == call.key and not self.lags
        ]


class Life:
    """One activity as Temporal runs it: each attempt is told what the one before left in its heartbeat."""

    def __init__(
        self,
        shelf: Shelf,
        grade: Grade = "key_and_lookup",
        *,
        half: Half = "call",
        pace: Pace = PACE,
        row: Row | None = None,
        run: str = "run-a",
        scheduled_in: str | None = None,
        after_reset: bool = False,
    ) -> None:
        """`run` is the run that the server runs it for, `scheduled_in` what the order says."""
        self.shelf = shelf
        lookup: dict[str, Any] = {} if "lookup" in grade else {"find": None, "person_answers": "the storekeeper knows"}
        registry = make_registry(make_tool(grade=grade, pace=pace, **lookup), counters=[make_counter(grade=grade)])
        writers = {"shelf": shelf}
        self.door = Perform(registry, writers).perform if half == "call" else Compensate(registry, writers).compensate
        undone = half == "compensation"
        self.row = row or make_row(
            0, "COMPENSATION_REQUESTED" if undone else "INTENDED", undo="INTENDED" if undone else None
        )
        self.order = SendOrder(row=self.row, scheduled_in=scheduled_in or run, after_reset=after_reset, since=START)
        self.run, self.number, self.left, self.env = run, 0, list[Any](), ActivityEnvironment()

    @property
    def key(self) -> str:
        """The key that the call goes out under."""
        return self.row.idempotency_key

    def die(self) -> None:
        """An attempt that began, and of which nobody heard again."""
        self.number += 1

    async def attempt(self) -> Answer | ApplicationError:
        """What the next attempt comes to; anything but an answer or an ApplicationError is the test's to fail on."""
        self.number += 1
        self.env = ActivityEnvironment()
        self.env.info = replace(
            self.env.info, attempt=self.number, heartbeat_details=list(self.left), workflow_run_id=self.run
        )
        self.env.on_heartbeat = self._beat
        try:
            return await self.env.run(self.door, self.order)
        except ApplicationError as error:
            return error

    async def answer(self) -> Answer:
        """The next attempt's answer."""
        found = await self.attempt()
        assert isinstance(found, Answer), repr(found)
        return found

    async def silence(self) -> ApplicationError:
        """The next attempt's failure to get one."""
        found = await self.attempt()
        assert isinstance(found, ApplicationError), repr(found)
        return found

    async def unknown(self) -> ApplicationError:
        """The next attempt's failure, which says that something may have happened."""
        error = await self.silence()
        assert error.type != NOT_SENT, "it says that nothing can have happened"
        return error

    def _beat(self, *details: Any) -> None:
        self.left = list(details)
