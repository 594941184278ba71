"""A customer's endpoint: what its answers mean, what it is sent, and where nothing goes."""

import gzip
import time

import pytest
from standardwebhooks.webhooks import Webhook

from activities.providers.webhooks import KEY_LIFE_S, PACE
from saga.errors import NotSent, ProviderError, Refused, Unanswered
from tests.activities.outside import EXECUTION, KEY, RUN, Outside, call
from tests.activities.stub import answering, closed_port, dripping, talking
from tests.activities.telling import NEWS, OTHER_SECRET, got, pointed, webhooks
from workers.sandbox.webhooks import SECRET

TAGS = call(NEWS).tags
EVENT, DATA = "workspace.activated", NEWS.data
PAGES = ("<!DOCTYPE html><html><p>This domain is for sale", "\n <HTML lang=en><form>Sign in", "<!doctype HTML>")


async def deliver(outside: Outside, url: str, *, timeout_s: float = 5) -> ProviderError | None:
    """What becomes of an event that is sent to that address; None: delivered."""
    try:
        await pointed(outside, url, timeout_s=timeout_s).deliver("acme", EVENT, DATA, TAGS)
    except ProviderError as error:
        return error
    return None


@pytest.mark.parametrize("status", [200, 201, 202, 204])
@pytest.mark.parametrize("body", ["", "ok", "{}", "null", '{"error": "none"}', "<ok/>"])
async def test_any_2xx_is_delivered_whatever_a_program_says_with_it(outside: Outside, status: int, body: str):
    """`return "ok"` goes out as text/html in most frameworks."""
    async with answering(status, "" if status == 204 else body, "text/html; charset=utf-8") as url:
        assert await deliver(outside, url) is None


@pytest.mark.parametrize("body", PAGES)
async def test_t9_a_page_for_people_is_no_receivers_answer(outside: Outside, body: str):
    async with answering(200, body) as url:
        assert isinstance(await deliver(outside, url), Unanswered)


@pytest.mark.parametrize(
    ("status", "code"),
    [
        *((410, "gone"), (301, "moved"), (307, "moved"), (308, "moved")),
        *((400, "http_400"), (404, "http_404"), (413, "http_413"), (422, "http_422")),
    ],
)
async def test_what_was_not_taken_is_a_no(outside: Outside, status: int, code: str):
    async with answering(status, "no", more="Location: http://127.0.0.1:1/\r\n") as url:
        problem = await deliver(outside, url)
    assert isinstance(problem, Refused)
    assert (problem.code, problem.status, problem.remembered) == (code, status, False)


@pytest.mark.parametrize("status", [302, 303, 304, 408, 409, 425, 500, 502, 503, 504])
async def test_what_may_have_been_taken_is_unknown(outside: Outside, status: int):
    async with answering(status, "", more="Location: http://127.0.0.1:1/\r\n") as url:
        assert isinstance(await deliver(outside, url), Unanswered)


@pytest.mark.parametrize(("status", "lasting"), [(401, True), (403, True), (429, False)])
async def test_a_shut_door_let_nothing_through(outside: Outside, status: int, lasting: bool):
    async with answering(status, "", more="Retry-After: 7\r\n") as url:
        problem = await deliver(outside, url)
    assert isinstance(problem, NotSent)
    assert (problem.lasting, problem.retry_after_s) == (lasting, None if lasting else 7)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_no_answer_leads_a_request_elsewhere(outside: Outside, status: int):
    """Another endpoint, which the first one names, is told nothing."""
    elsewhere = f"{outside.sandbox.url}/webhooks/globex"
    async with answering(status, "", more=f"Location: {elsewhere}\r\n") as url:
        assert await deliver(outside, url) is not None
    assert (await got(outside, "globex"), outside.sandbox.world.calls()[:-1]) == ([], [])


async def test_nobody_listens_so_nothing_was_sent(outside: Outside):
    assert isinstance(await deliver(outside, f"http://127.0.0.1:{await closed_port()}"), NotSent)


async def test_a_line_that_ends_without_an_answer_is_unknown(outside: Outside):
    async def hang_up(reader, _writer):
        await reader.readuntil(b"\r\n\r\n")

    async with talking(hang_up) as port:
        assert isinstance(await deliver(outside, f"http://127.0.0.1:{port}"), Unanswered)


async def test_the_time_limit_is_one_of_the_whole_request(outside: Outside):
    """T3."""
    began = time.monotonic()
    async with dripping() as url:
        assert isinstance(await deliver(outside, url, timeout_s=0.4), Unanswered)
    assert time.monotonic() - began < 20


