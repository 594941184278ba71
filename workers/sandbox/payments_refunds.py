"""`/v1/refunds`: never more than was captured, pending and failing as Stripe's test cards do.

Differs from Stripe: a pending refund settles, and one that fails later fails, a minute later on the
world's clock; no cancelling of refunds, no updates.
"""

from typing import Any

from workers.sandbox import payments_input as read
from workers.sandbox import payments_money as money
from workers.sandbox.payments_books import book_failure, book_refund
from workers.sandbox.payments_cards import CARDS
from workers.sandbox.payments_error import Refusal, missing
from workers.sandbox.payments_page import page
from workers.sandbox.payments_record import (
    SYSTEM,
    audience,
    charge,
    intent,
    new_refund,
    record,
    refund,
    refunds_of,
    save,
    shown,
)
from workers.sandbox.route import Ctx, Reply
from workers.sandbox.stamp import Stamp
from workers.sandbox.world import Doc, World

SETTLES_S = 60
"""How long a refund stays undecided: at Stripe "some time"; a minute is easy to skip and to wait out."""
_EXPANDABLE = {"balance_transaction", "charge", "payment_intent"}
_REASONS = ("duplicate", "fraudulent", "requested_by_customer")


def create(ctx: Ctx) -> Reply:
    """POST /v1/refunds: of an intent or a charge, all that is left or an amount."""
    form = ctx.form()
    read.known(form, {"amount", "charge", "instructions_email", "metadata", "payment_intent", "reason"})
    expand = read.expand(form, _EXPANDABLE)
    minor = read.integer(form, "amount")
    reason = read.one_of(form, "reason", _REASONS)
    metadata = {name: value for name, value in read.metadata(form).items() if value}
    of = _to_refund(ctx.world, read.text(form, "charge"), read.text(form, "payment_intent"))
    made = refund_charge(ctx.world, of, minor, ctx.stamp, metadata=metadata, reason=reason)
    return Reply(200, shown(ctx.world, made["wire"], expand))


def retrieve(ctx: Ctx) -> Reply:
    """GET /v1/refunds/{id}."""
    ref = ctx.match["id"]
    doc = refund(ctx.world, ref)
    if doc is None:
        raise missing("refund", ref, param="refund")
    return Reply(200, shown(ctx.world, doc["wire"], read.expand(ctx.query, _EXPANDABLE)))


def list_(ctx: Ctx) -> Reply:
    """GET /v1/refunds: newest first, by charge, intent and `created`."""
    return page(ctx, "refund", filters=("charge", "payment_intent"), expandable=_EXPANDABLE)


def refund_charge(world: World, of: Doc, minor: int | None, stamp: Stamp, **fields: Any) -> Doc:
    """Give money of a charge back; raises Refusal where there is none to give."""
    wire = of["wire"]
    _check_state(world, wire)
    left = wire["amount_captured"] - wire["amount_refunded"]
    if left <= 0:
        message = f"Charge {wire['id']} has already been refunded."
        raise Refusal(message, code="charge_already_refunded", remembered=True)
    given = left if minor is None else minor
    if given > left:
        asked, there = money.written(given, wire["currency"]), money.written(left, wire["currency"])
        message = f"Refund amount ({asked}) is greater than unrefunded amount on charge ({there})"
        raise Refusal(message, param="amount", remembered=True)
    fate = CARDS[wire["payment_method"]].refund
    status = "pending" if fate == "pending" else "succeeded"
    made = record(world, new_refund(world, wire, given, status, **fields), stamp)
    made["fails_later"] = fate == "fails_later"
    if status == "succeeded":
        book_refund(world, made["wire"])
    save(world, made)
    wire["amount_refunded"] += given
    wire["refunded"] = wire["amount_refunded"] == wire["amount_captured"]
    of["refunds"] = [*of.get("refunds", []), made["wire"]["id"]]
    save(world, of)
    if status == "pending" or made["fails_later"]:
        world.alarm(SYSTEM, made["wire"]["id"], world.now() + SETTLES_S)
    _record_effect(world, made, wire)
    _restate_capture(world, wire)
    return made


