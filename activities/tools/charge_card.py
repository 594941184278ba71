"""The tool `charge_card`: money taken from a customer's card at once; refunded when the run is undone."""

from __future__ import annotations

from collections.abc import Sequence

from activities.payment import DECLINES, Payment
from activities.providers.payments import INDEX_LAG_S, KEY_LIFE_S, PACE, Payments
from saga.draft import Audience, CounterCall
from saga.outcome import Receipt, Sighting
from saga.tool import Answers, Call, Tool


async def find_payment(payments: Payments, call: Call[Payment]) -> Sequence[Sighting]:
    """The customer's intents since the step began whose metadata carries our key."""
    intents = await payments.intents(since=call.since, customer_id=call.args.customer_id)
    return [each.sighting() for each in intents if each.marks.get("saga_key") == call.key]


def who_sees(receipt: bool) -> tuple[Audience, ...]:  # noqa: FBT001 - the argument is called what it is
    """Without a receipt a charge is a line in the books, and one on a statement that comes weeks later.

    It holds where the account does not mail customers on its own (Stripe's setting for successful payments: off).
    """
    return ("customer", "finance") if receipt else ("finance",)


async def _perform(payments: Payments, call: Call[Payment]) -> Receipt:
    return (await payments.pay(call.args, call.tags, capture="automatic")).receipt()


CHARGE_CARD = Tool(
    name="charge_card",
    about=(
        "Take money from the customer's card at once. Prefer authorise_payment, which only holds it until a person has "
        "approved."
    ),
    system="payments",
    args=Payment,
    example={
        "order_id": "1182",
        "customer_id": "cus_1182",
        "amount_minor": 500,
        "currency": "eur",
        "reason": "fee for sending order 1182 again",
    },
    tool_class="compensatable",
    perform=_perform,
    find=find_payment,
    grade="key_and_lookup",
    pace=PACE,
    index_lag_s=INDEX_LAG_S,
    key_life_s=KEY_LIFE_S,
    audience=lambda args: who_sees(args.receipt),
    target=lambda args: f"{args.money} from customer {args.customer_id} for order {args.order_id}",
    # One order is charged once in a run, whatever the amount or the reason say the second time.
    identity=("order_id",),
    compensate=lambda args, key: CounterCall(
        tool="refund_charge",
        args={
            "charge_key": key,
            "amount_minor": args.amount_minor,
            "currency": args.currency,
            "reason": f"the run that charged this for order {args.order_id} was undone",
        },
    ),
    correctable=DECLINES,
    refusable=True,
    cost=lambda args: args.money,
    answers=Answers(
        pivot="It may run before the pivot, since it can be refunded; charge and refund both show on the statement.",
        undo="refund_charge: what is left of the charge goes back, or the intent is cancelled if nothing was taken.",
        idempotent="refund_charge reads the charge first, gives back only what is left, and has a key of its own.",
        unknown="By listing the customer's payment intents and comparing the key in their metadata.",
        paged="Finance, who can refund in the dashboard; the next look finds that.",
    ),
)
