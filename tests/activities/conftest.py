"""The sandbox, and the outside made of it, for whoever talks to providers."""

from collections.abc import AsyncIterator

import pytest_asyncio

from tests.activities.outside import Outside
from tests.sandbox.conftest import sandbox as sandbox  # noqa: PLC0414 - a fixture, handed on
from workers.sandbox.app import Sandbox


@pytest_asyncio.fixture
async def outside(sandbox: Sandbox) -> AsyncIterator[Outside]:
    """The sandbox with providers to talk to it."""
    made = Outside(sandbox)
    yield made
    await made.close()
