"""The databases that what is kept in SQL is tested on: SQLite, and one PostgreSQL for all tests of this process."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from workers.bench.postgres import Postgres
from workers.sandbox.database import open_database


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A PostgreSQL server, ended with the last test."""
    with Postgres(durable=False) as server:
        yield server


@pytest.fixture(scope="session")
def postgres_database(postgres: Postgres) -> str:
    """The URL of a database there."""
    return postgres.create("tests")


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty database, one of each kind in turn."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'workspaces.db'}"
    url: str = request.getfixturevalue("postgres_database")
    engine = open_database(url)
    with engine.begin() as connection:
        connection.exec_driver_sql("DROP SCHEMA public CASCADE")
        connection.exec_driver_sql("CREATE SCHEMA public")
    engine.dispose()
    return url
