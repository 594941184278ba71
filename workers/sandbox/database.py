"""A system's own SQL database, by URL: SQLite as the default, PostgreSQL through pg8000.

What is committed is kept; SQLite as in `store` (WAL, synchronous=NORMAL), a transaction that may write has the
file for itself from its beginning, so that none fails half-way because another was quicker.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, Insert, MetaData, RowMapping, Table, create_engine, event, make_url
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.schema import CreateIndex, CreateTable

_BUSY_S = 30
"""How long a transaction waits for the others: 16 callers that write without a pause queue for a second or two."""
_CONNECTIONS = 20
"""Kept open: one for each of 16 callers, and some that only look."""


class NoDatabase(Exception):
    """A database cannot be reached; the text says which, without its password, and why."""


def open_database(url: str) -> Engine:
    """The database at `url`; one of SQLite is created where it is not there. Its tables are its owner's to make."""
    name = make_url(url)
    if name.get_backend_name() == "postgresql":
        return create_engine(name.set(drivername="postgresql+pg8000"), pool_size=_CONNECTIONS, pool_pre_ping=True)
    engine = create_engine(name, pool_size=_CONNECTIONS, connect_args={"timeout": _BUSY_S})
    event.listen(engine, "connect", _set_up)
    event.listen(engine, "begin", _begin)
    return engine


def reach(engine: Engine) -> None:
    """NoDatabase where nothing can be kept there."""
    try:
        engine.connect().close()
    except SQLAlchemyError as error:
        where, said = engine.url.render_as_string(), str(error).splitlines()[0]
        raise NoDatabase(f"no database answers at {where} ({said})") from None


def beside(directory: Path, name: str) -> str:
    """The URL of the file that a system's database is, where none is named."""
    return f"sqlite:///{directory / name}.db"


def insert_once(connection: Connection, table: Table, values: Mapping[str, Any]) -> RowMapping | None:
    """Insert a row and answer it; None where one with a key of its is there already, and nothing is changed."""
    inserted = _inserting(connection, table).values(**values).returning(*table.columns)
    return connection.execute(inserted).mappings().first()


def insert_missing(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert those of the rows whose keys are not there."""
    connection.execute(_inserting(connection, table), list(rows))


def lay_tables(connection: Connection, metadata: MetaData) -> None:
    """Create the tables and indexes that are missing."""
    for statement in _definitions(metadata, connection.dialect.name):
        connection.exec_driver_sql(statement)


@cache
def _definitions(metadata: MetaData, dialect: str) -> list[str]:
    """Written once a process: a sandbox of every test's own would spend its start on it (0.1 s, measured)."""
    spoken = postgresql.dialect() if dialect == "postgresql" else sqlite.dialect()
    found: list[str] = []
    for table in metadata.sorted_tables:
        made = [CreateTable(table, if_not_exists=True)]
        indexes = sorted(table.indexes, key=lambda index: str(index.name))
        made += [CreateIndex(index, if_not_exists=True) for index in indexes]
        found += [str(each.compile(dialect=spoken)) for each in made]
    return found


def _inserting(connection: Connection, table: Table) -> Insert:
    insert: Any = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
    return insert(table).on_conflict_do_nothing()


def _set_up(connection: Any, _record: Any) -> None:
    # The driver would begin transactions by itself, and too late.
    connection.isolation_level = None
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")
