"""A laboratory for each test, and models that say what the test tells them to."""

from collections.abc import AsyncIterator

import pytest

from tests.lab import Lab, laboratory
from tests.workflows.plan import Plans


@pytest.fixture
def plans() -> Plans:
    """The test's own models, known to its laboratory by name."""
    return Plans()


@pytest.fixture
async def lab(tmp_path, plans) -> AsyncIterator[Lab]:
    """The world, the server and the three workers; asyncio's own clock is not skipped."""
    async with laboratory(tmp_path, model_of=plans.model_of) as made:
        yield made
