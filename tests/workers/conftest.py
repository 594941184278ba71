"""A real Temporal server for the tests of one file; a client of it, and the ground of the bench, for each test."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
import pytest_asyncio
from temporalio.client import Client

from workers.bench.ground import Ground
from workers.bench.worker import PARTS
from workers.connect import connect_to
from workers.embedded import EmbeddedServer
from workers.sandbox.server import serve
from workers.settings import Settings, environment
from workers.worker import build


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[EmbeddedServer]:
    """Embedded, on free ports, with the search attributes registered."""
    embedded = EmbeddedServer(
        port=0,
        ui_port=0,
        state_dir=tmp_path_factory.mktemp("server"),
        environment=environment({}, sandbox_only=True),
    )
    try:
        asyncio.run(_start(embedded))
        yield embedded
    finally:
        embedded.stop()


@pytest_asyncio.fixture
async def client(server) -> AsyncIterator[Client]:
    yield await connect_to(server.address)


@pytest_asyncio.fixture
async def ground(client, tmp_path: Path) -> AsyncIterator[Ground]:
    """The bench's: both kinds of run on that server, and a sandbox of their own."""
    async with AsyncExitStack() as stack:
        sandbox = await stack.enter_async_context(serve(tmp_path))
        config = Settings(sandbox_url=sandbox.url)
        for make in PARTS.values():
            parts = make(config)
            if parts.providers is not None:
                stack.push_async_callback(parts.providers.close)
            await stack.enter_async_context(build(client, config, parts))
        yield Ground(client, sandbox.url)


async def _start(embedded: EmbeddedServer) -> None:
    await embedded.start()
