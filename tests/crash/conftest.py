"""A house for the crashes of one process of pytest, and one that gives up quickly; whole again after each test."""

from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio

from tests.crash.ground import BRIEF, PATIENT, standing, visiting
from tests.crash.site import Site
from workers.house import House


@pytest.fixture(scope="package")
def patient(tmp_path_factory) -> Iterator[House]:
    """A house whose attempts wait for a new worker."""
    with standing(tmp_path_factory.mktemp("patient"), PATIENT) as house:
        yield house


@pytest.fixture(scope="package")
def brief(tmp_path_factory) -> Iterator[House]:
    """A house whose attempts do not."""
    with standing(tmp_path_factory.mktemp("brief"), BRIEF) as house:
        yield house


@pytest_asyncio.fixture
async def site(patient) -> AsyncIterator[Site]:
    """The patient house, for one test."""
    async with visiting(patient) as each:
        yield each


@pytest_asyncio.fixture
async def brief_site(brief) -> AsyncIterator[Site]:
    """The brief house, for one test."""
    async with visiting(brief) as each:
        yield each
