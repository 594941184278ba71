"""What a script makes of what it was asked: the task's words, and what each of its calls was told."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from activities.models.model import Ask, Reply
from saga.turn import ProposedCall, Told

_TASK = re.compile(r"order (?P<order_id>[\w-]+) of customer (?P<customer_id>\w+), who wants (?P<receipt>a|no) receipt")


class Reading:
    """One ask, read. Nothing else flows into a script's next turn."""

    def __init__(self, ask: Ask) -> None:
        """The brief is the agent `refund`'s; of another one nothing is understood but the turns."""
        self._ask = ask
        task = _TASK.search(ask.brief)
        self.order_id = task["order_id"] if task else ""
        self.customer_id = task["customer_id"] if task else ""
        self.receipt = bool(task) and task["receipt"] == "a"

    @property
    def turn(self) -> int:
        """The number of the turn that is asked for, from 0."""
        return len(self._ask.transcript)

    @property
    def note(self) -> str:
        """What a reviewer wrote, where that is the last thing that was said; else ""."""
        return self._ask.transcript[-1].note if self._ask.transcript else ""

    def answers(self, tool: str) -> list[tuple[dict[str, Any], Told]]:
        """What was asked of this tool and what it was told, oldest first."""
        return [(args, told) for name, args, told in self._pairs() if name == tool]

    def asked(self, tool: str) -> bool:
        """Whether this tool was called at all."""
        return any(name == tool for name, _, _ in self._pairs())

    def order(self) -> dict[str, Any] | None:
        """The order as a search showed it; None where none has, or it was not found."""
        for _, told in reversed(self.answers("search_orders")):
            orders: Any = (told.result or {}).get("orders")
            if isinstance(orders, list) and orders:
                return orders[0]
        return None

    def next_card(self, tool: str) -> str | None:
        """After a decline: a card of the order that this tool has not tried; None where it was not declined."""
        tried, order = self.answers(tool), self.order()
        if not tried or tried[-1][1].outcome != "refused" or order is None:
            return None
        used = {args.get("payment_method") for args, _ in tried}
        return next((card for card in order["payment_methods"] if card not in used), None)

    def payment(self, order: dict[str, Any], card: str | None = None) -> dict[str, Any]:
        """Arguments of a payment of the fee for sending the order's goods again."""
        return {
            "order_id": self.order_id,
            "customer_id": self.customer_id,
            "amount_minor": order["reship_fee_minor"],
            "currency": order["currency"],
            "payment_method": card or order["payment_method"],
            "reason": f"fee for sending order {self.order_id} again",
            "receipt": self.receipt,
        }

    def reshipping(self, order: dict[str, Any]) -> dict[str, Any]:
        """Arguments of sending the order's goods again."""
        return {
            "order_id": self.order_id,
            "customer_email": order["customer_email"],
            "reason": order["complaint"],
        }

    def say(self, text: str, *calls: tuple[str, Any]) -> Reply:
        """An answer of the model; each call is (tool, arguments)."""
        return Reply(
            text=text,
            calls=tuple(
                ProposedCall(call_id=f"turn{self.turn}-call{place}", tool=tool, args=args)
                for place, (tool, args) in enumerate(calls)
            ),
        )

    def _pairs(self) -> Iterator[tuple[str, dict[str, Any], Told]]:
        for turn in self._ask.transcript:
            told = {each.call_id: each for each in turn.told}
            for call in turn.calls:
                # A call behind one that ended the turn was told nothing.
                if call.call_id in told:
                    yield call.tool, call.args if isinstance(call.args, dict) else {}, told[call.call_id]
