"""A client's workspace, its seats and what they cost, as the tests have them; and the faults to survive."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from activities.tools.create_workspace import CREATE_WORKSPACE, WorkspaceArgs
from activities.tools.purchase_seats import PURCHASE_SEATS, PurchaseArgs
from activities.tools.reserve_seats import RESERVE_SEATS, SeatsArgs
from compensations.refund_seats import RefundSeatsArgs
from compensations.removal import RemovalArgs
from saga.outcome import Receipt
from saga.record import Json
from saga.tool import Call
from tests.activities.outside import UNDO_KEY, Outside, call

READS = "workspaces-read"
WORKSPACE_KEY, SEATS_KEY, PURCHASE_KEY, COMMIT_KEY = "1" * 32, "2" * 32, "3" * 32, "4" * 32

SETTLED_S = 4
"""After so much a refund is confirmed: the service takes three seconds."""

LOST = pytest.mark.parametrize(
    "fault",
    [
        *("after:reset", "after:503", "after:504", "after:500"),
        *("after:truncate", "after:blank200", "after:204", "after:html200"),
    ],
)
"""Done, and the answer lost."""
NEVER = pytest.mark.parametrize("fault", ["before:503", "before:reset", "refuse:500", "in_use", "outage:30"])
"""Not done, which nobody can tell from the answer."""

PRICES = {"acme": (1250, "usd"), "globex": (1100, "eur"), "initech": (1250, "usd"), "hooli": (1250, "usd")}
"""A seat of each client, in minor units."""


async def workspace(outside: Outside, client: str = "acme") -> Receipt:
    """A pending one, under WORKSPACE_KEY."""
    return await CREATE_WORKSPACE.perform(outside.workspaces(), call(WorkspaceArgs(client=client), WORKSPACE_KEY))


async def held(outside: Outside, quantity: int = 40, client: str = "acme", **more: Any) -> Receipt:
    """Seats of a pending workspace, under SEATS_KEY."""
    made = await workspace(outside, client)
    args = SeatsArgs(workspace_id=made.external_ref, quantity=quantity, **more)
    return await RESERVE_SEATS.perform(outside.workspaces(), call(args, SEATS_KEY))


async def to_buy(outside: Outside, quantity: int = 40, client: str = "acme") -> PurchaseArgs:
    """What buying them says, once they are held."""
    price, currency = PRICES[client]
    made = await held(outside, quantity, client)
    return PurchaseArgs(
        reservation_id=made.external_ref, quantity=quantity, amount_minor=price * quantity, currency=currency
    )


@dataclass(frozen=True)
class Bought:
    """A purchase under PURCHASE_KEY, and the half that gives it back under UNDO_KEY."""

    receipt: Receipt
    undo: Call[RefundSeatsArgs]

    @property
    def ref(self) -> str:
        """The purchase."""
        return self.receipt.external_ref

    def again(self, key: str) -> Call[RefundSeatsArgs]:
        """A later try of giving it back, under its own key."""
        return call(self.undo.args, key, ref=self.ref)


async def bought(outside: Outside) -> Bought:
    """40 seats of acme for 500.00 USD."""
    args = await to_buy(outside)
    receipt = await PURCHASE_SEATS.perform(outside.workspaces(), call(args, PURCHASE_KEY))
    assert PURCHASE_SEATS.compensate is not None
    undo = PURCHASE_SEATS.compensate(args, PURCHASE_KEY)
    assert undo is not None
    return Bought(receipt, call(RefundSeatsArgs.model_validate(undo.args), UNDO_KEY, ref=receipt.external_ref))


def undoing(key: str, made: Receipt | None = None) -> Call[RemovalArgs]:
    """The half that takes away what the step of this key made."""
    return call(RemovalArgs(made_key=key), UNDO_KEY, ref=made.external_ref if made else None)


def returned_minor(outside: Outside) -> int:
    """What went back, or is on its way."""
    return sum(each.amount_minor or 0 for each in outside.effects("seats.refund") if each.state != "failed")


async def by_hand(outside: Outside, purchase: str, amount_minor: int) -> None:
    """A person gives a part of a purchase back: under a key that is none of ours."""
    body: Json = {
        "purchase_id": purchase,
        "amount_minor": amount_minor,
        "reason": "goodwill",
        "saga_key": f"by-hand-{amount_minor}",
    }
    await outside.workspaces()._service.post("/workspaces/v1/refunds", body)
