"""The Temporal client: one data converter for all, and a plain sentence where nobody answers."""

from __future__ import annotations

import asyncio
from typing import Any

from temporalio.client import Client
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.runtime import Runtime, TelemetryConfig

from workers.exits import CannotTell
from workers.settings import Settings

CONNECT_S = 5.0
"""A server that is up answers within milliseconds; one behind a slow line within a second or two."""


async def connect(settings: Settings, *, identity: str = "saga") -> Client:
    """The client of the server that the settings name; CannotTell, with what to do, where there is none."""
    return await connect_to(identity=identity, **settings.temporal())


async def connect_to(target_host: str, **arguments: Any) -> Client:
    """The client of the server at `target_host`; `arguments` are those of `Client.connect`."""
    try:
        return await asyncio.wait_for(
            Client.connect(target_host, data_converter=pydantic_data_converter, **arguments), CONNECT_S
        )
    except (RuntimeError, TimeoutError) as error:
        said = str(error) if isinstance(error, RuntimeError) else ""
        raise CannotTell(
            f"no Temporal server answers at {target_host}{_why(said)}. "
            "Start one with `make up`, or say in TEMPORAL_ADDRESS where it is."
        ) from None


def quiet() -> None:
    """Keep the core's own log off the terminal: it goes to stdout, where a reader of --json would meet it."""
    Runtime.set_default(Runtime(telemetry=TelemetryConfig(logging=None)))


def _why(said: str) -> str:
    """The part of the core's error that tells a person something."""
    for sign, words in (
        ("ConnectionRefused", "connection refused"),
        ("dns error", "its name is not known"),
        ("tls", "no TLS handshake"),
        ("PermissionDenied", "it does not let us in"),
        ("Unauthenticated", "it does not let us in"),
    ):
        if sign in said:
            return f" ({words})"
    return ""
