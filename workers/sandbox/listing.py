"""A page of a system's list: newest first, cut by time and cursor, blind or behind where a fault says so.

Query: `since` (epoch seconds of the world's clock, inclusive), `limit` (1 to 100, 20 unless told) and
`cursor` (the `next_cursor` of the page before). New entries make no page repeat or skip an old one.
"""

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from workers.sandbox.route import Ctx

Doc = dict[str, Any]

_DEFAULT_LIMIT = 20
_MAX_LIMIT = 100
"""Both as Resend documents them for its lists."""


class BadQuery(Exception):
    """The query of a list does not fit; the text names the parameter."""


@dataclass(frozen=True)
class Page:
    """Entries, newest first, and where the next page begins; None after the last."""

    entries: list[Doc]
    next_cursor: str | None


def serial() -> int:
    """A number for a new entry, larger than those before it, whatever the world's clock does."""
    return time.time_ns()


def page(ctx: Ctx, docs: Iterable[Doc]) -> Page:
    """The page that the query asks for. `docs` have `serial` and `created_at`; new ones may lag behind."""
    since, limit = _number(ctx, "since", 0.0), int(_number(ctx, "limit", _DEFAULT_LIMIT))
    before = _number(ctx, "cursor", float("inf"))
    if not 1 <= limit <= _MAX_LIMIT:
        raise BadQuery(f"limit: 1 to {_MAX_LIMIT}, not {limit}")
    if ctx.blind:
        return Page([], None)
    until = ctx.world.now() - ctx.lag_s
    seen = [doc for doc in docs if since <= doc["created_at"] <= until and doc["serial"] < before]
    seen.sort(key=lambda doc: doc["serial"], reverse=True)
    entries = seen[:limit]
    return Page(entries, str(entries[-1]["serial"]) if len(seen) > limit else None)


def _number(ctx: Ctx, name: str, otherwise: float) -> float:
    text = ctx.query.get(name)
    if text is None or text == "":
        return otherwise
    try:
        # A serial has more digits than a float keeps.
        return int(text) if str(text).isdigit() else float(text)
    except (TypeError, ValueError):
        raise BadQuery(f"{name}: a number, not {text!r}") from None
