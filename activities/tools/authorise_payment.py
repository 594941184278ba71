"""The tool `authorise_payment`: money held on a customer's card; captured after the pivot, voided before it."""

from __future__ import annotations

from activities.payment import DECLINES, Hold
from activities.providers.payments import INDEX_LAG_S, KEY_LIFE_S, PACE, Payments
from activities.tools.charge_card import find_payment
from saga.draft import CounterCall
from saga.outcome import Receipt
from saga.tool import Answers, Call, Tool


async def _perform(payments: Payments, call: Call[Hold]) -> Receipt:
    return (await payments.pay(call.args, call.tags, capture="manual")).receipt()


def _target(args: Hold) -> str:
    held = f"{args.money} held from customer {args.customer_id} for order {args.order_id}"
    return held if args.to_take == args.money else f"{held}, of which {args.to_take} is to be taken"


AUTHORISE_PAYMENT = Tool(
    name="authorise_payment",
    about=(
        "Hold money on the customer's card. Nothing is taken before a person has approved the run; then it is captured "
        "by itself: all of it, or `capture_minor` of it, and the rest is released. The hold ends after some days."
    ),
    system="payments",
    args=Hold,
    example={
        "order_id": "1182",
        "customer_id": "cus_1182",
        "amount_minor": 500,
        "currency": "eur",
        "reason": "fee for sending order 1182 again",
    },
    tool_class="reversible",
    perform=_perform,
    find=find_payment,
    grade="key_and_lookup",
    pace=PACE,
    index_lag_s=INDEX_LAG_S,
    key_life_s=KEY_LIFE_S,
    # A released hold never reaches the statement, and no receipt is sent for one.
    audience=lambda _: ("finance",),
    target=_target,
    # One order is paid once in a run, whatever the amount or the reason say the second time.
    identity=("order_id",),
    compensate=lambda _, key: CounterCall(tool="void_authorisation", args={"authorisation_key": key}),
    commits="capture_payment",
    commit_args=lambda args, key: {
        "authorisation_key": key,
        "order_id": args.order_id,
        "customer_id": args.customer_id,
        "amount_minor": args.to_take.amount_minor,
        "held_minor": args.amount_minor,
        "currency": args.currency,
        "receipt": args.receipt,
    },
    correctable=DECLINES,
    refusable=True,
    answers=Answers(
        pivot="It runs before the pivot; capture_payment, its other half, after it.",
        undo="void_authorisation: the intent is cancelled and the hold released.",
        idempotent="A hold that is cancelled or expired already is voided; it cannot be released twice.",
        unknown="By listing the customer's payment intents and comparing the key in their metadata.",
        paged="Finance, who can cancel the payment in the dashboard; left alone, the hold ends by itself.",
    ),
)
