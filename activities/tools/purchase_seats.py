"""The tool `purchase_seats`: the held seats are paid for at once; what is left goes back when the run is undone."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from activities.creation import Creation
from activities.providers.workspaces import INDEX_LAG_S, PACE, Workspaces
from activities.reference import Reference
from activities.tools.reserve_seats import Quantity, seats
from saga.draft import CounterCall
from saga.errors import BadInput
from saga.money import AmountMinor, Currency, Money
from saga.record import Typed
from saga.tool import Answers, Tool


class PurchaseArgs(Typed):
    """Which hold is paid for, and with what."""

    reservation_id: Annotated[Reference, Field(description="the reservation that reserve_seats made")]
    quantity: Annotated[Quantity, Field(description="as many seats as are held")]
    amount_minor: Annotated[AmountMinor, Field(description="in the smallest unit of the currency: 500 is 5.00 USD")]
    currency: Annotated[Currency, Field(description="the one that the account pays in")]

    @property
    def money(self) -> Money:
        """The amount with its currency."""
        return Money(amount_minor=self.amount_minor, currency=self.currency)


async def _check(workspaces: Workspaces, args: PurchaseArgs) -> None:
    """BadInput where the service would say no: other seats than are held, another currency, another price."""
    held = await workspaces.one("reservations", args.reservation_id)
    if held is None:
        raise BadInput("reservation_id", "names no seats that are held")
    if held.number("quantity") != args.quantity:
        raise BadInput("quantity", f"{held.number('quantity')} are held; all of them are bought, or none")
    workspace = await workspaces.one("workspaces", held.text("workspace_id"))
    if workspace is None:
        return
    account = await workspaces.account(workspace.text("client"))
    if account.currency != args.currency:
        raise BadInput("currency", f"the account pays in {account.currency}")
    price = Money(amount_minor=account.seat_price_minor * args.quantity, currency=account.currency)
    if price.amount_minor != args.amount_minor:
        raise BadInput("amount_minor", f"{seats(args.quantity)} cost {price}, which is {price.amount_minor}")


_PURCHASE = Creation(kind="purchases", told=("quantity", "amount_minor", "currency", "fee_minor"))

PURCHASE_SEATS = Tool(
    name="purchase_seats",
    about=(
        "Pay for seats that are held, from the account's payment method, at once. The price is quantity times the "
        "account's seat price, in its currency: ask lookup_account. May be refused: payment_required where the account "
        "has nothing to pay with, card_declined where the card is refused."
    ),
    system="workspaces",
    args=PurchaseArgs,
    example={"reservation_id": "rsv_1", "quantity": 40, "amount_minor": 50_000, "currency": "usd"},
    tool_class="compensatable",
    perform=_PURCHASE.perform,
    find=_PURCHASE.find,
    grade="key_and_lookup",
    pace=PACE,
    index_lag_s=INDEX_LAG_S,
    # The service sends a receipt with every purchase.
    audience=lambda _: ("finance", "customer"),
    target=lambda args: f"{args.money} for {seats(args.quantity)} of reservation {args.reservation_id}",
    # What is held is paid for once, whatever the amount says the second time.
    identity=("reservation_id",),
    references={"reservation_id": "reserve_seats"},
    owned=("reservation_id",),
    check=_check,
    compensate=lambda args, key: CounterCall(
        tool="refund_seats",
        args={
            "purchase_key": key,
            "amount_minor": args.amount_minor,
            "currency": args.currency,
            "reason": f"the run that bought {seats(args.quantity)} was undone",
        },
    ),
    # A declined card may be put right by the client within the run. An account with none is not the model's to mend.
    correctable=("card_declined",),
    refusable=True,
    cost=lambda args: args.money,
    answers=Answers(
        pivot="It may run before the pivot, since it can be refunded; the provider keeps its fee when it is.",
        undo="refund_seats: what has not been used of it goes back.",
        idempotent="refund_seats reads the purchase first, gives back only what is left, and has a key of its own.",
        unknown="By saga_key: the service lists the one purchase that has it.",
        paged="Finance, who can refund by hand; the next look finds that.",
    ),
)
