"""Processes that run until they are told to stop: `saga sandbox`, `saga worker`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from workers import settings
from workers import worker as workers
from workers.exits import answers
from workers.settings import LOOPBACK
from workers.worker import Kind


@answers
def sandbox(
    host: Annotated[str, typer.Option("--host", help="Where to listen. It asks for no password.")] = LOOPBACK,
    port: Annotated[int | None, typer.Option("--port", help="HTTP; 0: a free one.")] = None,
    smtp_port: Annotated[int | None, typer.Option("--smtp-port", help="SMTP; 0: a free one.")] = None,
    directory: Annotated[Path | None, typer.Option("--dir", help="Where it keeps what it remembers.")] = None,
) -> None:
    """The world on loopback, to break on purpose."""
    from workers.sandbox import run  # noqa: PLC0415 - aiohttp comes with an extra

    config = settings.read()
    code = run(
        config.sandbox_port if port is None else port,
        config.sandbox_smtp_port if smtp_port is None else smtp_port,
        directory or config.state_dir / "sandbox",
        host=host,
    )
    raise typer.Exit(code)


def worker(
    kind: Annotated[Kind, typer.Argument(help="runs: workflows and models · tools: side effects · lookups: looking.")],
) -> None:
    """A worker of one task queue, until SIGTERM; what is under way may end."""
    raise typer.Exit(workers.main([kind]))
