"""The door `propose`: asks the model for its next turn, and vets every call in it."""

from __future__ import annotations

from collections.abc import Callable

from pydantic import TypeAdapter
from temporalio import activity

from activities.models.model import Ask, Model, schemas
from activities.vetting import vet
from saga.doors import ProposeOrder
from saga.registry import Registry
from saga.turn import Proposed, Turn

_TURNS = TypeAdapter(tuple[Turn, ...])


class Propose:
    """Runs beside the workflows; the only door that a model stands behind."""

    def __init__(self, registry: Registry, model_of: Callable[[str], Model]) -> None:
        """`model_of` gives the model of a name; BadInput for one it does not know."""
        self._registry, self._model_of = registry, model_of

    @activity.defn(name="propose")
    async def propose(self, order: ProposeOrder) -> Proposed:
        """The model's answer to the turns so far, call by call."""
        agent = self._registry.agents[order.agent]
        ask = Ask(
            brief=agent.brief(agent.request.model_validate(order.request)),
            tools=schemas(self._registry.offered(agent)),
            transcript=await self._transcript(order.turn),
        )
        reply = await self._model_of(order.model).turn(ask)
        items = tuple(vet(self._registry, agent, call, position) for position, call in enumerate(reply.calls))
        return Proposed(text=reply.text, calls=reply.calls, items=items)

    @staticmethod
    async def _transcript(upto: int) -> tuple[Turn, ...]:
        """The turns below `upto`, asked of the run itself: sent as input they would make history grow by the square."""
        info = activity.info()
        if upto == 0:
            return ()
        run = activity.client().get_workflow_handle(info.workflow_id or "", run_id=info.workflow_run_id)
        return _TURNS.validate_python(await run.query("transcript", {"upto": upto}))
