"""What the workspace service has done to the world, written in the transaction of the change itself.

So neither can be without the other, whatever happens between this database and the world's own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, func, select, update

from workers.sandbox.database import insert_once
from workers.sandbox.stamp import Stamp
from workers.sandbox.workspaces_error import key_in_use
from workers.sandbox.workspaces_schema import effects
from workers.sandbox.world import Doc, Effect, EffectState

SYSTEM = "workspaces"


@dataclass(frozen=True)
class Signed:
    """Whose change it is, and when. A person's has no key; `now` is the world's clock."""

    stamp: Stamp
    now: float
    after: int = 0
    """The newest effect of the other systems at that moment."""

    @property
    def by(self) -> Doc:
        """Who did it, as an effect says it."""
        return {"by": "us" if self.stamp.key else "a person"}


def record(  # noqa: PLR0913 - each is a column, and each is named
    connection: Connection,
    signed: Signed,
    kind: str,
    ref: str,
    *,
    audience: Sequence[str],
    about: Doc,
    action: str | None = None,
    state: EffectState = "standing",
    amount_minor: int | None = None,
    currency: str | None = None,
) -> None:
    """Say that something was done. Refusal where its key has done something else."""
    stamp = signed.stamp
    values = {
        "after": signed.after, "kind": kind, "key": stamp.key, "run": stamp.run, "execution": stamp.execution,
        "ref": ref, "action": action, "state": state, "amount_minor": amount_minor, "currency": currency,
        "audience": list(audience), "at": signed.now, "about": about,
    }  # fmt: skip
    if insert_once(connection, effects, values) is None:
        raise key_in_use(str(stamp.key))


def restate(connection: Connection, ref: str, kind: str, state: EffectState) -> None:
    """Change the state of the newest effect of this kind on this reference; none is fine (a fixture)."""
    newest = select(func.max(effects.c.seq)).where(effects.c.ref == ref, effects.c.kind == kind)
    connection.execute(update(effects).where(effects.c.seq == newest.scalar_subquery()).values(state=state))


def done_by(connection: Connection, key: str) -> tuple[str, str | None] | None:
    """What a key has done: the reference, and the action on it (None: it was made)."""
    row = connection.execute(select(effects.c.ref, effects.c.action).where(effects.c.key == key)).first()
    return (row.ref, row.action) if row else None


def marks_of(connection: Connection, refs: Sequence[str]) -> dict[str, dict[str, str]]:
    """By reference: which key did which action, the last where it was done again."""
    found: dict[str, dict[str, str]] = {ref: {} for ref in refs}
    named = select(effects.c.ref, effects.c.action, effects.c.key).order_by(effects.c.seq)
    told = named.where(effects.c.ref.in_(refs), effects.c.action.is_not(None), effects.c.key.is_not(None))
    for ref, action, key in connection.execute(told):
        found[ref][action] = key
    return found


def read(connection: Connection, **equals: Any) -> list[tuple[int, Effect]]:
    """The effects whose columns equal what is given, oldest first, each with where it stands (`Signed.after`)."""
    if equals.pop("system", SYSTEM) != SYSTEM:
        return []
    asked = select(effects).order_by(effects.c.seq)
    for name, value in equals.items():
        asked = asked.where(effects.c[name] == value) if value is not None else asked.where(effects.c[name].is_(None))
    found = connection.execute(asked).mappings()
    return [(row["after"], Effect.model_validate({"system": SYSTEM, **_public(row)})) for row in found]


def _public(row: Any) -> Doc:
    return {name: row[name] for name in Effect.model_fields if name != "system"}
