"""All that the sandbox remembers, in one SQLite file, written before anything is answered.

Effects and documents of the systems, keys with the answers given under them, armed faults, the
request log and the world's clock. A SIGKILL loses nothing.
"""

import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict

from workers.sandbox.clock import Clock
from workers.sandbox.documents import Documents
from workers.sandbox.store import Doc

if TYPE_CHECKING:
    from sqlalchemy import Engine

__all__ = ["KEY_LIFE_S", "Doc", "Effect", "EffectState", "World"]

EffectState = Literal["standing", "undone", "pending", "failed", "expired"]

KEY_LIFE_S = 86_400.0
"""How long a key is remembered on the world's clock: a day, as Stripe and Resend document it."""

_COLUMNS = "system, kind, key, run, execution, ref, state, amount_minor, currency, audience, at, about"
_FILTERS = frozenset({"system", "kind", "key", "run", "execution", "ref", "state", "currency"})


class Effect(BaseModel):
    """One thing done to the world. `kind` is `<noun>.<verb>`, `at` epoch seconds of the world's clock."""

    model_config = ConfigDict(frozen=True)

    system: str
    kind: str
    key: str | None
    run: str | None
    execution: str | None
    ref: str
    state: EffectState
    amount_minor: int | None
    currency: str | None
    audience: list[str]
    at: float
    about: dict[str, Any]


