"""Plans: models that know their turns beforehand, so that our run and a bare one make the same calls.

A plan is named `bench:NAME` or `bench:NAME:N`; what it says depends on the number of the turn alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from activities.models.model import Ask, Reply
from saga.errors import BadInput
from saga.record import Json
from saga.turn import ProposedCall

PREFIX = "bench:"
STORY = "story"
"""The one plan that waits for an approval and gets it."""
TEXT = ("The order, the card and the ticket are as they were; the next of them is done now. " * 13)[:1000]
"""What the model says beside its calls: a kilobyte a turn, about what one says that thinks aloud."""

ORDERS = ("1182", "1183", "1184", "1185", "1186", "1189")
"""Orders of the sandbox whose cards take a charge in euro."""

Calls = Sequence[tuple[str, Json]]


class Plan:
    """A model whose every turn is known."""

    def __init__(self, turns: Sequence[Calls]) -> None:
        """`turns`: the calls of each; one without calls follows them."""
        self.turns = turns

    async def turn(self, ask: Ask) -> Reply:
        """The next turn; nothing of the transcript is read but its length."""
        return self.reply(len(ask.transcript))

    def reply(self, turn: int) -> Reply:
        """What is said in that turn."""
        calls = self.turns[turn] if turn < len(self.turns) else ()
        return Reply(
            text=TEXT,
            calls=tuple(
                ProposedCall(call_id=f"{turn}.{place}", tool=tool, args=args)
                for place, (tool, args) in enumerate(calls)
            ),
        )


def plan(name: str) -> Plan:
    """The plan of that name; BadInput where there is none."""
    kind, _, number = name.removeprefix(PREFIX).partition(":")
    make = _PLANS.get(kind)
    if not name.startswith(PREFIX) or make is None or not (number or "1").isdigit():
        raise BadInput("model", f"no such plan; there are {', '.join(PREFIX + each for each in _PLANS)}")
    return Plan(make(int(number or "1")))


def _story(_: int) -> list[Calls]:
    """The refund agent's way round the pivot: read, stage four things, be approved, commit them."""
    order = ORDERS[0]
    money: Json = {"customer_id": f"cus_{order}", "amount_minor": 500, "currency": "eur", "reason": "sent again"}
    mail: Json = {"to": "mara.lindqvist@customers.test", "subject": "Your lamp", "body": "It is on its way."}
    return [
        [("search_orders", {"order_id": order}), ("lookup_policy", {"topic": "re-shipping"})],
        [
            ("stage_ticket", {"order_id": order, "summary": "Lamp sent again"}),
            ("authorise_payment", {"order_id": order, **money}),
            ("reship", {"order_id": order, "customer_email": "mara.lindqvist@customers.test", "reason": "broken"}),
            ("draft_email", {"order_id": order, **mail}),
        ],
    ]


def _direct(number: int) -> list[Calls]:
    """`number` effects in one turn, without a pivot: charges and tickets in turn, each of an order of its own."""
    return [[_charge(ORDERS[place // 2]) if place % 2 == 0 else _ticket(ORDERS[place // 2]) for place in range(number)]]


def _notes(tool: str, number: int) -> Calls:
    return [(tool, {"page": f"{page:05}"}) for page in range(number)]


def _charge(order: str) -> tuple[str, Json]:
    args: Json = {"order_id": order, "customer_id": f"cus_{order}", "amount_minor": 500, "currency": "eur"}
    return "charge_card", {**args, "reason": "sent again"}


def _ticket(order: str) -> tuple[str, Json]:
    return "create_ticket", {"order_id": order, "summary": f"Order {order}", "description": "Sent again."}


_PLANS: dict[str, Callable[[int], list[Calls]]] = {
    STORY: _story,
    "direct": _direct,
    "ticket": lambda _: [[_ticket(ORDERS[0])]],
    # Turn after turn with one call each, to see how history grows.
    "read": lambda number: [[("look", {"page": f"{turn:05}"})] for turn in range(number)],
    "effect": lambda number: [[("note", {"page": f"{turn:05}"})] for turn in range(number)],
    # So many effects, then one that is refused: the run brings them back. What they are taken back by is slow or not.
    "unwind": lambda number: [_notes("note", number), [("balk", {"page": "1"})]],
    "slow-unwind": lambda number: [_notes("slow_note", number), [("balk", {"page": "1"})]],
    "lapse": lambda _: [[("lapse", {"page": "1"})]],
    # Something that only a person may let happen, and nothing else, so that five hundred are soon made.
    "wait": lambda _: [[("post", {"page": "1"})]],
}
