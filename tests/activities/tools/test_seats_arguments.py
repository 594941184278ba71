"""What a model may write to the tools of an account, and what is refused, naming the field, before there is a row."""

from typing import Any

import pytest

import activities.tools
import compensations
from activities.tools.activate_workspace import ACTIVATE_WORKSPACE
from activities.tools.assign_admin import ASSIGN_ADMIN
from activities.tools.confirm_seats import CONFIRM_SEATS
from activities.tools.create_workspace import CREATE_WORKSPACE
from activities.tools.invite_members import INVITE_MEMBERS
from activities.tools.lookup_account import LOOKUP_ACCOUNT
from activities.tools.purchase_seats import PURCHASE_SEATS
from activities.tools.reserve_seats import RESERVE_SEATS
from activities.vetting import vet
from saga.agent import Agent
from saga.registry import Registry
from saga.tool import CounterTool, PureTool, Tool
from saga.turn import DraftItem, NoItem, ProposedCall, ReadItem
from tests.build import make_agent
from workers.composition import found_in

OFFERED = (CREATE_WORKSPACE, ASSIGN_ADMIN, RESERVE_SEATS, PURCHASE_SEATS, INVITE_MEMBERS, LOOKUP_ACCOUNT)
WITH_EFFECTS = (*OFFERED[:-1], ACTIVATE_WORKSPACE, CONFIRM_SEATS)
FORTY = [f"member{number}@acme.test" for number in range(40)]


@pytest.fixture(scope="module")
def agent() -> Agent[Any]:
    return make_agent(*(tool.name for tool in OFFERED))


@pytest.fixture(scope="module")
def registry(agent: Agent[Any]) -> Registry:
    tools = [*found_in(activities.tools, Tool), *found_in(activities.tools, PureTool)]
    return Registry(tools=tools, counters=found_in(compensations, CounterTool), agents=[agent])


@pytest.mark.parametrize("tool", OFFERED, ids=lambda tool: tool.name)
def test_its_example_is_taken(registry: Registry, agent: Agent[Any], tool: Tool[Any] | PureTool[Any]):
    item = vet(registry, agent, ProposedCall(call_id="1", tool=tool.name, args=dict(tool.example)), 0)
    assert isinstance(item, DraftItem | ReadItem)


@pytest.mark.parametrize(
    ("tool", "change", "field"),
    [
        (CREATE_WORKSPACE, {"client": "Acme"}, "client"),
        (CREATE_WORKSPACE, {"client": "a"}, "client"),
        (CREATE_WORKSPACE, {"client": "acme/../globex"}, "client"),
        (CREATE_WORKSPACE, {"client": 7}, "client"),
        (CREATE_WORKSPACE, {"seats": 3}, "seats"),
        (ASSIGN_ADMIN, {"email": "ada"}, "email"),
        (ASSIGN_ADMIN, {"workspace_id": "acme"}, "workspace_id"),
        (ASSIGN_ADMIN, {"workspace_id": "ws_1/../2"}, "workspace_id"),
        (RESERVE_SEATS, {"quantity": 0}, "quantity"),
        (RESERVE_SEATS, {"quantity": -40}, "quantity"),
        (RESERVE_SEATS, {"quantity": 40.0}, "quantity"),
        (RESERVE_SEATS, {"quantity": "40"}, "quantity"),
        (RESERVE_SEATS, {"quantity": True}, "quantity"),
        (RESERVE_SEATS, {"quantity": 100_001}, "quantity"),
        (RESERVE_SEATS, {"ttl_s": 59}, "ttl_s"),
        (RESERVE_SEATS, {"ttl_s": 86_401}, "ttl_s"),
        (PURCHASE_SEATS, {"amount_minor": 500.0}, "amount_minor"),
        (PURCHASE_SEATS, {"amount_minor": "500"}, "amount_minor"),
        (PURCHASE_SEATS, {"amount_minor": 0}, "amount_minor"),
        (PURCHASE_SEATS, {"amount_minor": -500}, "amount_minor"),
        (PURCHASE_SEATS, {"currency": "USD"}, "currency"),
        (PURCHASE_SEATS, {"currency": "dollars"}, "currency"),
        (PURCHASE_SEATS, {"quantity": 0}, "quantity"),
        (INVITE_MEMBERS, {"emails": []}, "emails"),
        (INVITE_MEMBERS, {"emails": [*FORTY[:27], "not an address", *FORTY[28:]]}, "emails.27"),
        (INVITE_MEMBERS, {"emails": [*FORTY, FORTY[3].upper()]}, "emails"),
        (INVITE_MEMBERS, {"emails": [f"m{number}@acme.test" for number in range(201)]}, "emails"),
        (INVITE_MEMBERS, {"emails": [f"m{number}{'x' * 60}@acme.test" for number in range(100)]}, "emails"),
        (INVITE_MEMBERS, {"emails": "ben@acme.test"}, "emails"),
        (LOOKUP_ACCOUNT, {"client": "../orders"}, "client"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(
    registry: Registry, agent: Agent[Any], tool: Any, change: Any, field: str
):
    args = {**tool.example, **change}
    item = vet(registry, agent, ProposedCall(call_id="1", tool=tool.name, args=args), 0)
    assert isinstance(item, NoItem)
    assert (item.outcome, item.error.message.split(":")[0]) == ("invalid", field)


@pytest.mark.parametrize("tool", WITH_EFFECTS, ids=lambda tool: tool.name)
def test_it_is_proposed_in_words_and_what_is_not_its_own_is_owned(tool: Tool[Any]):
    args = tool.args.model_validate(dict(tool.example))
    assert tool.target(args)
    if tool is not CONFIRM_SEATS:  # a commit half points by the staged key; its other arguments are the staged one's
        carried = {"workspace_id", "reservation_id"} & set(tool.args.model_fields)
        assert carried == set(tool.owned) == set(tool.references)


def test_what_stands_behind_the_pivot_is_never_the_models_to_call(registry: Registry, agent: Agent[Any]):
    for name in ("activate_workspace", "confirm_seats", "refund_seats", "release_seats", "abandon_workspace"):
        item = vet(registry, agent, ProposedCall(call_id="1", tool=name, args={}), 0)
        assert isinstance(item, NoItem)
        assert item.outcome == "denied"


def test_a_proposed_call_brings_its_other_half_and_its_undoing(registry: Registry, agent: Agent[Any]):
    for tool, half, counter in (
        (CREATE_WORKSPACE, "activate_workspace", "abandon_workspace"),
        (RESERVE_SEATS, "confirm_seats", "release_seats"),
    ):
        item = vet(registry, agent, ProposedCall(call_id="1", tool=tool.name, args=dict(tool.example)), 0)
        assert isinstance(item, DraftItem)
        assert item.draft.facts.commits is not None
        assert item.draft.compensation is not None
        assert (item.draft.facts.commits.tool, item.draft.compensation.tool) == (half, counter)
