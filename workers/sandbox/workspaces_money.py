"""Seats that are paid for, and money given back: never more than was paid and is not used, and never less than one.

A purchase is charged at once. A refund is asked for, and confirmed or failed later; the provider keeps its fee.
All amounts are minor units of the account's currency.
"""

from typing import Any

from sqlalchemy import Connection, RowMapping, func, select, update

from workers.sandbox import workspaces_thing as thing
from workers.sandbox.workspaces_account import account
from workers.sandbox.workspaces_effects import Signed, restate
from workers.sandbox.workspaces_error import Refusal, invalid
from workers.sandbox.workspaces_input import NewPurchase, NewRefund
from workers.sandbox.workspaces_schema import purchases, refunds, reservations
from workers.sandbox.workspaces_thing import Kind
from workers.sandbox.world import Doc

REFUND_SETTLES_S = 3.0
"""From a refund that is asked for to one that is confirmed: long enough to be seen, short enough to be waited for."""
_FEE_PER_MILLE, _FEE_MINOR = 29, 30
"""2.9 % and 30 of the smallest unit, the usual price of a card payment."""


def fee(amount_minor: int) -> int:
    """What the provider keeps of a payment, rounded half up."""
    return (amount_minor * _FEE_PER_MILLE + 500) // 1000 + _FEE_MINOR


def _purchase(connection: Connection, wish: NewPurchase, signed: Signed) -> Doc:
    # Read for sharing: the seats cannot be given back while they are paid for.
    named = select(reservations).where(reservations.c.id == wish.reservation_id).with_for_update(read=True)
    held = connection.execute(named).mappings().first()
    if held is None:
        raise invalid("reservation_id", f"there is no reservation {wish.reservation_id!r}.")
    state = "expired" if held["state"] == "held" and held["expires_at"] <= signed.now else held["state"]
    if state not in {"held", "confirmed"}:
        raise Refusal(409, f"reservation_{state}", f"The reservation {held['id']} is {state}.")
    if wish.quantity != held["quantity"]:
        raise invalid("quantity", f"the reservation is of {held['quantity']} seats.")
    own = account(connection, held["client"])
    if wish.currency != own["currency"]:
        message = f"currency: {own['client']} is billed in {own['currency']}."
        raise Refusal(422, "another_currency", message)
    price = wish.quantity * own["seat_price_minor"]
    if wish.amount_minor != price:
        message = f"amount_minor: {wish.quantity} seats at {own['seat_price_minor']} are {price}."
        raise Refusal(422, "amount_mismatch", message)
    if not own["has_payment_method"]:
        raise Refusal(402, "payment_required", f"The account of {own['client']} has no payment method.")
    if own["declines"]:
        raise Refusal(402, "card_declined", f"The card of {own['client']} was declined.")
    return {
        **wish.model_dump(), "workspace_id": held["workspace_id"], "fee_minor": fee(wish.amount_minor),
        "used_minor": 0, "refunded_minor": 0,
    }  # fmt: skip


def _refund(connection: Connection, wish: NewRefund, signed: Signed) -> Doc:
    left = purchases.c.amount_minor - purchases.c.used_minor - purchases.c.refunded_minor
    given = update(purchases).where(purchases.c.id == wish.purchase_id, left >= wish.amount_minor)
    more = purchases.c.refunded_minor + wish.amount_minor
    fits = connection.execute(given.values(refunded_minor=more)).rowcount == 1
    paid = connection.execute(select(purchases).where(purchases.c.id == wish.purchase_id)).mappings().first()
    if paid is None:
        raise invalid("purchase_id", f"there is no purchase {wish.purchase_id!r}.")
    if not fits:
        there = paid["amount_minor"] - paid["used_minor"] - paid["refunded_minor"]
        raise Refusal(409, "over_refund", f"amount_minor: {there} of {paid['id']} can be given back.")
    return {
        **wish.model_dump(), "currency": paid["currency"], "fee_kept_minor": paid["fee_minor"],
        "original_minor": paid["amount_minor"], "used_minor": paid["used_minor"],
        "settles_at": signed.now + REFUND_SETTLES_S,
    }  # fmt: skip


PURCHASES = Kind(
    name="purchases", table=purchases, prefix="pur", wish=NewPurchase, values=_purchase, born="paid",
    operations=("capture", "create"), effect="seats.purchase", audience=("customer", "finance"),
)  # fmt: skip
REFUNDS = Kind(
    name="refunds", table=refunds, prefix="ref", wish=NewRefund, values=_refund, born="requested",
    operations=("refund", "create"), effect="seats.refund", audience=("customer", "finance"),
    effect_state="pending", tells=lambda row: {"undoes": row["purchase_id"]},
)  # fmt: skip


def settle(connection: Connection, ref: str, now: float) -> None:
    """The bank confirms a refund whose time has come; nothing happens to one that is no longer asked for."""
    due = update(refunds).where(refunds.c.id == ref, refunds.c.state == "requested", refunds.c.settles_at <= now)
    if connection.execute(due.values(state="confirmed")).rowcount == 1:
        restate(connection, ref, "seats.refund", "standing")
        _restate_purchase(connection, thing.find(connection, REFUNDS, ref)["purchase_id"])


def fail(connection: Connection, ref: str) -> RowMapping | None:
    """The bank sends the money back: the purchase has it again. None where the refund has failed already."""
    live = refunds.c.state.in_(("requested", "confirmed"))
    failed = update(refunds).where(refunds.c.id == ref, live).values(state="failed")
    if connection.execute(failed).rowcount == 0:
        return None
    row = thing.find(connection, REFUNDS, ref)
    less = purchases.c.refunded_minor - row["amount_minor"]
    connection.execute(update(purchases).where(purchases.c.id == row["purchase_id"]).values(refunded_minor=less))
    restate(connection, ref, "seats.refund", "failed")
    _restate_purchase(connection, row["purchase_id"])
    return row


def use(connection: Connection, ref: str, amount_minor: int) -> bool:
    """Somebody uses so much of what was paid; False where not so much is left."""
    left = purchases.c.amount_minor - purchases.c.used_minor - purchases.c.refunded_minor
    used = update(purchases).where(purchases.c.id == ref, left >= amount_minor)
    return connection.execute(used.values(used_minor=purchases.c.used_minor + amount_minor)).rowcount == 1


def _restate_purchase(connection: Connection, ref: str) -> None:
    """Undone once all that is not used has gone back, not while a refund is only asked for."""
    back = connection.scalar(
        select(func.coalesce(func.sum(refunds.c.amount_minor), 0)).where(
            refunds.c.purchase_id == ref, refunds.c.state == "confirmed"
        )
    )
    paid = thing.find(connection, PURCHASES, ref)
    is_back: Any = back and int(back) + paid["used_minor"] == paid["amount_minor"]
    connection.execute(update(purchases).where(purchases.c.id == ref).values(state="refunded" if is_back else "paid"))
    restate(connection, ref, "seats.purchase", "undone" if is_back else "standing")
