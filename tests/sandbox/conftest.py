"""The sandbox in the test's own event loop, on free ports, with its memory in the test's directory.

What is kept in SQL is tested on SQLite and on PostgreSQL: one server for all tests of this process.
"""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest
import pytest_asyncio
import stripe

from tests.sandbox.office import NOW, Office
from workers.bench.postgres import Postgres
from workers.sandbox.app import Sandbox
from workers.sandbox.database import open_database
from workers.sandbox.server import serve


@pytest_asyncio.fixture
async def sandbox(tmp_path: Path) -> AsyncIterator[Sandbox]:
    """`.url`, `.smtp_port`, `.world`, `.faults`. Synchronous clients belong in `asyncio.to_thread`."""
    async with serve(tmp_path / "sandbox") as served:
        yield served


@pytest_asyncio.fixture
async def raw(sandbox: Sandbox) -> AsyncIterator[httpx.AsyncClient]:
    """An HTTP client that knows no service: it may write payments, and it reaches /world."""
    headers = {"Authorization": "Bearer sk_test_sandbox"}
    async with httpx.AsyncClient(base_url=sandbox.url, headers=headers, timeout=10) as client:
        yield client


@pytest_asyncio.fixture
async def pay(sandbox: Sandbox) -> AsyncIterator[stripe.StripeClient]:
    """The real `stripe` package, asynchronous, sending once."""
    http_client = stripe.HTTPXClient(timeout=10)
    client = stripe.StripeClient("sk_test_sandbox", base_addresses={"api": sandbox.url}, http_client=http_client)
    yield client
    await http_client.close_async()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A PostgreSQL server, ended with the last test."""
    with Postgres(durable=False) as server:
        yield server


@pytest.fixture(scope="session")
def _postgres_database(postgres: Postgres) -> str:
    return postgres.create("tests")


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty database, one of each kind in turn."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'workspaces.db'}"
    url: str = request.getfixturevalue("_postgres_database")
    engine = open_database(url)
    with engine.begin() as connection:
        connection.exec_driver_sql("DROP SCHEMA public CASCADE")
        connection.exec_driver_sql("CREATE SCHEMA public")
    engine.dispose()
    return url


@pytest_asyncio.fixture
async def office(tmp_path: Path, database_url: str) -> AsyncIterator[Office]:
    """The workspace service on each database, with the token that writes; the world's clock stands."""
    async with serve(tmp_path / "sandbox", databases={"workspaces": database_url}) as served:
        served.world.set_clock(NOW, frozen=True)
        headers = {"Authorization": "Bearer workspaces-write"}
        async with httpx.AsyncClient(base_url=f"{served.url}/workspaces", headers=headers, timeout=10) as client:
            yield Office(served, client)
