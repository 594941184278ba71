"""The money of an intent: charged or held when it is confirmed, taken, given back."""

from typing import Any

from workers.sandbox.payments_books import book_charge
from workers.sandbox.payments_cards import CARDS
from workers.sandbox.payments_error import Refusal
from workers.sandbox.payments_record import HOLD_S, SYSTEM, audience, charge, new_charge, record, save
from workers.sandbox.stamp import Stamp
from workers.sandbox.world import Doc, World


def confirm(world: World, doc: Doc, method: str) -> None:
    """Charge the card, or hold the amount; raises Refusal, with what is left behind, on a decline."""
    wire = doc["wire"]
    manual = wire["capture_method"] == "manual"
    whose = Stamp(doc["key"], doc["run"], doc["execution"])
    made = record(world, new_charge(world, wire, method, captured=not manual), whose)
    wire["latest_charge"] = made["wire"]["id"]
    if CARDS[method].code:
        save(world, made)
        raise _declined(world, doc, method)
    if manual:
        until = doc["at"] + HOLD_S
        made["wire"]["payment_method_details"]["card"]["capture_before"] = int(until)
        wire.update(status="requires_capture", amount_capturable=wire["amount"])
        world.alarm(SYSTEM, wire["id"], until)
    else:
        wire.update(status="succeeded", amount_received=wire["amount"])
        book_charge(world, made["wire"])
    save(world, made)
    record_effect(world, doc, "charge.authorise" if manual else "charge.capture", wire["amount"], key=doc["key"])


def take(world: World, doc: Doc, minor: int) -> None:
    """Take what is held, or a part; the rest is released. The effect is the caller's to record."""
    wire = doc["wire"]
    wire.update(status="succeeded", amount_received=minor, amount_capturable=0)
    world.unalarm(SYSTEM, wire["id"])
    save(world, doc)
    of = charge(world, wire["latest_charge"])
    if of:
        of["wire"].update(captured=True, amount_captured=minor)
        book_charge(world, of["wire"])
        save(world, of)


def release(world: World, doc: Doc, reason: str | None) -> None:
    """Cancel the intent and give back what it holds; the effects are the caller's to record."""
    wire = doc["wire"]
    wire.update(status="canceled", canceled_at=int(world.now()), cancellation_reason=reason)
    wire["amount_capturable"] = 0
    world.unalarm(SYSTEM, wire["id"])
    save(world, doc)


def record_effect(world: World, doc: Doc, kind: str, minor: int, *, key: str | None) -> None:
    """Record what was done to the intent's money."""
    wire = doc["wire"]
    about: dict[str, Any] = {"payment_intent": wire["id"], "charge": wire["latest_charge"]}
    if kind == "charge.cancel":
        about["undoes"] = wire["id"]
    world.effect(
        system=SYSTEM,
        kind=kind,
        ref=wire["id"],
        key=key,
        run=doc["run"],
        execution=doc["execution"],
        amount_minor=minor,
        currency=wire["currency"],
        # A hold, and giving one back, sends no receipt.
        audience=audience(wire) if kind == "charge.capture" else ["finance"],
        about=about,
    )


def _declined(world: World, doc: Doc, method: str) -> Refusal:
    wire, card = doc["wire"], CARDS[method]
    error = {
        "type": "card_error",
        "code": card.code,
        "decline_code": card.decline_code,
        "message": card.message,
        "charge": wire["latest_charge"],
    }
    wire.update(status="requires_payment_method", payment_method=None, last_payment_error=error)
    save(world, doc)
    return Refusal(
        card.message,
        status=402,
        type_="card_error",
        code=card.code,
        decline_code=card.decline_code,
        charge=wire["latest_charge"],
        payment_intent=wire,
        remembered=True,
    )
