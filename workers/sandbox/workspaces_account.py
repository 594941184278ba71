"""What the workspace service knows from the start: accounts, pools of seats, products, documents.

A client of whom nobody has heard has an account like acme's, and a pool of its own from its first workspace on.
Prices are in minor units of the account's currency (yen have none).
"""

from sqlalchemy import Connection, select

from workers.sandbox.database import insert_missing
from workers.sandbox.workspaces_schema import accounts, documents, pools, products
from workers.sandbox.world import Doc

CAPACITY = 100_000
"""Seats of one client: more than a bench of ten thousand takes."""
_SMALL = {"tiny": 3}

_USUAL = ("usd", 1250, True, False)
# client: currency, price of a seat, whether there is a payment method, whether it declines
_ACCOUNTS = {
    "acme": _USUAL,
    "globex": ("eur", 1100, True, False),
    "initech": ("usd", 1250, False, False),
    "hooli": ("usd", 1250, True, True),
    "umbrella": ("jpy", 1800, True, False),
    "tiny": _USUAL,
}
_PRODUCTS = {
    "prod_seat": "Seat, one month",
    "prod_onboarding": "Onboarding day",
    "prod_support": "Support, one month",
    "prod_storage": "Storage, 100 GB",
}
_DOCUMENTS = {"draft": "Draft of the contract", "terms": "Terms of service", "notes": "Notes of the first call"}


def lay_out(connection: Connection, now: float) -> None:
    """Put what is there from the start, as far as it is missing."""
    insert_missing(connection, accounts, [_account(client) for client in _ACCOUNTS])
    insert_missing(connection, pools, [_pool(client) for client in _ACCOUNTS])
    insert_missing(connection, products, [{"id": ref, "name": name} for ref, name in _PRODUCTS.items()])
    named = [
        {"id": f"doc_{client}_{name}", "client": client, "title": title, "state": "live", "created_at": now}
        for client in _ACCOUNTS
        for name, title in _DOCUMENTS.items()
    ]
    insert_missing(connection, documents, named)


def account(connection: Connection, client: str) -> Doc:
    """{client, currency, seat_price_minor, has_payment_method, declines}."""
    row = connection.execute(select(accounts).where(accounts.c.client == client)).mappings().first()
    return {**(row or _account(client))}


def open_pool(connection: Connection, client: str) -> None:
    """The client's seats, all of them free; nothing changes where the pool is there."""
    insert_missing(connection, pools, [_pool(client)])


def _pool(client: str) -> Doc:
    return {"client": client, "capacity": _SMALL.get(client, CAPACITY), "taken": 0}


def _account(client: str) -> Doc:
    currency, price, has_method, declines = _ACCOUNTS.get(client, _USUAL)
    return {
        "client": client, "currency": currency, "seat_price_minor": price, "has_payment_method": has_method,
        "declines": declines,
    }  # fmt: skip
