"""A world on loopback: one process that plays the outside systems and remembers every effect by key.

It speaks the wire protocol of the real services as far as our clients use it. Nothing of it was
compared with the live services; each module says where it knowingly differs.
"""

import asyncio
import contextlib
import signal
import sys
from pathlib import Path


def run(port: int, smtp_port: int, directory: Path | str) -> int:
    """Run the sandbox until SIGTERM or SIGINT; 1, with one line on stderr, where it cannot listen."""
    # The application needs aiohttp, an extra that only the sandbox's own process has to have.
    from workers import settings  # noqa: PLC0415 - only here
    from workers.sandbox.database import NoDatabase  # noqa: PLC0415 - only here
    from workers.sandbox.server import serve  # noqa: PLC0415 - only here

    databases = settings.read().databases

    async def main() -> None:
        stop = asyncio.Event()
        for sign in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(sign, stop.set)
        async with serve(directory, port=port, smtp_port=smtp_port, databases=databases) as sandbox:
            print(f"sandbox on {sandbox.url}, smtp on port {sandbox.smtp_port}", flush=True)
            await stop.wait()

    try:
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(main())
    except NoDatabase as wrong:
        print(f"sandbox: {wrong}: see SAGA_WORKSPACES_DATABASE", file=sys.stderr)
        return 1
    except OSError as wrong:
        print(f"sandbox: cannot listen on ports {port} and {smtp_port}: {wrong.strerror}", file=sys.stderr)
        return 1
    return 0
