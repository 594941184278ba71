"""The second half of something staged at the workspace service: one action on what an earlier step made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from activities.providers.thing import Kind, Thing
from activities.providers.workspaces import Workspaces, located
from saga.errors import Refused, Unanswered
from saga.outcome import Receipt, Sighting
from saga.record import Json
from saga.tool import Call


@dataclass(frozen=True, kw_only=True)
class Completion:
    """A commit half's `perform` and `find`, for things of one kind."""

    kind: Kind
    action: str
    done: str
    """The state that the action leads to."""
    over: tuple[str, ...]
    """Codes of a no that is for ever: what was staged has come to another end, and no state leads back from it."""
    staged: Callable[[Any], str]
    """The staged step's key, among the arguments."""
    told: tuple[str, ...] = ()
    """Fields of it that go into the log, beside its id and its state."""

    async def perform(self, workspaces: Workspaces, call: Call[Any]) -> Receipt:
        """Read it, and act unless it is done: by this half with its answer lost, or by a person."""
        thing = await located(workspaces, call, self.kind, self.staged(call.args))
        if thing is None:
            raise Refused("what was staged is gone", code="gone", remembered=True)
        if thing.state == self.done:
            return self._seen(thing, call).receipt().model_copy(update={"found": True})
        try:
            after = await workspaces.act(self.kind, thing.id, self.action, call.tags)
        except Refused as refused:
            # Whatever an earlier attempt did, no request under this key can pass any more.
            over = refused.code in self.over
            raise Refused(refused.message, code=refused.code, status=refused.status, remembered=over) from None
        if after.state != self.done:
            raise Unanswered(f"the {after.noun} is {after.state} still", code="not_done")
        return self._seen(after, call).receipt()

    async def find(self, workspaces: Workspaces, call: Call[Any]) -> Sequence[Sighting]:
        """Told by its state: done by anyone is done. Ended otherwise, it was only ever done if it carries this key."""
        thing = await located(workspaces, call, self.kind, self.staged(call.args))
        if thing is None or (thing.state != self.done and thing.marks.get(self.action) != call.key):
            return []
        return [self._seen(thing, call)]

    def _seen(self, thing: Thing, call: Call[Any]) -> Sighting:
        result: Json = {name: thing.fields.get(name) for name in self.told}
        if thing.marks.get(self.action) != call.key:
            result["already"] = True
        return thing.sighting(**result)
