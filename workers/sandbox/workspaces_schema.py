"""The tables of the workspace service: one for each kind of thing, and one for what was done to the world.

Every thing has its number (`seq`, the order of lists), its id, and the natural key under which it was made: unique
for ever, with a digest of what was asked for under it. A fixture has neither key nor digest.
"""

from typing import Any

from sqlalchemy import JSON, BigInteger, Boolean, CheckConstraint, Column, Double, ForeignKey, Integer, MetaData, Table
from sqlalchemy import Text as String

METADATA = MetaData()

_NUMBER = BigInteger().with_variant(Integer, "sqlite")
"""SQLite numbers rows by itself only where the column is an INTEGER."""

HIDDEN = frozenset({"seq", "asked", "in_use", "abandoned_at", "settles_at"})
"""Columns that are nobody's to see."""


def _thing(name: str, *columns: Any) -> Table:
    return Table(
        name,
        METADATA,
        Column("seq", _NUMBER, primary_key=True, autoincrement=True),
        Column("id", String, nullable=False, unique=True),
        Column("state", String, nullable=False),
        Column("saga_key", String, unique=True),
        Column("saga_run", String),
        Column("saga_execution", String),
        Column("created_at", Double, nullable=False),
        Column("asked", String),
        *columns,
    )


def _of(table: str) -> Column[Any]:
    """The thing that this one belongs to."""
    name = {"workspaces": "workspace_id", "projects": "project_id", "reservations": "reservation_id"}[table]
    return Column(name, String, ForeignKey(f"{table}.id"), nullable=False, index=True)


def _text(name: str) -> Column[Any]:
    return Column(name, String, nullable=False)


def _count(name: str, **more: Any) -> Column[Any]:
    return Column(name, BigInteger, nullable=False, **more)


accounts = Table(
    "accounts",
    METADATA,
    Column("client", String, primary_key=True),
    _text("currency"),
    _count("seat_price_minor"),
    Column("has_payment_method", Boolean, nullable=False),
    Column("declines", Boolean, nullable=False),
)
pools = Table(
    "pools",
    METADATA,
    Column("client", String, primary_key=True),
    _count("capacity"),
    # Held and confirmed, with the holds whose time is over and which nobody has taken out yet.
    _count("taken"),
    CheckConstraint("taken >= 0 AND taken <= capacity", name="never_oversold"),
)
products = Table("products", METADATA, Column("id", String, primary_key=True), _text("name"))

workspaces = _thing(
    "workspaces",
    _text("client"),
    Column("in_use", Boolean, nullable=False, default=False),
    Column("abandoned_at", Double),
)
admins = _thing("admins", _of("workspaces"), _text("email"))
invitations = _thing(
    "invitations",
    _of("workspaces"),
    *(Column(name, JSON, nullable=False) for name in ("emails", "invited", "failed")),
)
members = Table(
    "members",
    METADATA,
    Column("invitation_id", String, ForeignKey("invitations.id"), primary_key=True),
    Column("email", String, primary_key=True),
    Column("workspace_id", String, ForeignKey("workspaces.id"), nullable=False, index=True),
)
projects = _thing(
    "projects",
    _of("workspaces"),
    _text("name"),
    # Something hangs on it that is nobody's of ours.
    Column("in_use", Boolean, nullable=False, default=False),
)
repositories = _thing("repositories", _of("projects"), _text("repository"))
teams = _thing("teams", _of("projects"), _text("team"))
files = _thing("files", _of("workspaces"), _text("path"), _count("size"), _text("text"))
records = _thing("records", _of("workspaces"), _text("title"), _text("path"))
documents = _thing("documents", _text("client"), _text("title"))
invoices = _thing("invoices", _of("workspaces"), _text("currency"), _count("total_minor"))
invoice_lines = Table(
    "invoice_lines",
    METADATA,
    Column("invoice_id", String, ForeignKey("invoices.id"), primary_key=True),
    Column("line", Integer, primary_key=True),
    Column("product_id", String, ForeignKey("products.id"), nullable=False),
    _count("quantity"),
    _count("unit_minor"),
)
reservations = _thing(
    "reservations",
    _of("workspaces"),
    # No foreign key to its pool: each new row would lock the one row for which all callers queue.
    Column("client", String, nullable=False, index=True),
    _count("quantity"),
    Column("expires_at", Double, nullable=False),
)
purchases = _thing(
    "purchases",
    _of("reservations"),
    Column("workspace_id", String, nullable=False),
    _count("quantity"),
    _count("amount_minor"),
    _text("currency"),
    *(_count(name) for name in ("fee_minor", "used_minor", "refunded_minor")),
    CheckConstraint("used_minor + refunded_minor <= amount_minor", name="never_more_back_than_paid"),
)
refunds = _thing(
    "refunds",
    Column("purchase_id", String, ForeignKey("purchases.id"), nullable=False, index=True),
    _count("amount_minor"),
    *(_text(name) for name in ("currency", "reason")),
    *(_count(name) for name in ("fee_kept_minor", "original_minor", "used_minor")),
    Column("settles_at", Double, nullable=False),
    CheckConstraint("amount_minor > 0", name="never_negative"),
)

effects = Table(
    "effects",
    METADATA,
    Column("seq", _NUMBER, primary_key=True, autoincrement=True),
    # The newest effect of the other systems at that moment: where this one stands among them.
    Column("after", BigInteger, nullable=False),
    _text("kind"),
    # A key does one thing.
    Column("key", String, unique=True),
    Column("run", String, index=True),
    Column("execution", String),
    Column("ref", String, nullable=False, index=True),
    Column("action", String),
    _text("state"),
    Column("amount_minor", BigInteger),
    Column("currency", String),
    Column("audience", JSON, nullable=False),
    Column("at", Double, nullable=False),
    Column("about", JSON, nullable=False),
)
