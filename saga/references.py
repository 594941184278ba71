"""What a call refers to: the steps that it stands on, and the references that must be this run's own.

A step depends on those that the tool declares, that the model names, whose external reference stands anywhere in the
arguments, and that go by a name which it points at, in whichever order the two are made.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from pydantic import JsonValue

from saga.draft import Draft, Owned
from saga.outcome import Problem
from saga.row import Row


def depends_on(rows: Iterable[Row], draft: Draft) -> set[int]:
    """The earlier steps that `draft` refers to."""
    rows = list(rows)
    carried = set(draft.references)
    if draft.facts.rules >= 1:
        carried |= set(strings(draft.args))
    found = {row.step_idx for row in rows if row.external_ref and row.external_ref in carried}
    named = {row.step_idx for row in rows if row.old and set(row.facts.names) & set(draft.facts.points_at)}
    return found | named | {idx for idx in draft.depends_on if idx < len(rows)}


def pointing_at(rows: Iterable[Row], draft: Draft) -> list[Row]:
    """The earlier steps that refer to `draft` by a name, before it has been made."""
    return [row for row in rows if set(row.facts.points_at) & set(draft.facts.names)]


def unfit(log: Collection[Row], draft: Draft, given: Collection[int]) -> Problem | None:
    """Why `draft` cannot be a step of this run: it names a step or a reference that is not there. None: it can.

    `given`: the step indices that the model was told.
    """
    for idx in draft.depends_on:
        if idx not in given:
            known = ", ".join(str(each) for each in sorted(given)) or "none yet"
            return _bad("depends_on", f"{idx} is no step that you were told of; those are {known}")
    for each in draft.owned:
        allowed = [row.external_ref or "" for row in log if row.stands and each.tool in (None, row.tool)]
        if each.ref not in allowed:
            return _bad(each.argument, f"must be the external_ref of {_source(each)} that stands; {_listed(allowed)}")
    return None


def strings(value: JsonValue) -> Iterator[str]:
    """Every text in it, however deep."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from strings(each)


LISTED = 20
"""References that are named in an answer: a model that needs more has them in what it was told."""


def _source(owned: Owned) -> str:
    return f"an earlier {owned.tool or 'step'} of this run"


def _listed(allowed: list[str]) -> str:
    return f"there are {', '.join(allowed[-LISTED:])}" if allowed else "there is none yet"


def _bad(argument: str, message: str) -> Problem:
    return Problem(code="arguments", message=f"{argument}: {message}")
