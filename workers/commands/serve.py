"""Processes that run until they are told to stop: `saga sandbox`, `saga worker`."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path
from typing import Annotated

import typer

from workers import settings
from workers import worker as workers
from workers.exits import CannotTell, answers
from workers.settings import LOOPBACK
from workers.worker import Kind


@answers
async def sandbox(
    host: Annotated[str, typer.Option("--host", help="Where to listen. It asks for no password.")] = LOOPBACK,
    port: Annotated[int | None, typer.Option("--port", help="HTTP; 0: a free one.")] = None,
    smtp_port: Annotated[int | None, typer.Option("--smtp-port", help="SMTP; 0: a free one.")] = None,
    directory: Annotated[Path | None, typer.Option("--dir", help="Where it keeps what it remembers.")] = None,
) -> None:
    """The world on loopback, to break on purpose."""
    from workers.sandbox.database import NoDatabase  # noqa: PLC0415 - as below
    from workers.sandbox.server import serve  # noqa: PLC0415 - aiohttp comes with an extra

    config = settings.read()
    http = config.sandbox_port if port is None else port
    smtp = config.sandbox_smtp_port if smtp_port is None else smtp_port
    stop = asyncio.Event()
    for sign in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(sign, stop.set)
    where = directory or config.state_dir / "sandbox"
    try:
        async with serve(where, port=http, smtp_port=smtp, host=host, databases=config.databases) as world:
            typer.echo(f"sandbox on {world.url}, smtp on port {world.smtp_port}")
            await stop.wait()
    except NoDatabase as error:
        raise CannotTell(
            f"the sandbox cannot keep its workspaces: {error}. SAGA_WORKSPACES_DATABASE names it"
        ) from None
    except OSError as error:
        raise CannotTell(
            f"the sandbox cannot listen on ports {http} and {smtp} of {host} ({error.strerror}). Stop what listens "
            "there, or choose others: SAGA_SANDBOX_PORT, SAGA_SANDBOX_SMTP_PORT"
        ) from None


@answers
def worker(
    kind: Annotated[Kind, typer.Argument(help="runs: workflows and models · tools: side effects · lookups: looking.")],
) -> None:
    """A worker of one task queue, until SIGTERM; what is under way may end."""
    raise typer.Exit(workers.main([kind]))