def settle(world: World, made: Doc) -> None:
    """What time decides: a pending refund succeeds, one with a card that fails is taken back."""
    if made["fails_later"]:
        fail(world, made)
    elif made["wire"]["status"] == "pending":
        made["wire"]["status"] = "succeeded"
        book_refund(world, made["wire"])
        save(world, made)
        world.restate(SYSTEM, made["wire"]["id"], "charge.refund", "standing")
        _restate_capture(world, _charge_of(world, made)["wire"])


def fail(world: World, made: Doc) -> None:
    """The bank sends the money back: the refund is failed, and the charge has it again."""
    wire = made["wire"]
    if wire["status"] not in {"succeeded", "pending"}:
        return
    wire.update(status="failed", failure_reason="lost_or_stolen_card")
    book_failure(world, wire)
    world.unalarm(SYSTEM, wire["id"])
    save(world, made)
    of = _charge_of(world, made)
    of["wire"]["amount_refunded"] -= wire["amount"]
    of["wire"]["refunded"] = False
    save(world, of)
    world.restate(SYSTEM, wire["id"], "charge.refund", "failed")
    _restate_capture(world, of["wire"])


def _to_refund(world: World, charge_ref: str | None, intent_ref: str | None) -> Doc:
    if not charge_ref and not intent_ref:
        raise Refusal("One of the following params should be provided for this request: payment_intent or charge.")
    if intent_ref:
        doc = intent(world, intent_ref)
        if doc is None:
            raise missing("payment_intent", intent_ref, param="payment_intent")
        if charge_ref and charge_ref != doc["wire"]["latest_charge"]:
            message = f"Charge {charge_ref} does not belong to PaymentIntent {intent_ref}."
            raise Refusal(message, param="charge")
        charge_ref = doc["wire"]["latest_charge"]
    of = charge(world, charge_ref) if charge_ref else None
    if of is None and intent_ref:
        raise _no_charge(intent_ref)
    if of is None:
        raise missing("charge", charge_ref or "", param="id")
    return of


def _check_state(world: World, wire: Doc) -> None:
    if wire["disputed"]:
        message = f"Charge {wire['id']} has been charged back; cannot issue a refund."
        raise Refusal(message, code="charge_disputed", remembered=True)
    if wire["captured"]:
        return
    of = intent(world, wire["payment_intent"])
    if of and of["wire"]["status"] == "requires_capture":
        raise Refusal(
            f"This uncaptured Charge was created by a PaymentIntent ({wire['payment_intent']}). You must"
            " cancel the PaymentIntent to reverse the authorization instead of refunding the Charge"
            " directly.",
            remembered=True,
        )
    raise _no_charge(wire["payment_intent"])


def _no_charge(intent_ref: str) -> Refusal:
    message = f"This PaymentIntent ({intent_ref}) does not have a successful charge to refund."
    return Refusal(message, remembered=True)


def _record_effect(world: World, made: Doc, of: Doc) -> None:
    wire = made["wire"]
    world.effect(
        system=SYSTEM,
        kind="charge.refund",
        ref=wire["id"],
        key=made["key"],
        run=made["run"],
        execution=made["execution"],
        amount_minor=wire["amount"],
        currency=wire["currency"],
        audience=audience(of),
        state="pending" if wire["status"] == "pending" else "standing",
        about={"undoes": wire["payment_intent"], "charge": wire["charge"]},
    )


def _restate_capture(world: World, of: Doc) -> None:
    """The capture is undone once all of it has gone back, not while a refund is only pending."""
    refunds = [doc["wire"] for doc in refunds_of(world, of["id"])]
    back = sum(wire["amount"] for wire in refunds if wire["status"] == "succeeded")
    state = "undone" if back == of["amount_captured"] else "standing"
    world.restate(SYSTEM, of["payment_intent"], "charge.capture", state)


def _charge_of(world: World, made: Doc) -> Doc:
    of = charge(world, made["wire"]["charge"])
    if of is None:
        raise LookupError(f"the charge of {made['wire']['id']} is gone")
    return of
