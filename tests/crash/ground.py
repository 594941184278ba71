"""The house that the crashes happen in: its pace, and how a test enters it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import httpx

from tests.crash.site import Site
from workers.connect import connect_to
from workers.house import House
from workers.settings import Settings

# The sandbox answers in milliseconds; every client gives up before its attempt does. A killed worker is noticed after
# 5 s and a new one is up after 2 to 10, far within the patience.
SHORT = {"request_s": 5, "attempt_s": 10, "patience_s": 60, "index_lag_s": 1}
"""An empty search proves something only after attempt, request and lag: that is what the reconcilers wait."""
LONG = {"request_s": 25, "attempt_s": 55, "patience_s": 90, "index_lag_s": 1}
"""What is held back must still be held when the worker is killed, on a busy machine too."""
OVER = {"request_s": 5, "attempt_s": 7, "patience_s": 8, "index_lag_s": 1}
"""The patience is over before anybody could have started a new worker."""

PATIENT = {"tickets": SHORT, "mail": SHORT, "warehouse": SHORT, "payments": LONG}
BRIEF = {"payments": OVER}


@contextmanager
def standing(directory: Path, pace: Mapping[str, Any], **extra: str) -> Generator[House]:
    """A house of this pace on free ports, everything up; `extra` goes into its workers' environment."""
    config = Settings(state_dir=directory, temporal_port=0, ui_port=0, sandbox_port=0)
    house = House(config, extra={"SAGA_PACE": json.dumps(pace), **extra}, sandbox_only=True)
    try:
        asyncio.run(house.start_all())
        yield house
    finally:
        house.stop_all()


@asynccontextmanager
async def visiting(house: House) -> AsyncGenerator[Site]:
    """The site on that house. At its end what was killed and not started again is started."""
    async with httpx.AsyncClient(base_url=house.sandbox_url, timeout=10) as world:
        yield Site(world, house, await connect_to(house.server.address))
        for name, process in house.parts.items():
            if not process.running:
                await house.start(name)
