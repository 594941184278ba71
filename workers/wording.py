"""How times, and texts that somebody else wrote, are put on a terminal."""

from __future__ import annotations

from datetime import UTC, datetime

TEXT_LIMIT = 200
"""Characters of one text in a line: a page is read, not scrolled sideways. --json has all of it."""


def plain(text: str) -> str:
    """One line, without anything that would move a terminal's cursor or colour it; shortened where it is long."""
    line = "".join(char if char.isprintable() else " " for char in text)
    return line if len(line) <= TEXT_LIMIT else f"{line[: TEXT_LIMIT - 1]}…"


def clock(at: datetime) -> str:
    """``12:03:04``, UTC."""
    return f"{at.astimezone(UTC):%H:%M:%S}"


def day(at: datetime) -> str:
    """``2026-11-30``, UTC."""
    return f"{at.astimezone(UTC):%Y-%m-%d}"


def moment(at: datetime) -> str:
    """``2026-11-30 12:03:04 UTC``."""
    return f"{day(at)} {clock(at)} UTC"


def indented(line: str) -> str:
    """Below a title."""
    return f"  {line}"


def columns(rows: list[list[str]]) -> list[str]:
    """The cells in columns as wide as they need to be, the last one free."""
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]) - 1)] if rows else []
    return [
        "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[-1]]).rstrip()
        for row in rows
    ]
