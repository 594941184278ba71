"""A laboratory for each test, and models that say what the test tells them to."""

from collections.abc import AsyncIterator

import pytest

from tests.lab import Lab, embedded, fast, laboratory
from tests.workflows.club import Club, club
from tests.workflows.plan import Plans
from workers.settings import Settings


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
async def hall(plans) -> AsyncIterator[Club]:
    """The club's laboratory."""
    async with club(plans.model_of) as made:
        yield made


def injecting(url: str) -> Settings:
    """As fast, with workers that were started for it."""
    return fast(url).model_copy(update={"fault_injection": True})


@pytest.fixture
async def faulty(tmp_path, plans) -> AsyncIterator[Lab]:
    """The same, where a run may ask for faults."""
    async with laboratory(tmp_path, model_of=plans.model_of, settings=injecting) as made:
        yield made


@pytest.fixture
async def real_lab(tmp_path, plans) -> AsyncIterator[Lab]:
    """The same with the server that users run, in real time."""
    async with laboratory(tmp_path, model_of=plans.model_of, environment=embedded) as made:
        yield made
