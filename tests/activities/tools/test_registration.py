"""What the scripts propose fits the tools that there are, and every tool registers."""

from typing import Any

import pytest

import activities.agents
import activities.tools
import compensations
from activities.agents.refund import REFUND, RefundRequest
from activities.models.model import Ask
from activities.models.scripted import script
from activities.vetting import vet
from saga.agent import Agent
from saga.registry import Registry
from saga.tool import CounterTool, PureTool, Tool
from saga.turn import NoItem, Told, Turn
from workers.composition import found_in
from workers.sandbox.fixtures import ORDERS


@pytest.fixture(scope="module")
def registry() -> Registry:
    return Registry(
        tools=[*found_in(activities.tools, Tool), *found_in(activities.tools, PureTool)],
        counters=found_in(compensations, CounterTool),
        agents=found_in(activities.agents, Agent),
    )


def test_every_tool_of_the_refund_agent_is_offered(registry: Registry):
    assert [tool.name for tool in registry.offered(REFUND)] == list(REFUND.tools)


@pytest.mark.parametrize("name", ["incident", "refund", "refund_money", "mail_only", "review"])
async def test_what_a_script_proposes_is_never_refused_for_its_form(registry: Registry, name: str):
    turns: list[Turn] = []
    brief = REFUND.brief(RefundRequest(order_id="1182", customer_id="cus_1182"))
    for number in range(6):
        reply = await script(name).turn(Ask(brief=brief, tools=(), transcript=tuple(turns)))
        items = [vet(registry, REFUND, call, place) for place, call in enumerate(reply.calls)]
        assert [item.error for item in items if isinstance(item, NoItem)] == []
        result: Any = {"orders": [ORDERS["1182"]]}
        told = [Told(call_id=call.call_id, outcome="confirmed", result=result) for call in reply.calls]
        turns.append(Turn(turn=number, text=reply.text, calls=reply.calls, told=tuple(told)))


async def test_garbage_is_refused_for_its_form_or_its_name(registry: Registry):
    brief = REFUND.brief(RefundRequest(order_id="1182", customer_id="cus_1182"))
    for turns in ((), (Turn(turn=0, text=""),)):
        reply = await script("garbage").turn(Ask(brief=brief, tools=(), transcript=turns))
        items = [vet(registry, REFUND, call, place) for place, call in enumerate(reply.calls)]
        assert all(isinstance(item, NoItem) for item in items)
