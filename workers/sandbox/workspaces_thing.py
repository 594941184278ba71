"""A thing of the workspace service: made once a key, found, listed, shown, and changed from state to state.

Every change is a conditional update: it changes no row where the state is not the one it takes, so two at once
never both do it. Functions take a connection inside a transaction, or an engine, and no HTTP.
"""

import hashlib
import json
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import ColumnElement, Connection, Engine, RowMapping, Table, select, update

from workers.sandbox.database import insert_once
from workers.sandbox.workspaces_effects import Signed, done_by, marks_of, record, restate
from workers.sandbox.workspaces_error import Refusal, key_in_use, missing
from workers.sandbox.workspaces_input import Wish
from workers.sandbox.workspaces_schema import HIDDEN
from workers.sandbox.world import Doc, EffectState

_UNSAID = HIDDEN | {"id", "state", "saga_key", "saga_run", "saga_execution", "created_at", "text"}
"""What an effect does not repeat of its thing, because it says so itself, or because it is long."""


@dataclass(frozen=True, kw_only=True)
class Action:
    """What can be done to things of a kind: from one of the states that it takes, to the one that it leaves."""

    operations: tuple[str, ...]
    takes: tuple[str, ...]
    leaves: str
    effect: str
    audience: tuple[str, ...]
    undoes: tuple[str, ...] = ()
    """The kinds of effect on this thing that no longer stand afterwards."""
    done: tuple[str, ...] = ()
    """States besides `leaves` in which there is nothing left to do."""
    unless: Callable[[Table], ColumnElement[bool]] | None = None
    """What stands in the way whatever the state."""
    refusals: Mapping[str, str] = field(default_factory=dict[str, str])
    """State → the code of the 409; `""`: where `unless` stood in the way."""
    about: Callable[[Connection, RowMapping], Doc] | None = None
    changes: Mapping[str, Callable[[Signed], Any]] = field(default_factory=dict[str, Callable[[Signed], Any]])
    """Other columns that it sets."""


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One kind of thing."""

    name: str
    table: Table
    prefix: str
    wish: type[Wish]
    effect: str
    audience: tuple[str, ...]
    effect_state: EffectState = "standing"
    tells: Callable[[RowMapping], Doc] | None = None
    """What its effect says besides the thing's own fields."""
    is_seen: Callable[[RowMapping], bool] | None = None
    """Whether anybody saw anything of it; where nobody did, there was no effect."""
    born: str = "live"
    operations: tuple[str, ...] = ("create",)
    values: Callable[[Connection, Any, Signed], Doc] | None = None
    """The columns from what is asked for, where they are not just that; looks at what it belongs to."""
    inside: Callable[[Connection, RowMapping, Any], None] | None = None
    """Writes what belongs to it, in the same transaction."""
    shows: Callable[[Connection, RowMapping], Doc] | None = None
    """What is shown of it besides its own fields."""
    actions: Mapping[str, Action] = field(default_factory=dict[str, Action])


def digest(kind: Kind, wish: Wish) -> str:
    """What was asked for, so that the same key can be told from the same key with other arguments."""
    said = json.dumps([kind.name, wish.model_dump(mode="json")], sort_keys=True)
    return hashlib.sha256(said.encode()).hexdigest()


def new_id(kind: Kind) -> str:
    """An id that nobody has seen before."""
    return f"{kind.prefix}_{secrets.token_hex(12)}"


def named(connection: Connection, kind: Kind, key: str, asked: str) -> RowMapping | None:
    """The thing that was made under this key, if any was. Refusal where something else was asked for under it."""
    table = kind.table
    row = connection.execute(select(table).where(table.c.saga_key == key)).mappings().first()
    if row and row["asked"] != asked:
        raise key_in_use(key)
    return row


def birth(kind: Kind, signed: Signed, asked: str) -> Doc:
    """The columns that every new thing has."""
    stamp = signed.stamp
    return {
        "id": new_id(kind), "state": kind.born, "saga_key": stamp.key, "saga_run": stamp.run,
        "saga_execution": stamp.execution, "created_at": signed.now, "asked": asked,
    }  # fmt: skip


class Raced(Exception):
    """A thing of this key is there, or something else that was done under it."""


