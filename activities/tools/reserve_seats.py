"""The tool `reserve_seats`: seats set aside for a stated time; confirmed after the pivot, given back before it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from activities.creation import Creation
from activities.providers.workspaces import INDEX_LAG_S, PACE
from activities.reference import Reference
from saga.draft import CounterCall
from saga.record import Typed
from saga.tool import Answers, Tool

HOLD_S = 900
"""A quarter of an hour: what a person needs to read a proposal that lies before them. Seats held are seats not sold."""

Quantity = Annotated[int, Field(gt=0, le=100_000, description="how many seats")]
"""The ceiling is the largest pool that a client has."""


class SeatsArgs(Typed):
    """For which workspace, how many, and for how long they are held."""

    workspace_id: Annotated[Reference, Field(description="the workspace that create_workspace made")]
    quantity: Quantity
    ttl_s: Annotated[
        int,
        # Below a minute the commit would be late for sure; beyond a day it is no hold but a sale.
        Field(ge=60, le=86_400, description="seconds until the hold ends by itself, and the approval's time with it"),
    ] = HOLD_S


_SEATS = Creation(kind="reservations", told=("workspace_id", "quantity"))

RESERVE_SEATS = Tool(
    name="reserve_seats",
    about=(
        "Hold seats for the workspace. They are confirmed after a person has approved the run, which has to be before "
        "the hold ends. Its external_ref is the reservation_id that purchase_seats asks for. May be refused: not "
        "enough seats."
    ),
    system="workspaces",
    args=SeatsArgs,
    example={"workspace_id": "ws_1", "quantity": 40, "ttl_s": 86_400},
    tool_class="reversible",
    perform=_SEATS.perform,
    find=_SEATS.find,
    grade="key_and_lookup",
    pace=PACE,
    index_lag_s=INDEX_LAG_S,
    audience=lambda _: ("agent",),
    target=lambda args: f"{seats(args.quantity)} for workspace {args.workspace_id}, held for {args.ttl_s} s",
    # A workspace has its seats set aside once in a run, however many the second call says.
    identity=("workspace_id",),
    references={"workspace_id": "create_workspace"},
    owned=("workspace_id",),
    compensate=lambda _, key: CounterCall(tool="release_seats", args={"made_key": key}),
    commits="confirm_seats",
    commit_args=lambda args, key: {
        "reservation_key": key,
        "workspace_id": args.workspace_id,
        "quantity": args.quantity,
    },
    refusable=True,
    # A purchase that nobody could refund yet is of these seats: they are not given to others meanwhile.
    undo_waits=True,
    answers=Answers(
        pivot="It runs before the pivot; confirm_seats, its other half, after it, while the hold lasts.",
        undo="release_seats: the seats go back into the pool, as they do by themselves once the hold ends.",
        idempotent="A hold that is released or has ended is given back; releasing it again changes nothing.",
        unknown="By saga_key: the service lists the one reservation that has it.",
        paged="The workspace team's lead, who can release a hold by hand; left alone, it ends by itself.",
    ),
)


def seats(quantity: int) -> str:
    """So many seats, in words for people."""
    return "1 seat" if quantity == 1 else f"{quantity} seats"
