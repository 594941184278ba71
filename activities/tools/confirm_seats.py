"""The tool `confirm_seats`: the commit half of `reserve_seats`, which makes the held seats the workspace's own."""

from __future__ import annotations

from activities.completion import Completion
from activities.providers.workspaces import INDEX_LAG_S, PACE
from activities.reference import Reference, StepKey
from activities.tools.reserve_seats import Quantity, seats
from saga.draft import CounterCall
from saga.record import Typed
from saga.tool import Answers, Tool


class ConfirmArgs(Typed):
    """Which hold, by the key of the step that made it. The rest is for people."""

    reservation_key: StepKey
    workspace_id: Reference
    quantity: Quantity


_CONFIRMATION = Completion(
    kind="reservations",
    action="confirm",
    done="confirmed",
    over=("reservation_expired", "reservation_released"),
    staged=lambda args: args.reservation_key,
    told=("workspace_id", "quantity"),
)

CONFIRM_SEATS = Tool(
    name="confirm_seats",
    about="Make the seats that are held the workspace's own.",
    system="workspaces",
    args=ConfirmArgs,
    example={"reservation_key": "0" * 32, "workspace_id": "ws_1", "quantity": 40},
    tool_class="compensatable",
    perform=_CONFIRMATION.perform,
    find=_CONFIRMATION.find,
    grade="key_and_lookup",
    pace=PACE,
    index_lag_s=INDEX_LAG_S,
    audience=lambda _: ("agent",),
    target=lambda args: f"{seats(args.quantity)} of workspace {args.workspace_id}",
    identity=("reservation_key",),
    compensate=lambda _, key: CounterCall(tool="release_seats", args={"made_key": key}),
    # The hold may have ended: a refused confirmation means that the pivot did not happen.
    refusable=True,
    answers=Answers(
        pivot="It is the pivot's own, and among the first of the commits: the service can still refuse it.",
        undo="release_seats: the seats go back into the pool.",
        idempotent="Seats that are released already are given back; releasing them again changes nothing.",
        unknown="By reading the reservation: it is confirmed or it is not, and reading by id has no lag.",
        paged="The workspace team's lead, who can confirm or release seats by hand.",
    ),
)
