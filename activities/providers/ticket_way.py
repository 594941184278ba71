"""The ways out of a ticket's state, and which of them closes or publishes it.

Chosen by the category of the state they lead to, never by their own name: administrators rename transitions. A way
whose screen asks for a field that we cannot fill is none.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from saga.record import Json

_OURS = frozenset({"labels", "comment", "resolution"})
"""The fields that we can fill."""


@dataclass(frozen=True, kw_only=True)
class Way:
    """A transition. `fields` are those on its screen: Jira refuses any other with a 400."""

    id: str
    name: str
    to: str
    category: str
    fields: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @classmethod
    def parse(cls, raw: Mapping[str, Any]) -> Way:
        """From Jira's JSON of a transition, asked for with `expand=transitions.fields`."""
        to = raw["to"]
        return cls(
            id=str(raw["id"]),
            name=str(raw["name"]),
            to=str(to["name"]),
            category=str(to["statusCategory"]["key"]),
            fields=dict(raw.get("fields") or {}),
        )

    def takes(self, name: str) -> bool:
        """Whether that field is on its screen."""
        return name in self.fields

    @property
    def passable(self) -> bool:
        """Whether we can fill everything that it insists on."""
        return all(
            name in _OURS or not rule.get("required") or rule.get("hasDefaultValue")
            for name, rule in self.fields.items()
        )

    def resolution(self, wanted: Sequence[str]) -> Json | None:
        """The resolution to close with: the first of `wanted` that it allows, else any where it insists on one."""
        if not self.takes("resolution"):
            return None
        allowed = {str(each["name"]): each for each in self.fields["resolution"].get("allowedValues") or ()}
        name = next((each for each in wanted if each in allowed), None)
        if name is None and self.fields["resolution"].get("required"):
            name = next(iter(allowed), None)
        return None if name is None else {"name": name}


def to_close(ways: Sequence[Way], *, been: Collection[str], draft: str, at: str) -> Way | None:
    """The way to take next towards a done state: one that arrives, else one that leads on to where we have not `been`.

    One that records a resolution is preferred. A ticket in the `draft` state is closed only directly: any other way
    out of it would show it to the team. None: there is no way, and a person must close it.
    """
    open_ways = [way for way in ways if way.passable]
    arriving = [way for way in open_ways if way.category == "done"]
    if arriving:
        return min(arriving, key=lambda way: not way.takes("resolution"))
    if at == draft:
        return None
    onward = [way for way in open_ways if way.to not in {*been, at, draft}]
    # Work under way is nearer to its end than work not begun.
    return min(onward, key=lambda way: way.category != "indeterminate", default=None)


def to_publish(ways: Sequence[Way], *, draft: str) -> Way | None:
    """The way from the draft state into the team's queue, preferably as new work; None where there is none."""
    onward = [way for way in ways if way.passable and way.category != "done" and way.to != draft]
    return min(onward, key=lambda way: way.category != "new", default=None)
