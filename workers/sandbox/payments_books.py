"""What Stripe books of money that moved: a balance transaction of each charge, with its fee, and of each refund.

The fee of a charge is kept when it is refunded, and a refund costs none of its own, which is what Stripe says of its
standard pricing (support.stripe.com, "Understanding fees for refunded payments"). Differs from Stripe: one price for
every card, no tax, everything settles in the currency of the charge, and it is booked at once (at Stripe up to an hour
later where the capture is asynchronous).
"""

from workers.sandbox import payments_money as money
from workers.sandbox.payments_error import missing
from workers.sandbox.payments_record import SYSTEM, record, save
from workers.sandbox.route import Ctx, Reply
from workers.sandbox.stamp import Stamp
from workers.sandbox.world import Doc, World


def book_charge(world: World, wire: Doc) -> None:
    """Book what was taken, less the fee for exactly that: of a part captured, the fee is that of the part."""
    taken = wire["amount_captured"]
    wire["balance_transaction"] = _booked(world, wire, "charge", taken, money.fee(taken, wire["currency"]))


def book_refund(world: World, wire: Doc) -> None:
    """Book what went back. None of the charge's fee comes back with it."""
    wire["balance_transaction"] = _booked(world, wire, "refund", -wire["amount"], 0)


def book_failure(world: World, wire: Doc) -> None:
    """Book a refund that failed as come again, where it was booked as gone."""
    if wire["balance_transaction"]:
        wire["failure_balance_transaction"] = _booked(world, wire, "refund_failure", wire["amount"], 0)


def retrieve(ctx: Ctx) -> Reply:
    """GET /v1/balance_transactions/{id}."""
    doc = ctx.world.get(SYSTEM, "transaction", ctx.match["id"])
    if doc is None:
        raise missing("balance transaction", ctx.match["id"], param="id")
    return Reply(200, doc["wire"])


def _booked(world: World, source: Doc, type_: str, minor: int, fee: int) -> str:
    code = source["currency"]
    detail = {"amount": fee, "application": None, "currency": code, "description": "Stripe processing fees"}
    wire: Doc = {
        "id": world.new_ref("txn"),
        "object": "balance_transaction",
        "amount": minor,
        "currency": code,
        "description": None,
        "exchange_rate": None,
        "fee": fee,
        "fee_details": [{**detail, "type": "stripe_fee"}] if fee else [],
        "net": minor - fee,
        "reporting_category": type_,
        "source": source["id"],
        "status": "pending",
        "type": type_,
    }
    save(world, record(world, wire, Stamp()))
    return wire["id"]
