"""The world's own view of a run: what the sandbox has under the run's keys, whatever our log says."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import httpx
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from saga.keys import run_tag
from saga.row import Row

LOOK_S = 3.0
"""The sandbox is on this machine, or beside the workers."""


class Effect(BaseModel):
    """One effect as `GET /world/effects` tells it. `at` is epoch seconds on the world's clock."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    system: str
    kind: str
    key: str | None = None
    run: str | None = None
    ref: str
    state: str
    amount_minor: int | None = None
    currency: str | None = None
    at: float


@dataclass(frozen=True)
class WorldView:
    """What the world has of a run; `silent` says why nothing is known."""

    where: str
    effects: tuple[Effect, ...] = ()
    silent: str = ""


_EFFECTS = TypeAdapter(list[Effect])


async def look(sandbox: str, run_id: str, rows: Iterable[Row]) -> WorldView:
    """The effects that carry the run's name or one of its keys. Never raises: not to know is an answer here."""
    try:
        async with httpx.AsyncClient(timeout=LOOK_S) as http:
            answer = await http.get(f"{sandbox}/world/effects")
            answer.raise_for_status()
            effects = _EFFECTS.validate_json(answer.content)
    except (httpx.HTTPError, httpx.InvalidURL, ValidationError):
        return WorldView(sandbox, silent=f"no sandbox answers at {sandbox} (SAGA_SANDBOX_URL)")
    names, keys = {run_id, run_tag(run_id)}, set(halves(rows))
    return WorldView(sandbox, tuple(each for each in effects if each.run in names or each.key in keys))


def halves(rows: Iterable[Row]) -> dict[str, tuple[Row, str]]:
    """Key → the row and which half of it that key is of."""
    found: dict[str, tuple[Row, str]] = {}
    for row in rows:
        found[row.idempotency_key] = (row, "call")
        if row.compensation is not None:
            found[row.compensation.idempotency_key] = (row, row.compensation.tool)
        if row.correction is not None:
            found[row.correction.idempotency_key] = (row, row.correction.tool)
    return found


def as_json(view: WorldView) -> dict[str, Any]:
    """For a program."""
    return {
        "where": view.where,
        "silent": view.silent or None,
        "effects": [effect.model_dump() for effect in view.effects],
    }
