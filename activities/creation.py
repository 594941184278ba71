"""Making one thing at the workspace service under a step's key, and finding it by that key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from activities.providers.thing import Kind, Thing
from activities.providers.workspaces import Workspaces
from saga.outcome import Receipt, Sighting
from saga.record import Json
from saga.tool import Call


@dataclass(frozen=True, kw_only=True)
class Creation:
    """A tool's `perform` and `find`, for things of one kind that are made of the step's arguments as they are."""

    kind: Kind
    told: tuple[str, ...] = ()
    """Fields of it that go to the model and into the log, beside its id and its state."""

    async def perform(self, workspaces: Workspaces, call: Call[Any]) -> Receipt:
        """One request; the same key gets the same thing. Refused where that one was taken away since."""
        made = await workspaces.make(self.kind, call.tags, **call.args.model_dump(mode="json"))
        return made.made(call.tags, **self._of(made))

    async def find(self, workspaces: Workspaces, call: Call[Any]) -> Sequence[Sighting]:
        """What the key made; undone once it was taken away, by whomever."""
        return [each.sighting(None, **self._of(each)) for each in await workspaces.carrying(self.kind, call.key)]

    def _of(self, thing: Thing) -> Json:
        return {name: thing.fields.get(name) for name in self.told}
