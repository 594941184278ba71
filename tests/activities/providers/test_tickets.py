"""The Jira provider itself: what it checks before the first ticket, and how it holds its one client."""

import asyncio
from typing import Any

import pytest

from activities.providers.tickets import Desk
from activities.tools.create_ticket import CREATE_TICKET, TicketArgs
from activities.tools.stage_ticket import STAGE_TICKET
from saga.errors import NotSent
from tests.activities.outside import AGENT, CLOUD2, READER, SERVER, Outside, call
from workers.sandbox.tickets_workflow import PROJECTS

ARGS = TicketArgs(order_id="1182", summary="Refund for order 1182")


def paths(outside: Outside) -> list[str]:
    """The last words of what was asked, in order."""
    return [line["path"].rsplit("/", 1)[1] for line in outside.sandbox.world.calls()]


async def test_nothing_is_asked_before_the_first_call_and_the_client_is_made_once(outside: Outside):
    tickets = outside.tickets()
    assert paths(outside) == []
    await asyncio.gather(*(tickets.carrying(each * 32) for each in "abcd"))
    assert paths(outside).count("serverInfo") == 1


async def test_a_second_ticket_costs_a_search_and_a_post(outside: Outside):
    tickets = outside.tickets()
    await CREATE_TICKET.perform(tickets, call(ARGS, "a" * 32))
    before = len(paths(outside))
    await CREATE_TICKET.perform(tickets, call(ARGS, "b" * 32))
    assert paths(outside)[before:] == ["jql", "issue"]


async def test_an_outage_while_the_client_is_made_leaves_nothing_behind(outside: Outside):
    outside.arm("tickets", "read", "before:503")
    tickets = outside.tickets()
    with pytest.raises(NotSent):
        await CREATE_TICKET.perform(tickets, call(ARGS))
    await CREATE_TICKET.perform(tickets, call(ARGS))
    assert len(outside.effects()) == 1


async def test_t3_a_write_that_waited_too_long_for_its_turn_is_not_sent(
    outside: Outside, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("activities.providers.tickets.THREADS", 1)
    tickets = outside.tickets(timeout_s=5)  # so that half a second is too long
    made = await CREATE_TICKET.perform(tickets, call(ARGS))
    ticket = await tickets.read(made.external_ref)
    assert ticket is not None
    outside.arm("tickets", "search", "after:slow:1")
    _, late = await asyncio.gather(tickets.carrying("a" * 32), tickets.mark(ticket, "late"), return_exceptions=True)
    assert isinstance(late, NotSent)
    assert late.code == "busy"
    assert outside.sent("tickets", "PUT") == []


async def test_t28_a_type_that_could_never_be_closed_gets_no_ticket(outside: Outside, monkeypatch: pytest.MonkeyPatch):
    states: Any = PROJECTS["SUP"].transitions
    for name in ("Done", "Closed"):
        monkeypatch.delitem(states, name)
    with pytest.raises(NotSent) as error:
        await CREATE_TICKET.perform(outside.tickets(), call(ARGS))
    assert (error.value.code, error.value.lasting) == ("no_way_to_close", True)
    assert outside.effects() == []


@pytest.mark.parametrize(
    ("desk", "tool", "code"),
    [
        (Desk(issue_type="Epic"), CREATE_TICKET, "no_issue_type"),
        (Desk(draft_type="Epic"), STAGE_TICKET, "no_issue_type"),
        (Desk(draft_status="Hidden"), STAGE_TICKET, "no_draft_state"),
        (Desk(project="NOPE"), CREATE_TICKET, "http_404"),
    ],
)
async def test_a_desk_that_jira_does_not_have_gets_no_ticket(outside: Outside, desk: Desk, tool: Any, code: str):
    with pytest.raises(NotSent) as error:
        await tool.perform(outside.tickets(desk=desk), call(ARGS))
    assert (error.value.code, error.value.lasting) == (code, True)
    assert outside.effects() == []


async def test_another_project_is_another_desk(outside: Outside):
    made = await CREATE_TICKET.perform(outside.tickets(desk=Desk(project="OPS")), call(ARGS))
    assert made.external_ref.startswith("OPS-")


async def test_a_server_takes_a_personal_access_token(outside: Outside):
    tickets = outside.tickets(SERVER, login=("", AGENT[1]))
    assert (await CREATE_TICKET.perform(tickets, call(ARGS))).external_ref
    assert await outside.tickets(SERVER, login=("", READER[1])).carrying("a" * 32)


@pytest.mark.parametrize("reference", ["", "../serverInfo", "SUP-1/transitions", "SUP-1?x=y", "a b"])
async def test_what_is_no_reference_to_a_ticket_is_not_asked_for(outside: Outside, reference: str):
    with pytest.raises(NotSent) as error:
        await outside.tickets().read(reference)
    assert error.value.lasting
    assert paths(outside) == []


async def test_a_ticket_of_that_reference_that_never_was_is_gone(outside: Outside):
    assert await outside.tickets(CLOUD2).read("SUP-404") is None
    assert paths(outside)[-2:] == ["myself", "SUP"]
