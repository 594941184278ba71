"""Taking away what a step made at the workspace service.

What is gone already is taken away, whoever did it. What something else depends on stays: a definite no.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from activities.providers.thing import Kind, Thing
from activities.providers.workspaces import Workspaces, located
from activities.reference import StepKey
from saga.errors import Refused, Unanswered
from saga.outcome import Receipt, Sighting
from saga.record import Typed
from saga.tool import Call


class RemovalArgs(Typed):
    """Which thing, by the key of the step that made it."""

    made_key: StepKey


@dataclass(frozen=True, kw_only=True)
class Removal:
    """A counter-action's `perform` and `find`, for things of one kind."""

    kind: Kind
    action: str
    """What the service calls taking away one of these."""

    async def perform(self, workspaces: Workspaces, call: Call[RemovalArgs]) -> Receipt:
        """Read it, and take it away if it is there still. Refused where the service says that it has to stay."""
        thing = await located(workspaces, call, self.kind, call.args.made_key)
        if thing is None or thing.meaning == "undone":
            return self._gone(thing, call).receipt().model_copy(update={"found": True})
        try:
            taken = await workspaces.act(self.kind, thing.id, self.action, call.tags)
        except Refused as refused:
            # Gone since we read it, if the service, asked again, does not know it either.
            if refused.status != 404 or await workspaces.one(self.kind, thing.id) is not None:
                raise
            return self._gone(None, call, thing.id).receipt()
        if taken.meaning != "undone":
            raise Unanswered(f"the {taken.noun} is {taken.state} still", code="not_taken_away")
        return self._gone(taken, call).receipt()

    async def find(self, workspaces: Workspaces, call: Call[RemovalArgs]) -> Sequence[Sighting]:
        """Told by the thing's state: taken away by anyone is taken away, and so is one that nobody knows."""
        thing = await located(workspaces, call, self.kind, call.args.made_key)
        return [self._gone(thing, call)] if thing is None or thing.meaning == "undone" else []

    def _gone(self, thing: Thing | None, call: Call[RemovalArgs], ref: str | None = None) -> Sighting:
        """The taking away as an effect; `already` where it was not this half's."""
        if thing is None:
            known = ref or call.ref_of(call.args.made_key) or call.external_ref or ""
            return Sighting(external_ref=known, state="standing", result={"gone": True, "already": True})
        ours = thing.marks.get(self.action) == call.key
        return thing.sighting("standing", **({} if ours else {"already": True}))
