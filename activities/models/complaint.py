"""A complaint as a script of the agent `refund` reads it: the task, the order, and what its payments came to."""

from __future__ import annotations

import re
from typing import Any

from activities.models.model import Ask
from activities.models.reading import Reading

_TASK = re.compile(r"order (?P<order_id>[\w-]+) of customer (?P<customer_id>\w+), who wants (?P<receipt>a|no) receipt")


class Complaint(Reading):
    """One ask of the agent `refund`, read; of another agent's brief nothing is understood but the turns."""

    def __init__(self, ask: Ask) -> None:
        """Which order, of whom, and whether a receipt is wanted."""
        super().__init__(ask)
        task = _TASK.search(ask.brief)
        self.order_id = task["order_id"] if task else ""
        self.customer_id = task["customer_id"] if task else ""
        self.receipt = bool(task) and task["receipt"] == "a"

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
