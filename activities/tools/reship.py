"""The tool `reship`: goods set aside to be sent again; shipped after the pivot, given back when the run is undone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field

from activities.mail_address import MailAddress
from activities.order_id import OrderId
from activities.providers.warehouse import HOLD_S, INDEX_LAG_S, PACE, Warehouse
from saga.draft import CounterCall
from saga.errors import NotSent, Refused
from saga.outcome import Receipt, Sighting
from saga.record import Typed
from saga.tool import Answers, Call, Tool

_Line = Annotated[str, Field(min_length=1, max_length=200)]


class Address(Typed):
    """Where to send it instead of the order's own address; the fields that an order has."""

    line1: _Line
    postal_code: _Line
    city: _Line
    country: Annotated[str, Field(pattern=r"^[A-Z]{2}$", description="ISO 3166: two capital letters")]


class ReshipArgs(Typed):
    """What is sent again, where to, and who must be told if it should not have been."""

    order_id: OrderId
    customer_email: Annotated[MailAddress, Field(description="the order's `customer_email`")]
    reason: Annotated[str, Field(min_length=1, max_length=500)]
    """The row that keeps it should stay about a kilobyte."""
    address: Address | None = None


async def _perform(warehouse: Warehouse, call: Call[ReshipArgs]) -> Receipt:
    args = call.args
    address = args.address.model_dump(mode="json") if args.address else None
    made = await warehouse.reserve(call.tags, order_id=args.order_id, address=address, reason=args.reason)
    if made.state not in ("held", "confirmed"):
        # The key names this reservation for ever, and its time is over.
        raise Refused(f"the reservation is {made.state}", code=f"reservation_{made.state}", remembered=True)
    return made.sighting().receipt()


async def _find(warehouse: Warehouse, call: Call[ReshipArgs]) -> Sequence[Sighting]:
    return [each.sighting() for each in await warehouse.reservations(call.key)]


async def reserved(warehouse: Warehouse, call: Call[Any], reservation_key: str) -> str:
    """The id of the reservation that a half points at by its forward key; NotSent where it cannot be told."""
    known = call.result.get("reservation") or call.ref_of(reservation_key) or call.external_ref
    if known:
        return str(known)
    found = await warehouse.reservations(reservation_key)
    if len(found) != 1:
        raise NotSent(f"{len(found)} reservations carry the key to act on", code="target_unclear")
    return found[0].id


RESHIP = Tool(
    name="reship",
    about=(
        "Set the order's goods aside to be sent again. The parcel leaves after a person has approved the run. The "
        "warehouse may refuse: out of stock."
    ),
    system="warehouse",
    args=ReshipArgs,
    example={"order_id": "1182", "customer_email": "mara.lindqvist@customers.test", "reason": "arrived broken"},
    tool_class="reversible",
    perform=_perform,
    find=_find,
    grade="key_and_lookup",
    pace=PACE,
    index_lag_s=INDEX_LAG_S,
    audience=lambda _: ("agent",),
    target=lambda args: f"the goods of order {args.order_id}",
    # One order is sent again once in a run, for whatever reason.
    identity=("order_id",),
    compensate=lambda _, key: CounterCall(tool="release_goods", args={"reservation_key": key}),
    commits="ship_parcel",
    commit_args=lambda args, key: {
        "reservation_key": key,
        "order_id": args.order_id,
        "customer_email": args.customer_email,
    },
    refusable=True,
    answers=Answers(
        pivot="It runs before the pivot; ship_parcel, its other half, after it.",
        undo=f"release_goods: the goods go back on the shelf, as they do by themselves after {HOLD_S // 3600} hours.",
        idempotent="A reservation that is released or expired is given back; releasing it again changes nothing.",
        unknown="By saga_key: the warehouse lists the one reservation that has it.",
        paged="The warehouse's shift lead, who can release a reservation by hand.",
    ),
)
