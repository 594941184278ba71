"""Payment intents, charges and refunds as they are kept, and as they look on the wire.

A record is {`wire`: what Stripe shows, `at`: when it came to be, `key`, `run`, `execution`: whose it is}.
Differs from Stripe: no receipts; payment methods keep their test names (Stripe makes a `pm_…` of its own of
each).
"""

from typing import Any

from workers.sandbox.payments_cards import CARDS
from workers.sandbox.stamp import Stamp
from workers.sandbox.world import Doc, World

SYSTEM = "payments"
HOLD_S = 7 * 86_400
"""A card's hold lasts seven days at Stripe, unless the network says otherwise."""


def intent(world: World, ref: str) -> Doc | None:
    """The record of an intent."""
    return world.get(SYSTEM, "intent", ref)


def charge(world: World, ref: str) -> Doc | None:
    """The record of a charge."""
    return world.get(SYSTEM, "charge", ref)


def refund(world: World, ref: str) -> Doc | None:
    """The record of a refund."""
    return world.get(SYSTEM, "refund", ref)


def refunds_of(world: World, charge_ref: str) -> list[Doc]:
    """The records of a charge's refunds, oldest first."""
    of = charge(world, charge_ref)
    found = [refund(world, ref) for ref in of.get("refunds", [])] if of else []
    return [doc for doc in found if doc is not None]


def save(world: World, record: Doc) -> None:
    """Write a record under the kind and id that it has."""
    kinds = {"payment_intent": "intent", "balance_transaction": "transaction"}
    name: str = record["wire"]["object"]
    world.put(SYSTEM, kinds.get(name, name), record["wire"]["id"], record)


def record(world: World, wire: Doc, stamp: Stamp) -> Doc:
    """A new record of what the wire shows, with the moment and whose it is."""
    now = world.now()
    wire["created"] = int(now)
    return {"wire": wire, "at": now, "key": stamp.key, "run": stamp.run, "execution": stamp.execution}


def new_intent(world: World, **fields: Any) -> Doc:
    """The wire of an intent that has not been confirmed."""
    ref = world.new_ref("pi")
    blank = (
        "application application_fee_amount automatic_payment_methods canceled_at cancellation_reason"
        " customer description last_payment_error latest_charge next_action on_behalf_of payment_method"
        " processing receipt_email review setup_future_usage shipping source statement_descriptor"
        " statement_descriptor_suffix transfer_data transfer_group"
    )
    return {
        "id": ref,
        "object": "payment_intent",
        **dict.fromkeys(blank.split()),
        "amount_capturable": 0,
        "amount_details": {"tip": {}},
        "amount_received": 0,
        "client_secret": f"{ref}_secret_sandbox",
        "confirmation_method": "automatic",
        "livemode": False,
        "payment_method_options": {},
        "payment_method_types": ["card"],
        **fields,
    }


def new_charge(world: World, of: Doc, method: str, *, captured: bool) -> Doc:
    """The wire of the charge that confirming the intent makes."""
    card = CARDS[method]
    failed = card.code is not None
    return {
        "id": world.new_ref("ch"),
        "object": "charge",
        "amount": of["amount"],
        "amount_captured": of["amount"] if captured and not failed else 0,
        "amount_refunded": 0,
        "balance_transaction": None,
        "captured": captured and not failed,
        "currency": of["currency"],
        "customer": of["customer"],
        "description": of["description"],
        "disputed": False,
        "failure_code": card.code,
        "failure_message": card.message or None,
        "livemode": False,
        # Stripe copies the intent's metadata to the charge once, when it is made.
        "metadata": dict(of["metadata"]),
        "paid": not failed,
        "payment_intent": of["id"],
        "payment_method": method,
        "payment_method_details": {"type": "card", "card": {"brand": "visa", "last4": card.last4}},
        "receipt_email": of["receipt_email"],
        "refunded": False,
        "status": "failed" if failed else "succeeded",
    }


def new_refund(world: World, of: Doc, minor: int, status: str, **fields: Any) -> Doc:
    """The wire of a refund of a charge."""
    return {
        "id": world.new_ref("re"),
        "object": "refund",
        "amount": minor,
        "balance_transaction": None,
        "charge": of["id"],
        "currency": of["currency"],
        "failure_balance_transaction": None,
        "destination_details": {"type": "card", "card": {"type": "refund", "reference_status": "pending"}},
        "payment_intent": of["payment_intent"],
        "receipt_number": None,
        "source_transfer_reversal": None,
        "status": status,
        "transfer_reversal": None,
        **fields,
    }


def audience(of: Doc) -> list[str]:
    """Who sees that money moved: the customer where Stripe sends a receipt, else whoever reads the books."""
    return ["customer"] if of["receipt_email"] else ["finance"]


def shown(world: World, wire: Doc, expand: set[str]) -> Doc:
    """The wire with what was asked for in place of its id; `latest_charge.balance_transaction` expands both."""
    answer = dict(wire)
    for name in sorted({each.partition(".")[0] for each in expand}):
        found = world.get(SYSTEM, _KINDS[name], answer[name]) if answer.get(name) else None
        if found:
            inner = {each.partition(".")[2] for each in expand if each.startswith(f"{name}.")}
            answer[name] = shown(world, found["wire"], inner)
    return answer


_KINDS = {
    "latest_charge": "charge",
    "charge": "charge",
    "payment_intent": "intent",
    "balance_transaction": "transaction",
}
"""Under which kind the objects are kept that a field names."""
