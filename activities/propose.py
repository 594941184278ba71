"""The door `propose`: asks the model for its next turn, and vets every call in it."""

from __future__ import annotations

import json
from collections.abc import Callable

from pydantic import TypeAdapter
from temporalio import activity

from activities.models.model import Ask, Model, schemas
from activities.pulse import pulse
from activities.vetting import vet
from saga.doors import ProposeOrder
from saga.registry import Registry
from saga.turn import Item, NoItem, Proposed, ProposedCall, Turn

TEXT_LIMIT = 16_000
"""Characters of what a model says in one turn: it stays in history."""
NAME_LIMIT = 200
"""Characters of a call's id and tool name."""
CALLS_KEPT = 200
"""Calls of one answer that are answered at all."""
REFUSED_ARGS_KEPT = 2_000
"""Bytes of the arguments of a call that is not dispatched."""

_TURNS = TypeAdapter(tuple[Turn, ...])


class Propose:
    """Runs beside the workflows; the only door that a model stands behind."""

    def __init__(self, registry: Registry, model_of: Callable[[str], Model]) -> None:
        """`model_of` gives the model of a name; BadInput for one it does not know."""
        self._registry, self._model_of = registry, model_of
        # Made once: pydantic writes a schema anew each time that it is asked for one, at a millisecond a tool.
        self._shown = {name: schemas(registry.offered(agent)) for name, agent in registry.agents.items()}

    @activity.defn(name="propose")
    async def propose(self, order: ProposeOrder) -> Proposed:
        """The model's answer to the turns so far, call by call."""
        agent = self._registry.agents[order.agent]
        ask = Ask(
            brief=agent.brief(agent.request.model_validate(order.request)),
            tools=self._shown[agent.name],
            transcript=await self._transcript(order.turn),
        )
        async with pulse():
            reply = await self._model_of(order.model).turn(ask)
        calls = tuple(clipped(call) for call in reply.calls[:CALLS_KEPT])
        items = tuple(vet(self._registry, agent, call, position) for position, call in enumerate(calls))
        return Proposed(
            text=clean(reply.text, TEXT_LIMIT),
            calls=tuple(kept(call, item) for call, item in zip(calls, items, strict=True)),
            items=items,
        )

    @staticmethod
    async def _transcript(upto: int) -> tuple[Turn, ...]:
        """The turns below `upto`, asked of the run itself: sent as input they would make history grow by the square."""
        info = activity.info()
        if upto == 0:
            return ()
        run = activity.client().get_workflow_handle(info.workflow_id or "", run_id=info.workflow_run_id)
        return _TURNS.validate_python(await run.query("transcript", {"upto": upto}))


def clean(text: str, limit: int) -> str:
    """A model's words as they can be kept: no half characters, at most `limit` characters."""
    return text[:limit].encode("utf-8", "replace").decode()


def clipped(call: ProposedCall) -> ProposedCall:
    """The call with an id and a tool's name that can be kept."""
    return call.model_copy(update={"call_id": clean(call.call_id, NAME_LIMIT), "tool": clean(call.tool, NAME_LIMIT)})


def kept(call: ProposedCall, item: Item) -> ProposedCall:
    """The call as it goes into history: the arguments left out where they could not be kept."""
    if isinstance(item, NoItem) and not _small(call):
        return call.model_copy(update={"args": None})
    return call


def _small(call: ProposedCall) -> bool:
    try:
        return len(json.dumps(call.args, ensure_ascii=False).encode()) <= REFUSED_ARGS_KEPT
    except (ValueError, RecursionError):
        return False
