"""The tool `ship_parcel`: the commit half of `reship`. The parcel leaves, and nobody can call it back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from activities.mail_address import MailAddress
from activities.order_id import OrderId
from activities.providers.warehouse import INDEX_LAG_S, PACE, Warehouse
from activities.tools.reship import reserved
from saga.draft import CounterCall
from saga.keys import OPEN_KEY
from saga.outcome import Receipt, Sighting
from saga.record import Typed
from saga.tool import Answers, Call, Tool


class ShipArgs(Typed):
    """Which reservation, and who must be told if it should not have been shipped."""

    reservation_key: Annotated[str, Field(min_length=1, max_length=64)]
    """The key of the step that set the goods aside."""
    order_id: OrderId
    customer_email: MailAddress


async def _perform(warehouse: Warehouse, call: Call[ShipArgs]) -> Receipt:
    """One request; the same key gets the same parcel. Refused where the reservation has run out or was released."""
    reference = await reserved(warehouse, call, call.args.reservation_key)
    return (await warehouse.ship(reference, call.tags)).receipt()


async def _find(warehouse: Warehouse, call: Call[ShipArgs]) -> Sequence[Sighting]:
    return [
        Sighting(external_ref=parcel.id, state="standing", result=parcel.receipt().result, execution=parcel.execution)
        for parcel in await warehouse.parcels(call.key)
    ]


def _correction(args: ShipArgs) -> CounterCall:
    return CounterCall(
        tool="send_correction",
        args={
            "original_key": OPEN_KEY,
            "to": args.customer_email,
            "subject": f"A parcel for your order {args.order_id}",
            "text": (
                f"We sent you a parcel for your order {args.order_id} by mistake. You need not pay for it, nor do "
                "anything now; we will write to you about what happens next."
            ),
        },
    )


SHIP_PARCEL = Tool(
    name="ship_parcel",
    about="Send the goods that were set aside.",
    system="warehouse",
    args=ShipArgs,
    example={"reservation_key": "0" * 32, "order_id": "1182", "customer_email": "mara.lindqvist@customers.test"},
    tool_class="irreversible",
    perform=_perform,
    find=_find,
    grade="key_and_lookup",
    pace=PACE,
    index_lag_s=INDEX_LAG_S,
    # The carrier has it within the hour, the customer a day later.
    audience=lambda _: ("partner", "customer"),
    target=lambda args: f"the parcel for order {args.order_id}",
    identity=("reservation_key",),
    correct=_correction,
    answers=Answers(
        pivot="It is the pivot's own: it runs only after a person has approved.",
        undo="Nothing; send_correction, if a person decides that it is needed.",
        idempotent="There is no compensation; shipping twice under one key is one parcel.",
        unknown="By saga_key: the warehouse lists the one parcel that has it.",
        paged="The warehouse's shift lead; a parcel not yet with the carrier can still be kept back by hand.",
    ),
)
