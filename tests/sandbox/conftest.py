"""The sandbox in the test's own event loop, on free ports, with its memory in the test's directory."""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest_asyncio
import stripe

from tests.sandbox.office import NOW, Office
from workers.sandbox.app import Sandbox
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


@pytest_asyncio.fixture
async def office(tmp_path: Path, database_url: str) -> AsyncIterator[Office]:
    """The workspace service on each database, with the token that writes; the world's clock stands."""
    async with serve(tmp_path / "sandbox", databases={"workspaces": database_url}) as served:
        served.world.set_clock(NOW, frozen=True)
        headers = {"Authorization": "Bearer workspaces-write"}
        async with httpx.AsyncClient(base_url=f"{served.url}/workspaces", headers=headers, timeout=10) as client:
            yield Office(served, client)
