"""A laboratory for each test, and models that say what the test tells them to."""

from collections.abc import AsyncIterator

import pytest

from tests.lab import Lab, embedded, laboratory
from tests.workflows.plan import Plans


@pytest.fixture
def plans() -> Plans:
    """The test's own models, known to its laboratory by name."""
    return Plans()


@pytest.fixture
async def lab(tmp_path, plans) -> AsyncIterator[Lab]:
    """The world, a server that skips time, and the three workers."""
    async with laboratory(tmp_path, model_of=plans.model_of) as made:
        yield made


@pytest.fixture
async def real_lab(tmp_path, plans) -> AsyncIterator[Lab]:
    """The same with the server that users run, in real time."""
    async with laboratory(tmp_path, model_of=plans.model_of, environment=embedded) as made:
        yield made
