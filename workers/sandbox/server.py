"""The sandbox on its two ports, HTTP and SMTP, for as long as somebody holds it open."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from aiohttp import web

from workers.sandbox import control, smtp
from workers.sandbox.app import RUNNING_S, Sandbox
from workers.sandbox.world import World


@asynccontextmanager
async def serve(
    directory: Path | str,
    *,
    port: int = 0,
    smtp_port: int = 0,
    host: str = "127.0.0.1",
    running_s: float = RUNNING_S,
    databases: Mapping[str, str] | None = None,
) -> AsyncGenerator[Sandbox]:
    """The sandbox, listening, its memory in `directory`. Port 0 takes a free one; a taken one is OSError.

    `databases`: by system, the URL of its own database in place of a file in `directory`.
    """
    world = World(directory, databases)
    sandbox = Sandbox(world, running_s=running_s)
    application = sandbox.application()
    application.add_routes(control.routes(sandbox))
    # Answers that are held back (after:slow) must not hold up the end of the process.
    runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.5)
    await runner.setup()
    try:
        site = web.TCPSite(runner, host, port)
        await site.start()
        sandbox.url = f"http://{host}:{runner.addresses[0][1]}"
        mail_server = await smtp.start(world, sandbox.faults, host, smtp_port)
        sandbox.smtp_port = mail_server.sockets[0].getsockname()[1]
        try:
            yield sandbox
        finally:
            mail_server.close()
    finally:
        await runner.cleanup()
        world.close()
