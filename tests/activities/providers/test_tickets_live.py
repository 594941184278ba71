"""The Jira provider against a real Jira: a ticket is opened, found by its key, closed with a reason, found closed.

Needs SAGA_JIRA_URL, SAGA_JIRA_TOKEN (and _USER on Cloud), their _READ_ twins, and SAGA_JIRA_PROJECT of a project that
may have one more closed ticket.
"""

import asyncio
import uuid
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from activities.providers.tickets import INDEX_LAG_S, Desk, Tickets
from activities.tools.create_ticket import CREATE_TICKET, TicketArgs
from compensations.close_ticket import CLOSE_TICKET, CloseArgs
from tests.activities.outside import call, look
from workers.settings_providers import Jira

pytestmark = [
    pytest.mark.live,
    pytest.mark.timeout(2 * INDEX_LAG_S),  # the index may take this long to show the ticket, and does at times
    pytest.mark.skipif(not Jira().real, reason="no test Jira: SAGA_JIRA_URL is not set"),
]


@pytest_asyncio.fixture
async def jiras() -> AsyncIterator[tuple[Tickets, Tickets]]:
    """One that writes, one that reads."""
    made = [_jira(write=True), _jira(write=False)]
    yield made[0], made[1]
    for each in made:
        await each.close()


def _jira(*, write: bool) -> Tickets:
    arguments: dict[str, Any] = Jira().arguments("", write=write)
    desk = Desk(**arguments.pop("desk"))
    return Tickets(**arguments, desk=desk, timeout_s=20)


async def test_opened_found_closed_and_found_closed(jiras: tuple[Tickets, Tickets]):
    writer, reader = jiras
    key, undo = uuid.uuid4().hex, uuid.uuid4().hex
    half = call(TicketArgs(order_id="0", summary="A test of agent-sagas; closed by itself"), key)
    made = await CREATE_TICKET.perform(writer, half)
    closing = call(CloseArgs(ticket_key=key, reason="Only a test."), undo, ref=made.external_ref, result=made.result)
    try:
        seen = []
        for _ in range(int(INDEX_LAG_S / 2)):
            seen = seen or await look(CREATE_TICKET, reader, half)
            await asyncio.sleep(0 if seen else 2)
        assert [each.external_ref for each in seen] == [made.external_ref]
    finally:
        await CLOSE_TICKET.perform(writer, closing)
    assert len(await look(CLOSE_TICKET, reader, closing)) == 1
