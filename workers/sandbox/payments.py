"""Payments: Stripe's wire protocol under /v1, as far as the `stripe` package is used here.

`sk_test_sandbox` may write, `rk_test_sandbox` only reads (403), anything else is 401. The orders'
original payments (`pi_order_<order>`, captured) and their customers are fixtures: they are no effects,
their refunds are. Written from Stripe's documentation and public recordings, never compared with Stripe.
"""

from typing import Any

from workers.sandbox import (
    payments_books,
    payments_error,
    payments_intents,
    payments_key,
    payments_refunds,
    payments_search,
)
from workers.sandbox import payments_input as read
from workers.sandbox.fixtures import CUSTOMERS, ORDERS
from workers.sandbox.payments_acts import act, expire
from workers.sandbox.payments_error import Refusal, in_use, missing, refusal
from workers.sandbox.payments_key import keyed, reading, remember_refusal
from workers.sandbox.payments_page import page
from workers.sandbox.payments_record import (
    SYSTEM,
    charge,
    intent,
    new_charge,
    new_intent,
    record,
    refund,
    save,
    shown,
)
from workers.sandbox.route import Ctx, Reply, Route, View
from workers.sandbox.stamp import Stamp
from workers.sandbox.world import Doc, World

__all__ = [
    "act", "dress", "expire", "guard", "in_use", "install", "refusal", "remember_refusal", "routes", "run_of",
]  # fmt: skip

WRITES, READS = "sk_test_sandbox", "rk_test_sandbox"
_EXPANDABLE = {"balance_transaction", "payment_intent"}
_DAYS_AGO_S = 10 * 86_400
"""How old the orders' original payments are: older than any window in which a run looks for its own."""


def guard(ctx: Ctx) -> Reply | None:
    """401 without a key that we know, 403 for writing with one that only reads."""
    key = ctx.bearer()
    if key not in {WRITES, READS}:
        message = f"Invalid API Key provided: {key[:8]}***" if key else "You did not provide an API key."
        return Refusal(message, status=401).reply
    if key == READS and ctx.method != "GET":
        return payments_error.refusal(403)
    return None


def dress(view: View, reply: Reply) -> Reply:
    """`Request-Id` and `Stripe-Version` on every answer; `Stripe-Should-Retry` is not played."""
    return payments_key.dress(view, reply)


def run_of(world: World, view: View) -> str | None:
    """Captures, cancels and reads do not say whose they are; the intent or refund that they name does."""
    ref = view.match.get("id") or view.form().get("payment_intent") or view.query.get("payment_intent")
    if not isinstance(ref, str):
        return None
    doc = intent(world, ref) or refund(world, ref)
    return doc["run"] if doc else None


def install(world: World) -> None:
    """The customers, and each order's original payment, captured some days ago."""
    for ref, customer in CUSTOMERS.items():
        if world.get(SYSTEM, "customer", ref) is None:
            said = {"email": customer["email"], "name": customer["name"], "currency": customer["currency"]}
            wire = {"id": ref, "object": "customer", **said, "livemode": False, "metadata": {}}
            save(world, _old(world, wire))
    for order in ORDERS.values():
        if intent(world, order["payment_intent"]) is None:
            _install_payment(world, order)


def _install_payment(world: World, order: dict[str, Any]) -> None:
    method, minor = "pm_card_visa", order["amount_minor"]
    wire = new_intent(
        world,
        amount=minor,
        capture_method="automatic_async",
        currency=order["currency"],
        customer=order["customer_id"],
        description=f"Order {order['order_id']}",
        metadata={"order_id": order["order_id"]},
        payment_method=method,
        status="succeeded",
    )
    wire.update(id=order["payment_intent"], amount_received=minor, latest_charge=f"ch_order_{order['order_id']}")
    taken = {**new_charge(world, wire, method, captured=True), "id": wire["latest_charge"]}
    payments_books.book_charge(world, taken)
    save(world, _old(world, taken))
    save(world, _old(world, wire))


def _old(world: World, wire: Doc) -> Doc:
    doc = record(world, wire, Stamp())
    doc["at"] -= _DAYS_AGO_S
    wire["created"] -= _DAYS_AGO_S
    return doc


def _retrieve_charge(ctx: Ctx) -> Reply:
    doc = charge(ctx.world, ctx.match["id"])
    if doc is None:
        raise missing("charge", ctx.match["id"], param="charge")
    return Reply(200, shown(ctx.world, doc["wire"], read.expand(ctx.query, _EXPANDABLE)))


def _list_charges(ctx: Ctx) -> Reply:
    return page(ctx, "charge", filters=("customer", "payment_intent"), expandable=_EXPANDABLE)


def _retrieve_customer(ctx: Ctx) -> Reply:
    doc = ctx.world.get(SYSTEM, "customer", ctx.match["id"])
    if doc is None:
        raise missing("customer", ctx.match["id"], param="id")
    return Reply(200, doc["wire"])


_INTENTS, _REFUNDS = "/v1/payment_intents", "/v1/refunds"
_READ, _LIST = ("read",), ("list",)

routes: list[Route] = [
    Route("POST", _INTENTS, SYSTEM, payments_intents.operations, keyed(payments_intents.create)),
    Route("GET", _INTENTS, SYSTEM, _LIST, reading(payments_intents.list_)),
    Route("GET", f"{_INTENTS}/search", SYSTEM, ("search",), reading(payments_search.search)),
    Route("GET", f"{_INTENTS}/{{id}}", SYSTEM, _READ, reading(payments_intents.retrieve)),
    Route("POST", f"{_INTENTS}/{{id}}", SYSTEM, ("update",), keyed(payments_intents.update)),
    Route("POST", f"{_INTENTS}/{{id}}/capture", SYSTEM, ("capture",), keyed(payments_intents.capture)),
    Route("POST", f"{_INTENTS}/{{id}}/cancel", SYSTEM, ("cancel",), keyed(payments_intents.cancel)),
    Route("POST", _REFUNDS, SYSTEM, ("refund",), keyed(payments_refunds.create)),
    Route("GET", _REFUNDS, SYSTEM, _LIST, reading(payments_refunds.list_)),
    Route("GET", f"{_REFUNDS}/{{id}}", SYSTEM, _READ, reading(payments_refunds.retrieve)),
    Route("GET", "/v1/charges", SYSTEM, _LIST, reading(_list_charges)),
    Route("GET", "/v1/charges/{id}", SYSTEM, _READ, reading(_retrieve_charge)),
    Route("GET", "/v1/balance_transactions/{id}", SYSTEM, _READ, reading(payments_books.retrieve)),
    Route("GET", "/v1/customers/{id}", SYSTEM, _READ, reading(_retrieve_customer)),
]
