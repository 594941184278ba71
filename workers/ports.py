"""Ports on loopback: a free one, or the one that was asked for, or a plain word that it is taken."""

from __future__ import annotations

import socket

from workers.exits import CannotTell
from workers.settings import LOOPBACK


def free() -> int:
    """A port that nothing listens on now."""
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return int(probe.getsockname()[1])


def claim(port: int, *, what: str, setting: str) -> int:
    """`port`, or a free one for 0; CannotTell where it is taken, naming the `setting` that moves it."""
    if port == 0:
        return free()
    with socket.socket() as probe:
        # As servers bind: what an ended connection left behind is in nobody's way.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            raise CannotTell(
                f"port {port} for {what} is taken. Stop what listens there (another `make up`?), "
                f"or choose another: {setting}={port + 1}"
            ) from None
    return port