async def test_an_answer_without_end_is_not_read(outside: Outside):
    """A stranger's answer takes neither our memory nor our time."""
    flood, sent = b"x" * 65_536, [0]

    async def pour(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")
        for _ in range(1_000):
            writer.write(flood)
            await writer.drain()
            sent[0] += len(flood)

    async with talking(pour) as port:
        assert await deliver(outside, f"http://127.0.0.1:{port}") is None
    assert sent[0] < 1_000 * len(flood)


async def test_a_packed_answer_is_not_unpacked(outside: Outside):
    packed = gzip.compress(b"<html>" + b" " * 100_000).decode("latin-1")
    async with answering(200, packed, more="Content-Encoding: gzip\r\n") as url:
        assert await deliver(outside, url) is None


async def test_what_an_endpoint_says_in_words_is_not_kept(outside: Outside):
    """T37."""
    for status in (200, 302, 400, 401, 410, 429, 500):
        async with answering(status, "<html>s3cret", more="Set-Cookie: s3cret\r\nLocation: /s3cret\r\n") as url:
            problem = await deliver(outside, url)
        assert problem is not None
        assert "s3cret" not in repr(vars(problem)) + str(problem)
        assert url not in repr(vars(problem)) + str(problem)


async def test_id_and_body_are_the_same_at_every_attempt_and_the_signature_is_the_attempts_own(
    outside: Outside, monkeypatch
):
    outside.arm("webhooks", "send", "after:504", times=2)
    for later_s in (0, 100, 200):
        now = 1_800_000_000.0 + later_s
        monkeypatch.setattr("activities.providers.webhooks.time.time", lambda now=now: now)
        try:
            await webhooks(outside).deliver("acme", EVENT, DATA, TAGS)
        except Unanswered:
            continue
    requests = await got(outside)
    assert {(each["webhook_id"], each["body"]) for each in requests} == {
        (KEY, '{"data":{"client":"acme","workspace_id":"ws_1"},"type":"workspace.activated"}')
    }
    assert [each["timestamp"] for each in requests] == ["1800000000", "1800000100", "1800000200"]
    assert [each["dropped"] for each in requests] == [False, True, True]
    assert len(outside.effects("webhook.send")) == 1


async def test_a_receiver_with_the_specifications_own_library_takes_it(outside: Outside):
    heard: list[bytes] = []

    async def listen(reader, writer):
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(line for line in head.split(b"\r\n") if line.lower().startswith(b"content-length"))
        heard.extend((head, await reader.readexactly(int(length.split(b":")[1]))))
        writer.write(b"HTTP/1.1 204 No Content\r\n\r\n")
        await writer.drain()

    async with talking(listen) as port:
        assert await deliver(outside, f"http://127.0.0.1:{port}/in?token=1") is None
    head, body = heard
    lines = [line.split(": ", 1) for line in head.decode().split("\r\n")[1:] if line]
    headers = {name.lower(): value for name, value in lines}
    assert Webhook(SECRET).verify(body, headers) == {"type": EVENT, "data": DATA}
    assert (headers["x-saga-run"], headers["x-saga-execution"]) == (RUN, EXECUTION)
    assert head.startswith(b"POST /in?token=1 HTTP/1.1")
    assert "authorization" not in headers


async def test_each_client_has_an_address_and_a_secret_of_their_own(outside: Outside):
    base = f"{outside.sandbox.url}/webhooks"
    endpoints = {
        "acme": {"url": f"{base}/globex", "secret": SECRET},
        "globex": {"url": f"{base}/acme", "secret": OTHER_SECRET},
    }
    provider = webhooks(outside, endpoints=endpoints)
    await provider.deliver("acme", EVENT, DATA, TAGS)
    with pytest.raises(NotSent):
        await provider.deliver("globex", EVENT, DATA, TAGS)
    assert ([each["client"] for each in await got(outside, "globex")], await got(outside)) == (["globex"], [])


async def test_a_client_without_an_endpoint_is_refused_and_nothing_is_sent(outside: Outside):
    provider = webhooks(outside, endpoints={})
    assert provider.endpoint("acme") is None
    with pytest.raises(Refused) as refused:
        await provider.deliver("acme", EVENT, DATA, TAGS)
    assert (refused.value.code, outside.sandbox.world.calls()) == ("no_endpoint", [])


def test_a_secret_is_not_printed(outside: Outside):
    assert SECRET not in repr(webhooks(outside).endpoint("acme"))


def test_the_time_limits_are_in_order_and_no_attempt_begins_after_the_key_is_forgotten():
    assert 0 < PACE.request_s < PACE.attempt_s < PACE.patience_s < KEY_LIFE_S
