"""A system's own SQL database, by URL: SQLite as the default, PostgreSQL through pg8000.

What is committed is kept; SQLite as in `store` (WAL, synchronous=NORMAL), a transaction that may write has the
file for itself from its beginning, so that none fails half-way because another was quicker.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, Insert, Table, create_engine, event, make_url
from sqlalchemy.dialects import postgresql, sqlite

_BUSY_S = 30
"""How long a transaction waits for the others: 16 callers that write without a pause queue for a second or two."""
_CONNECTIONS = 20
"""Kept open: one for each of 16 callers, and some that only look."""


def open_database(url: str) -> Engine:
    """The database at `url`; one of SQLite is created where it is not there. Its tables are its owner's to make."""
    name = make_url(url)
    if name.get_backend_name() == "postgresql":
        return create_engine(name.set(drivername="postgresql+pg8000"), pool_size=_CONNECTIONS, pool_pre_ping=True)
    engine = create_engine(name, pool_size=_CONNECTIONS, connect_args={"timeout": _BUSY_S})
    event.listen(engine, "connect", _set_up)
    event.listen(engine, "begin", _begin)
    return engine


def beside(directory: Path, name: str) -> str:
    """The URL of the file that a system's database is, where none is named."""
    return f"sqlite:///{directory / name}.db"


def insert_once(connection: Connection, table: Table, values: Mapping[str, Any]) -> bool:
    """Insert a row; False where one with a key of its is there already, and nothing is changed."""
    insert: Any = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
    statement: Insert = insert(table).values(**values).on_conflict_do_nothing()
    return connection.execute(statement).rowcount == 1


def _set_up(connection: Any, _record: Any) -> None:
    # The driver would begin transactions by itself, and too late.
    connection.isolation_level = None
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")
