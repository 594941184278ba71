"""The tool `capture_payment`: the commit half of `authorise_payment`, which takes the money that is held, or a part.

A hold can be captured once: what is not taken then, Stripe releases by itself with the capture, and no refund comes of
that (docs.stripe.com/payments/place-a-hold-on-a-payment-method).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from activities.order_id import OrderId
from activities.payment import StripeId
from activities.providers.intent import CAPTURE_KEY, Intent
from activities.providers.payments import INDEX_LAG_S, KEY_LIFE_S, PACE, Payments
from activities.tools.charge_card import who_sees
from saga.draft import CounterCall
from saga.errors import NotSent, Refused
from saga.money import AmountMinor, Currency, Money
from saga.outcome import Receipt, Sighting
from saga.record import Typed
from saga.tool import Answers, Call, Tool

_OLDEST_S = 31 * 86_400
"""No card lets a hold stand longer (Stripe's extended authorisations end after 30 days at most)."""


class CaptureArgs(Typed):
    """Which hold, by the staged key, and how much of it. The rest is for people and for looking it up."""

    authorisation_key: Annotated[str, Field(min_length=1, max_length=64)]
    order_id: OrderId
    customer_id: StripeId
    amount_minor: AmountMinor
    """What is taken."""
    held_minor: AmountMinor | None = None
    """The whole hold, for people; None in rows that are older than captures in part, which took all of it."""
    currency: Currency
    receipt: bool = False

    @property
    def money(self) -> Money:
        """The amount with its currency."""
        return Money(amount_minor=self.amount_minor, currency=self.currency)


async def _perform(payments: Payments, call: Call[CaptureArgs]) -> Receipt:
    ref = await _locate(payments, call)
    try:
        return (await payments.capture(ref, call.args.amount_minor, call.tags)).receipt()
    except Refused as refusal:
        if refusal.code != "payment_intent_unexpected_state":
            raise
        return _judge(await payments.intent(ref), call.key, refusal)


def _judge(intent: Intent, key: str, refusal: Refused) -> Receipt:
    """It was in no state to be captured: because we did (Stripe forgot the key), or because we cannot."""
    if intent.captured and intent.marks.get(CAPTURE_KEY) == key:
        return intent.receipt()
    if intent.captured:
        raise Refused("somebody else captured it", code="captured_elsewhere", status=refusal.status, remembered=True)
    if intent.expired:
        raise Refused("the hold has expired", code="authorisation_expired", status=refusal.status, remembered=True)
    raise refusal


async def _find(payments: Payments, call: Call[CaptureArgs]) -> Sequence[Sighting]:
    """The staged intent, if it is captured and carries this key. Read by id: no list, no lag."""
    intent = await payments.intent(await _locate(payments, call))
    return [intent.sighting()] if intent.captured and intent.marks.get(CAPTURE_KEY) == call.key else []


async def _locate(payments: Payments, call: Call[CaptureArgs]) -> str:
    """The intent that was staged: by the staged step's own reference, else among the customer's."""
    key = call.args.authorisation_key
    ref = call.ref_of(key)
    if ref is not None:
        return ref
    intents = await payments.intents(since=call.since - _OLDEST_S, customer_id=call.args.customer_id)
    staged = [each.ref for each in intents if each.is_of(key)]
    if len(staged) != 1:
        raise NotSent(f"{len(staged)} payments carry the staged key", code="no_authorisation", lasting=True)
    return staged[0]


def _target(args: CaptureArgs) -> str:
    held = Money(amount_minor=args.held_minor or args.amount_minor, currency=args.currency)
    taken = str(args.money) if held == args.money else f"{args.money} of the {held} held, the rest released,"
    return f"{taken} from customer {args.customer_id} for order {args.order_id}"


CAPTURE_PAYMENT = Tool(
    name="capture_payment",
    about="Take the money that authorise_payment holds, all or the part that it was told.",
    system="payments",
    args=CaptureArgs,
    example={
        "authorisation_key": "0" * 32,
        "order_id": "1182",
        "customer_id": "cus_1182",
        "amount_minor": 500,
        "currency": "eur",
    },
    tool_class="compensatable",
    perform=_perform,
    find=_find,
    grade="key_and_lookup",
    pace=PACE,
    index_lag_s=INDEX_LAG_S,
    key_life_s=KEY_LIFE_S,
    audience=lambda args: who_sees(args.receipt),
    target=_target,
    identity=("authorisation_key",),
    compensate=lambda args, key: CounterCall(
        tool="refund_charge",
        args={
            "charge_key": key,
            "amount_minor": args.amount_minor,
            "currency": args.currency,
            "reason": f"the run that charged this for order {args.order_id} was undone",
        },
    ),
    # The hold may have expired: a refused capture means that the pivot did not happen.
    refusable=True,
    cost=lambda args: args.money,
    answers=Answers(
        pivot="It is the pivot's own, and the first of the commits: Stripe can still refuse it.",
        undo="refund_charge: what is left of what was taken goes back; what was released needs no undoing.",
        idempotent="refund_charge reads the charge first, gives back only what is left, and has a key of its own.",
        unknown="By reading the intent: captured with this step's key in its metadata, or not.",
        paged="Finance, who can refund in the dashboard; the next look finds that.",
    ),
)