class World(Clock, Documents):
    """The memory of the sandbox. Safe between threads; a transaction holds the world for itself."""

    def __init__(self, directory: Path | str, databases: Mapping[str, str] | None = None) -> None:
        """`databases`: by system, the URL of the database that it has to itself, in place of a file beside ours."""
        super().__init__(directory)
        self._directory, self._urls = Path(directory), databases or {}
        self._databases: dict[str, Engine] = {}
        self.elsewhere: list[Callable[..., list[tuple[int, Effect]]]] = []
        """Effects that systems keep themselves: each with the number of ours after which it came."""

    def database(self, system: str) -> "Engine":
        """A system's own database."""
        # SQLAlchemy comes with an extra, and takes its time to be imported: others only read `Effect` from here.
        from workers.sandbox.database import beside, open_database  # noqa: PLC0415

        if system not in self._databases:
            self._databases[system] = open_database(self._urls.get(system) or beside(self._directory, system))
        return self._databases[system]

    def close(self) -> None:
        """Close all files; nothing is lost if this is never called."""
        for engine in self._databases.values():
            engine.dispose()
        super().close()

    def new_ref(self, prefix: str) -> str:
        """A reference that nobody has seen before: `<prefix>_<24 characters>`."""
        return f"{prefix}_{secrets.token_hex(12)}"

    def effect(  # noqa: PLR0913 - each is a column, and each is named
        self,
        *,
        system: str,
        kind: str,
        ref: str,
        key: str | None,
        run: str | None,
        execution: str | None,
        amount_minor: int | None = None,
        currency: str | None = None,
        audience: Sequence[str] = (),
        state: EffectState = "standing",
        about: Doc | None = None,
    ) -> Effect:
        """Record that something was done."""
        done = Effect(
            system=system, kind=kind, key=key, run=run, execution=execution, ref=ref, state=state,
            amount_minor=amount_minor, currency=currency, audience=list(audience), at=self.now(),
            about=about or {},
        )  # fmt: skip
        values = (
            system, kind, key, run, execution, ref, state, amount_minor, currency,
            json.dumps(done.audience), done.at, json.dumps(done.about),
        )  # fmt: skip
        marks = ", ".join("?" * len(values))
        self._rows(f"INSERT INTO effect ({_COLUMNS}) VALUES ({marks})", values)  # noqa: S608 - marks only
        return done

    def restate(self, system: str, ref: str, kind: str, state: EffectState) -> None:
        """Change the state of the newest effect of this kind on this reference; none is fine (a fixture)."""
        self._rows(
            "UPDATE effect SET state = ? WHERE seq = (SELECT max(seq) FROM effect"
            " WHERE system = ? AND ref = ? AND kind = ?)",
            (state, system, ref, kind),
        )

    def effects(self, **equals: str | None) -> list[Effect]:
        """The effects of all systems, oldest first, whose columns equal what is given."""
        unknown = set(equals) - _FILTERS
        if unknown:
            raise ValueError(f"effects: no such field {min(unknown)!r}; allowed: {sorted(_FILTERS)}")
        where = " AND ".join(f"{name} IS ?" for name in equals) or "1"
        rows = self._rows(
            f"SELECT {_COLUMNS}, seq FROM effect WHERE {where} ORDER BY seq",  # noqa: S608 - checked above
            list(equals.values()),
        )
        placed = [(row[-1], _effect(row[:-1])) for row in rows]
        for source in self.elsewhere:
            placed += source(**equals)
        # Theirs have the number of the one of ours that they came after, and keep their own order (the sort is stable).
        return [effect for _, effect in sorted(placed, key=lambda each: each[0])]

    def last_effect(self) -> int:
        """The number of the newest effect that is kept here; 0 where there is none."""
        return self._rows("SELECT coalesce(max(seq), 0) FROM effect")[0][0]

    # Keys and the answers given under them.

    def remembered(self, system: str, key: str, within_s: float = KEY_LIFE_S) -> Doc | None:
        """What was remembered under the key at most `within_s` ago; what is older is forgotten for good."""
        rows = self._rows("SELECT at, body FROM memory WHERE system = ? AND key = ?", (system, key))
        if not rows:
            return None
        if self.now() - rows[0][0] >= within_s:
            self._rows("DELETE FROM memory WHERE system = ? AND key = ?", (system, key))
            return None
        return json.loads(rows[0][1])

    def remember(self, system: str, key: str, body: Doc) -> None:
        """Remember under the key; a second time replaces what is remembered, not since when."""
        self._rows(
            "INSERT INTO memory VALUES (?, ?, ?, ?) ON CONFLICT (system, key) DO UPDATE SET body = excluded.body",
            (system, key, self.now(), json.dumps(body)),
        )

    # The request log, the armed faults, settings.

    def call(self, line: Doc) -> None:
        """Write a line of the request log."""
        self._rows("INSERT INTO call (body) VALUES (?)", (json.dumps(line),))

    def calls(self) -> list[Doc]:
        """The request log, oldest first."""
        return [json.loads(row[0]) for row in self._rows("SELECT body FROM call ORDER BY seq")]

    def arm(self, fault: Doc) -> int:
        """Keep an armed fault; answers its number."""
        return self._insert("INSERT INTO fault (body) VALUES (?)", (json.dumps(fault),))

    def armed(self) -> list[tuple[int, Doc]]:
        """The armed faults in the order in which they were armed."""
        return [(seq, json.loads(body)) for seq, body in self._rows("SELECT seq, body FROM fault ORDER BY seq")]

    def rearm(self, seq: int, fault: Doc | None) -> None:
        """Replace an armed fault, or take it away (None)."""
        if fault is None:
            self._rows("DELETE FROM fault WHERE seq = ?", (seq,))
        else:
            self._rows("UPDATE fault SET body = ? WHERE seq = ?", (json.dumps(fault), seq))

    def disarm(self) -> None:
        """Take all faults away."""
        self._rows("DELETE FROM fault")

    def reset(self) -> None:
        """No effects, documents, keys, alarms, calls, faults; the clock stays. Systems put fixtures back."""
        with self.transaction():
            for table in ("effect", "doc", "memory", "alarm", "call", "fault"):
                self._rows(f"DELETE FROM {table}")  # noqa: S608 - the names above


def _effect(row: tuple[Any, ...]) -> Effect:
    read = {"audience": json.loads(row[9]), "about": json.loads(row[11])}
    return Effect.model_validate({**dict(zip(_COLUMNS.split(", "), row, strict=True)), **read})
