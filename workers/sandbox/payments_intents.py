"""`/v1/payment_intents`: create and confirm in one request, read, update, capture, cancel, list.

Differs from Stripe: no separate confirm, no 3-D Secure, one capture per intent; parameters that only
change texts or routing are taken and not used. A capture in part releases the rest, and that release, like
a cancel, is no refund: no refund object, and `amount_refunded` of the charge stays 0 (since API version
2025-03-31; before it, Stripe made a refund of what was released).
"""

from typing import Any

from workers.sandbox import payments_input as read
from workers.sandbox import payments_money as money
from workers.sandbox.payments_cards import CARDS
from workers.sandbox.payments_error import Refusal, missing, unexpected_state
from workers.sandbox.payments_holds import confirm, record_effect, release, take
from workers.sandbox.payments_page import page
from workers.sandbox.payments_record import SYSTEM, intent, new_intent, record, save, shown
from workers.sandbox.route import Ctx, Reply, View
from workers.sandbox.world import Doc, World

_TAKEN = {
    "amount", "automatic_payment_methods", "capture_method", "confirm", "confirmation_method", "currency",
    "customer", "description", "error_on_requires_action", "metadata", "off_session", "payment_method",
    "payment_method_options", "payment_method_types", "receipt_email", "return_url", "setup_future_usage",
    "shipping", "statement_descriptor", "statement_descriptor_suffix", "transfer_group",
}  # fmt: skip
_CANCELABLE = "requires_payment_method, requires_capture, requires_confirmation, requires_action, processing"
_EXPANDABLE = {"latest_charge", "latest_charge.balance_transaction"}


def operations(view: View) -> tuple[str, ...]:
    """What a create is: a charge, a hold, or only an intent."""
    form = view.form()
    if form.get("confirm") != "true":
        return ("create",)
    return ("authorise" if form.get("capture_method") == "manual" else "capture", "create")


def create(ctx: Ctx) -> Reply:
    """POST /v1/payment_intents."""
    form = ctx.form()
    read.known(form, _TAKEN)
    expand = read.expand(form, _EXPANDABLE)
    wire = _read(ctx.world, form)
    confirmed, method = read.flag(form, "confirm"), wire["payment_method"]
    if confirmed and not method:
        message = "You cannot confirm this PaymentIntent because it's missing a payment method."
        raise Refusal(message, code="payment_intent_unexpected_state")
    doc = record(ctx.world, wire, ctx.stamp)
    if confirmed:
        confirm(ctx.world, doc, method)
    save(ctx.world, doc)
    return Reply(200, shown(ctx.world, doc["wire"], expand))


def retrieve(ctx: Ctx) -> Reply:
    """GET /v1/payment_intents/{id}."""
    doc = _found(ctx)
    return Reply(200, shown(ctx.world, doc["wire"], read.expand(ctx.query, _EXPANDABLE)))


def update(ctx: Ctx) -> Reply:
    """POST /v1/payment_intents/{id}: metadata, description and receipt address."""
    form = ctx.form()
    read.known(form, {"metadata", "description", "receipt_email"})
    doc = _found(ctx)
    wire = doc["wire"]
    _merge_metadata(wire, read.metadata(form))
    wire["description"] = read.text(form, "description") or wire["description"]
    wire["receipt_email"] = read.email(form, "receipt_email") or wire["receipt_email"]
    save(ctx.world, doc)
    return Reply(200, shown(ctx.world, wire, read.expand(form, _EXPANDABLE)))


def capture(ctx: Ctx) -> Reply:
    """POST /v1/payment_intents/{id}/capture: takes all or a part, once; the rest is released."""
    form = ctx.form()
    read.known(form, {"amount_to_capture", "final_capture", "metadata", "statement_descriptor"})
    doc = _found(ctx)
    wire = doc["wire"]
    if wire["status"] != "requires_capture":
        raise unexpected_state(_no_capture(wire["status"]), wire)
    minor = read.integer(form, "amount_to_capture") or wire["amount_capturable"]
    if minor > wire["amount_capturable"]:
        left = money.written(wire["amount_capturable"], wire["currency"])
        raise Refusal(
            f"The amount to capture must be no more than the amount that can be captured ({left}).",
            code="amount_too_large",
            param="amount_to_capture",
            remembered=True,
        )
    _merge_metadata(wire, read.metadata(form))
    take(ctx.world, doc, minor)
    record_effect(ctx.world, doc, "charge.capture", minor, key=ctx.stamp.key)
    return Reply(200, shown(ctx.world, wire, read.expand(form, _EXPANDABLE)))


def cancel(ctx: Ctx) -> Reply:
    """POST /v1/payment_intents/{id}/cancel: gives a hold back. Takes no metadata: its key is the header."""
    form = ctx.form()
    read.known(form, {"cancellation_reason"})
    reasons = ("duplicate", "fraudulent", "requested_by_customer", "abandoned")
    reason = read.one_of(form, "cancellation_reason", reasons)
    doc = _found(ctx)
    wire = doc["wire"]
    if wire["status"] not in _CANCELABLE.split(", "):
        raise unexpected_state(
            f"You cannot cancel this PaymentIntent because it has a status of {wire['status']}. Only a"
            f" PaymentIntent with one of the following statuses may be canceled: {_CANCELABLE}.",
            wire,
        )
    held = wire["status"] == "requires_capture"
    release(ctx.world, doc, reason)
    if held:
        ctx.world.restate(SYSTEM, wire["id"], "charge.authorise", "undone")
        record_effect(ctx.world, doc, "charge.cancel", wire["amount"], key=ctx.stamp.key)
    return Reply(200, shown(ctx.world, wire, read.expand(form, _EXPANDABLE)))


def list_(ctx: Ctx) -> Reply:
    """GET /v1/payment_intents: newest first, by customer and `created`."""
    return page(ctx, "intent", filters=("customer",), expandable=_EXPANDABLE)


def _read(world: World, form: dict[str, Any]) -> Doc:
    methods = ("automatic", "automatic_async", "manual")
    wire = new_intent(
        world,
        amount=money.amount(form),
        currency=money.currency(form),
        customer=read.text(form, "customer"),
        description=read.text(form, "description"),
        # Stripe's default since 2024; both automatic forms take the money at once here.
        capture_method=read.one_of(form, "capture_method", methods) or "automatic_async",
        metadata={name: value for name, value in read.metadata(form).items() if value},
        payment_method=read.text(form, "payment_method"),
        receipt_email=read.email(form, "receipt_email"),
    )
    if wire["customer"] and world.get(SYSTEM, "customer", wire["customer"]) is None:
        raise missing("customer", wire["customer"], param="customer", status=400)
    if wire["payment_method"] and wire["payment_method"] not in CARDS:
        raise missing("PaymentMethod", wire["payment_method"], param="payment_method", status=400)
    wire["status"] = "requires_confirmation" if wire["payment_method"] else "requires_payment_method"
    return wire


def _found(ctx: Ctx) -> Doc:
    ref = ctx.match["id"]
    doc = intent(ctx.world, ref)
    if doc is None:
        raise missing("payment_intent", ref, param="intent")
    return doc


def _merge_metadata(wire: Doc, given: dict[str, str]) -> None:
    merged = {**wire["metadata"], **given}
    wire["metadata"] = {name: value for name, value in merged.items() if value}


def _no_capture(status: str) -> str:
    if status == "succeeded":
        return "This PaymentIntent could not be captured because it has already been captured."
    return (
        f"This PaymentIntent could not be captured because it has a status of {status}. Only a PaymentIntent"
        " with one of the following statuses may be captured: requires_capture."
    )
