"""The pulse of an attempt: that it lives, and what the attempts before it left, kept by the server in the heartbeat."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from pydantic import BaseModel, ValidationError
from temporalio import activity

BEAT_S = 1.0
"""Towards the server; a dead worker is noticed after a few missed ones (the workflow sets how many)."""


class Trail(BaseModel):
    """What one attempt leaves to the next in the heartbeat, which the server keeps.

    Missing or unreadable means the worst: something may have been sent.
    """

    attempt: int = 0
    clean_upto: int = 0
    """Attempts up to this one are known to have sent nothing that counts."""

    @classmethod
    def read(cls) -> Trail:
        """The trail of the attempts before this one."""
        try:
            return cls.model_validate(activity.info().heartbeat_details[0])
        except (IndexError, ValidationError):
            return cls()

    def leave(self) -> None:
        """Tell the server."""
        activity.heartbeat(self.model_dump())


@asynccontextmanager
async def pulse(trail: Trail | None = None) -> AsyncGenerator[None]:
    """Tell the server that this attempt lives, as long as the block runs."""

    async def beat() -> None:
        while True:
            await asyncio.sleep(BEAT_S)  # first: an attempt that ends at once costs no request to the server
            if trail is None:
                activity.heartbeat()
            else:
                trail.leave()

    if activity.info().is_local:
        yield  # nobody takes its pulse
        return
    task = asyncio.create_task(beat())
    try:
        yield
    finally:
        task.cancel()
