"""What goes in through the doors: the one record that each activity takes."""

from __future__ import annotations

from datetime import datetime

from pydantic import JsonValue

from saga.faults import Fault
from saga.record import Json, Record
from saga.row import Half, Row
from saga.tool import Upstream


class AdmitOrder(Record):
    """To `admit`: whatever somebody started a run with."""

    payload: JsonValue
    attempt: int
    """Temporal's own count of tries of the execution; more than one is refused."""
    execution: str
    """The first execution's run id: an execution of this id with another one is an earlier life."""


class ProposeOrder(Record):
    """To `propose`: whose turn it is. The transcript is not sent along; the door asks the run for it."""

    agent: str
    model: str
    request: Json
    turn: int
    """The turn to propose. A query reads the state of now, so the door asks for the turns below this one."""


class ReadOrder(Record):
    """To `read`: a pure call."""

    tool: str
    args: Json


class CheckOrder(Record):
    """To `check`: a call with effects, before it has a row."""

    tool: str
    args: Json


class SendOrder(Record):
    """To `perform` and `compensate`: the row as it was written, before anything is sent."""

    row: Row
    upstream: tuple[Upstream, ...] = ()
    scheduled_in: str
    """Run id in which this was scheduled. Another than the door's own: the server sent it again after a reset."""
    after_reset: bool = False
    """The run that scheduled this had been reset: the branch thrown away may have sent it."""
    since: datetime
    """Nothing of this row can be older: when it was written or, after a reset, when the run began."""
    faults: tuple[Fault, ...] = ()
    """Those of the run that are aimed at this half."""


class FindOrder(Record):
    """To `find`: which half of which row."""

    row: Row
    half: Half
    upstream: tuple[Upstream, ...] = ()
    since: datetime
    """As in SendOrder."""
    faults: tuple[Fault, ...] = ()
    """Those of the run that are aimed at the looks for it."""


class ReconcileOrder(Record):
    """To the `Reconcile` child: find out about one half, however long that takes."""

    look: FindOrder
    since: datetime
    """The last moment at which a request of this half may have been sent."""
