"""Our own tools and agents in the sandbox, as a fault kit."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.outside import SandboxWorld, served
from workers.composition import registry
from workers.faultkit.kit import Kit
from workers.settings import Settings


def hasty(url: str = "http://nowhere.test") -> Settings:
    """Clients that give up soon: a held-back answer costs real time, everything else is skipped."""
    return Settings(sandbox_url=url, request_s=1.0, attempt_s=2.0, patience_s=60.0, tries=3, index_lag_s=2.0)


@asynccontextmanager
async def sandboxed() -> AsyncGenerator[SandboxWorld]:
    """A sandbox of its own, gone afterwards."""
    with TemporaryDirectory() as directory:
        async with served(Path(directory), hasty) as world:
            yield world


KIT = Kit(
    registry=registry(hasty()),
    open_world=sandboxed,
    requests={
        "refund": {"order_id": "1182", "customer_id": "cus_1182", "receipt": False},
        "onboarding": {"client": "acme", "admin": "ada@acme.test", "members": ["ben@acme.test"], "seats": 40},
    },
)

KNOWN: dict[str, str] = {}
"""Cells that fail for a reason that is known, until it is mended: pattern of the id, and the reason."""
