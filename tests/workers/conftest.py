"""A real Temporal server for the tests of one file, and a client of it for each test."""

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio
from temporalio.client import Client

from workers.connect import connect_to
from workers.embedded import EmbeddedServer
from workers.settings import environment


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


async def _start(embedded: EmbeddedServer) -> None:
    await embedded.start()
