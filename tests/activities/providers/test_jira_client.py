"""What the `jira` package must not do behind our back, against a server that answers as no Jira does."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import pytest
import pytest_asyncio
from aiohttp import web

from activities.providers.tickets import Tickets
from saga.errors import NotSent, ProviderError, Unanswered


@dataclass
class Odd:
    """A server that greets like a Jira; `answer` is what it says to everything else."""

    url: str = ""
    answer: web.Response = field(default_factory=web.Response)
    asked: list[str] = field(default_factory=list[str])

    async def handle(self, request: web.Request) -> web.Response:
        if request.path.endswith("/serverInfo"):
            return web.json_response({"versionNumbers": [9, 12, 0], "deploymentType": "Server"})
        self.asked.append(f"{request.method} {request.path}")
        return self.answer


@pytest_asyncio.fixture
async def odd() -> AsyncIterator[Odd]:
    server = Odd()
    app = web.Application()
    app.router.add_route("*", "/{tail:.*}", server.handle)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    server.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    yield server
    await runner.cleanup()


@pytest_asyncio.fixture
async def tickets(odd: Odd) -> AsyncIterator[Tickets]:
    made = Tickets(url=odd.url, user="a", token="b", timeout_s=2)
    yield made
    await made.close()


async def create(tickets: Tickets) -> None:
    await tickets.create(draft=False, summary="x", description="", labels=["saga"], priority=None)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_no_redirect_is_followed(odd: Odd, tickets: Tickets, status: int):
    odd.answer = web.Response(status=status, headers={"Location": "/elsewhere"})
    with pytest.raises(Unanswered):
        await create(tickets)
    assert odd.asked == ["POST /rest/api/2/issue"]


@pytest.mark.parametrize(
    ("status", "headers"),
    [
        (429, {"Retry-After": "Fri, 27 Nov 2026 10:00:00 GMT"}),
        (429, {}),
        (503, {"Retry-After": "1"}),
        (503, {}),
        (500, {}),
    ],
)
async def test_t7_t15_no_answer_makes_it_ask_twice(odd: Odd, tickets: Tickets, status: int, headers: dict[str, str]):
    odd.answer = web.Response(status=status, headers=headers)
    with pytest.raises(ProviderError):
        await create(tickets)
    assert odd.asked == ["POST /rest/api/2/issue"]


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410])
async def test_a_no_in_nobodys_format_is_no_refusal(odd: Odd, tickets: Tickets, status: int):
    """T8."""
    for body in ("<html>no</html>", "{}", '{"error": "no"}', "[]", ""):
        odd.answer = web.Response(status=status, text=body)
        with pytest.raises(Unanswered):
            await create(tickets)


@pytest.mark.parametrize("status", [401, 403])
async def test_atlassians_login_filter_is_believed(odd: Odd, tickets: Tickets, status: int):
    odd.answer = web.Response(status=status, text="<html>", headers={"X-Seraph-LoginReason": "AUTHENTICATED_FAILED"})
    with pytest.raises(NotSent) as error:
        await create(tickets)
    assert error.value.lasting


@pytest.mark.parametrize("body", ["{}", "[]", "7", '"SUP-1"', '{"key": 7, "id": "1"}', '{"key": "SUP-1"}', "null"])
async def test_t9_an_answer_without_a_key_and_an_id_is_none(odd: Odd, tickets: Tickets, body: str):
    odd.answer = web.Response(status=201, text=body, content_type="application/json")
    with pytest.raises(Unanswered):
        await create(tickets)


@pytest.mark.parametrize(
    "body", ["", "{}", "[]", "null", '{"issues": null}', '{"issues": [{}]}', '{"issues": [], "tot']
)
async def test_a_search_without_its_list_is_an_error_and_no_absence(odd: Odd, tickets: Tickets, body: str):
    odd.answer = web.Response(status=200, text=body, content_type="application/json")
    with pytest.raises(NotSent):
        await tickets.carrying("a" * 32, proven=False)
