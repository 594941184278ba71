"""The tool `lookup_account`: what a client pays in, what a seat costs, and whether there is anything to pay with."""

from __future__ import annotations

from activities.client import Client
from activities.providers.workspaces import Workspaces
from saga.record import Json, Typed
from saga.tool import PureTool


class AccountArgs(Typed):
    """Whose account."""

    client: Client


async def _read(workspaces: Workspaces, args: AccountArgs) -> Json:
    account = await workspaces.account(args.client)
    return {
        "client": account.client,
        "currency": account.currency,
        "seat_price_minor": account.seat_price_minor,
        "seat_price": str(account.seat_price),
        "has_payment_method": account.has_payment_method,
    }


LOOKUP_ACCOUNT = PureTool(
    name="lookup_account",
    about=(
        "Read a client's account: its currency, the price of one seat (in the smallest unit of that currency, and in "
        "words), and whether it has a payment method."
    ),
    args=AccountArgs,
    read=_read,
    example={"client": "acme"},
    system="workspaces",
)