def make(engine: Engine, kind: Kind, wish: Wish, signed: Signed, **more: Any) -> tuple[RowMapping, bool]:
    """Make a thing, or find the one of this key; and whether it was made now."""
    return once(engine, kind, wish, signed, lambda connection: _make(connection, kind, wish, signed, more))


def once(
    engine: Engine, kind: Kind, wish: Wish, signed: Signed, work: Callable[[Connection], RowMapping]
) -> tuple[RowMapping, bool]:
    """Let `work` make a thing in a transaction; where one of this key is there, nothing of it stays.

    Looked for afterwards only: whoever asks for the first time, as nearly all do, does not pay for a look.
    """
    key = str(signed.stamp.key)
    try:
        with engine.begin() as connection:
            return work(connection), True
    except (Raced, Refusal) as no:
        # It may have been refused because the thing is there, and has what this one wants.
        with engine.begin() as connection:
            row = named(connection, kind, key, digest(kind, wish))
        if row:
            return row, False
        raise key_in_use(key) if isinstance(no, Raced) else no from None


def _make(connection: Connection, kind: Kind, wish: Wish, signed: Signed, more: Doc) -> RowMapping:
    own = kind.values(connection, wish, signed) if kind.values else wish.model_dump()
    values = {**birth(kind, signed, digest(kind, wish)), **own, **more}
    row = insert_once(connection, kind.table, values)
    if row is None:
        raise Raced
    if kind.inside:
        kind.inside(connection, row, wish)
    amount: Doc = {name: values[name] for name in ("amount_minor", "currency") if "amount_minor" in values}
    said, state = {**(kind.tells(row) if kind.tells else {}), **about(row)}, kind.effect_state
    if not kind.is_seen or kind.is_seen(row):
        record(connection, signed, kind.effect, row["id"], audience=kind.audience, about=said, state=state, **amount)
    return row


def find(connection: Connection, kind: Kind, ref: str) -> RowMapping:
    """The thing; Refusal 404 where there is none."""
    row = connection.execute(select(kind.table).where(kind.table.c.id == ref)).mappings().first()
    if row is None:
        raise missing(kind.name, ref)
    return row


def act(connection: Connection, kind: Kind, ref: str, name: str, signed: Signed) -> RowMapping:
    """Do something to a thing; to do again what is done changes nothing. Refusal where its state forbids it."""
    action, table, key = kind.actions[name], kind.table, signed.stamp.key
    before = find(connection, kind, ref)
    if key and (did := done_by(connection, key)):
        if did != (ref, name):
            raise key_in_use(key)
        return before
    changed = update(table).where(table.c.id == ref, table.c.state.in_(action.takes))
    if action.unless is not None:
        changed = changed.where(~action.unless(table))
    also = {column: value(signed) for column, value in action.changes.items()}
    if connection.execute(changed.values(state=action.leaves, **also)).rowcount == 0:
        now = find(connection, kind, ref)
        if now["state"] in {action.leaves, *action.done}:
            return now
        raise _refused(action, now)
    undoing = {"undoes": ref} if action.undoes else {}
    more = action.about(connection, before) if action.about else {}
    said = {**undoing, **about(before), **more, "was": before["state"], **signed.by}
    for effect in action.undoes:
        restate(connection, ref, effect, "undone")
    record(connection, signed, action.effect, ref, audience=action.audience, about=said, action=name)
    return find(connection, kind, ref)


def _refused(action: Action, row: RowMapping) -> Refusal:
    state = row["state"]
    code = action.refusals.get("" if state in action.takes else state, "conflict")
    return Refusal(409, code, f"{row['id']} is {state}" + (", and in use." if state in action.takes else "."))


def shown(connection: Connection, kind: Kind, rows: list[RowMapping]) -> list[Doc]:
    """Things as the service shows them."""
    marks, show = marks_of(connection, [row["id"] for row in rows]), kind.shows
    return [
        {
            **{name: value for name, value in row.items() if name not in HIDDEN},
            **(show(connection, row) if show else {}),
            "marks": marks[row["id"]],
        }
        for row in rows
    ]


def about(row: RowMapping) -> Doc:
    """What an effect says of its thing: the thing's own fields."""
    return {name: value for name, value in row.items() if name not in _UNSAID}
