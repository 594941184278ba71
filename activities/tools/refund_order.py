"""The tool `refund_order`: money given back for an order, once a person has approved it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from activities.mail_address import MailAddress
from activities.order_id import OrderId
from activities.payment import Reason, StripeId
from activities.providers.intent import Intent
from activities.providers.payments import INDEX_LAG_S, KEY_LIFE_S, PACE, Payments
from saga.draft import CounterCall
from saga.errors import NotSent
from saga.keys import OPEN_KEY
from saga.money import AmountMinor, Currency, Money
from saga.outcome import Receipt, Sighting
from saga.record import Typed
from saga.tool import Answers, Call, Tool


class RefundOrderArgs(Typed):
    """How much of which payment goes back, and who could be told if that was wrong."""

    order_id: OrderId
    payment_intent: Annotated[StripeId, Field(description="the order's `payment_intent`")]
    amount_minor: Annotated[AmountMinor, Field(description="in the smallest unit of the currency: 4900 is 49.00 EUR")]
    currency: Currency
    reason: Reason
    customer_email: MailAddress | None = None
    """Without it no correction can be written, and the call is not made without a person's own approval."""

    @property
    def money(self) -> Money:
        """The amount with its currency."""
        return Money(amount_minor=self.amount_minor, currency=self.currency)


async def _perform(payments: Payments, call: Call[RefundOrderArgs]) -> Receipt:
    """One look, since a refund has no currency of its own: 4900 of a payment in yen would be another amount.

    What the look finds wrong is NotSent: it is no answer to a request that may have gone out before.
    """
    args = call.args
    _check(await payments.intent(args.payment_intent), args)
    refund = await payments.refund(args.payment_intent, args.amount_minor, call.tags, reason=args.reason)
    return refund.receipt()


def _check(intent: Intent, args: RefundOrderArgs) -> None:
    order_id = intent.marks.get("order_id", args.order_id)
    if order_id != args.order_id:
        raise NotSent(f"this payment is for order {order_id}", code="another_order", lasting=True)
    if intent.currency != args.currency:
        raise NotSent(f"this payment is in {intent.currency}", code="another_currency", lasting=True)


async def _find(payments: Payments, call: Call[RefundOrderArgs]) -> Sequence[Sighting]:
    """Refunds cannot be searched: all of this payment, those whose metadata carries our key."""
    refunds = await payments.refunds(call.args.payment_intent)
    return [each.sighting() for each in refunds if each.is_of(call.key)]


def _correction(args: RefundOrderArgs) -> CounterCall | None:
    if args.customer_email is None:
        return None
    return CounterCall(
        tool="send_correction",
        args={
            "original_key": OPEN_KEY,
            "to": args.customer_email,
            "subject": f"About the refund for your order {args.order_id}",
            "text": (
                f"We refunded {args.money} for your order {args.order_id} by mistake. You need not do anything now; we "
                "will write to you about what happens next."
            ),
        },
    )


REFUND_ORDER = Tool(
    name="refund_order",
    about=(
        "Give money back for an order, from the order's own payment. It waits until a person has approved the run. "
        "Give `customer_email`, so that the customer could be told if this turned out wrong."
    ),
    system="payments",
    args=RefundOrderArgs,
    example={
        "order_id": "1182",
        "payment_intent": "pi_order_1182",
        "amount_minor": 4900,
        "currency": "eur",
        "reason": "the lamp arrived broken",
        "customer_email": "mara.lindqvist@customers.test",
    },
    # Money that was given back can only be asked for again.
    tool_class="irreversible",
    perform=_perform,
    find=_find,
    grade="key_and_lookup",
    pace=PACE,
    index_lag_s=INDEX_LAG_S,
    key_life_s=KEY_LIFE_S,
    audience=lambda _: ("customer", "finance"),
    target=lambda args: f"{args.money} back to the customer of order {args.order_id}",
    # One order is refunded once in a run, whatever the amount or the reason say the second time.
    identity=("order_id",),
    correct=_correction,
    references={"payment_intent": "charge_card"},
    refusable=True,
    cost=lambda args: args.money,
    answers=Answers(
        pivot="It waits behind the pivot, first among the commits: Stripe can still refuse it.",
        undo="Nothing. The customer can be told, and asked; that is a person's decision.",
        idempotent="There is no compensation; the refund itself has its key at Stripe and in its metadata.",
        unknown="By listing the refunds of the payment and comparing the key in their metadata.",
        paged="Finance, where a refund failed or went out wrongly.",
    ),
)
