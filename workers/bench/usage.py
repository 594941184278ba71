"""What a running process uses: memory and processor time, as the Linux kernel counts them."""

from __future__ import annotations

import os
from pathlib import Path

from workers.exits import CannotTell

_TICKS = os.sysconf("SC_CLK_TCK")
"""A hundred a second on every Linux in use: one run is some twenty ticks, and a median of several is reported."""
_PAGE = os.sysconf("SC_PAGE_SIZE")


def cpu_s(pid: int) -> float:
    """Seconds of processor time that the process has used, in user and kernel, all its threads together."""
    # The second field is the command in brackets, and may hold spaces.
    fields = _read(pid, "stat").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def resident_bytes(pid: int) -> int:
    """Bytes of the process that are in memory."""
    return int(_read(pid, "statm").split()[1]) * _PAGE


def _read(pid: int, name: str) -> str:
    try:
        return Path(f"/proc/{pid}/{name}").read_text("ascii", "replace")
    except OSError:
        raise CannotTell(f"process {pid} cannot be measured: there is no /proc/{pid} (this needs Linux)") from None
