"""Stripe's answers told apart: a no, a door that is shut, and silence in all its forms."""

import time

import pytest

from activities.providers.payments import INDEX_LAG_S, PACE, UNDO_PACE
from saga.errors import NotSent, ProviderError, Refused, Unanswered
from tests.activities.outside import EXECUTION, KEY, RUN, Outside, call
from tests.activities.paying import PAYMENT, payments, reader
from tests.activities.stub import answering, closed_port, dripping

TAGS = call(PAYMENT).tags
HTML = "<html><body>Bad Request</body></html>"
NO = '{"error": {"type": "invalid_request_error", "message": "No."}}'


async def pay(outside: Outside, url: str, *, timeout_s: float = 5) -> ProviderError:
    """What becomes of a charge that is sent to that address."""
    with pytest.raises(ProviderError) as error:
        await payments(outside, timeout_s=timeout_s, url=url).pay(PAYMENT, TAGS, capture="automatic")
    return error.value


@pytest.mark.parametrize(
    ("status", "body"),
    [
        *((200, body) for body in ("{}", "", "null", "[]", '"yes"', '{"id": ""}', '{"id": "pi_1"}', HTML, NO)),
        *((status, HTML) for status in (201, 400, 401, 402, 403, 404, 500, 502)),
        *((status, "{}") for status in (400, 401, 402, 404)),
        (400, '{"error": "no"}'),
        (400, '{"error": {"message": "not in the format"}}'),
        *((status, NO) for status in (302, 408, 409, 424, 425, 500, 503)),
    ],
)
async def test_t8_t9_what_is_no_answer_of_stripes_is_unknown(outside: Outside, status: int, body: str):
    kind = "text/html" if body == HTML else "application/json"
    async with answering(status, body, kind) as url:
        assert isinstance(await pay(outside, url), Unanswered)


@pytest.mark.parametrize(("status", "lasting"), [(401, True), (403, True), (429, False)])
async def test_a_door_that_is_shut_let_nothing_through(outside: Outside, status: int, lasting: bool):
    async with answering(status, NO) as url:
        problem = await pay(outside, url)
    assert isinstance(problem, NotSent)
    assert problem.lasting is lasting


async def test_t15_a_429_of_a_gateway_is_one_too(outside: Outside):
    async with answering(429, HTML, "text/html") as url:
        assert isinstance(await pay(outside, url), NotSent)


async def test_a_rate_limit_in_its_old_form_is_one_too(outside: Outside):
    body = '{"error": {"type": "invalid_request_error", "code": "rate_limit", "message": "Slower."}}'
    async with answering(400, body, more="Retry-After: 4\r\n") as url:
        problem = await pay(outside, url)
    assert isinstance(problem, NotSent)
    assert problem.retry_after_s == 4


@pytest.mark.parametrize(("more", "kept"), [("", False), ("Idempotent-Replayed: true\r\n", True)])
async def test_t14_a_no_that_is_replayed_is_kept_under_the_key(outside: Outside, more: str, kept: bool):
    async with answering(400, NO, more=more) as url:
        problem = await pay(outside, url)
    assert isinstance(problem, Refused)
    assert problem.remembered is kept


async def test_nobody_listens_so_nothing_was_sent(outside: Outside):
    problem = await pay(outside, f"http://127.0.0.1:{await closed_port()}")
    assert isinstance(problem, NotSent)
    assert not problem.lasting


async def test_t3_the_time_limit_is_one_of_the_whole_request(outside: Outside):
    began = time.monotonic()
    async with dripping() as url:
        assert isinstance(await pay(outside, url, timeout_s=0.4), Unanswered)
    assert time.monotonic() - began < 20


@pytest.mark.parametrize("fault", ["after:503", "after:reset", "429:1", "in_use"])
async def test_t3_the_package_sends_nothing_again_by_itself(outside: Outside, fault: str):
    outside.arm("payments", "create", fault)
    with pytest.raises(ProviderError):
        await payments(outside).pay(PAYMENT, TAGS, capture="automatic")
    assert len(outside.sent("payments")) == 1


async def test_t37_an_error_says_nothing_of_keys_headers_or_bodies(outside: Outside):
    said = '{"error": {"type": "invalid_request_error", "message": "Invalid API Key provided: sk_live_***1234"}}'
    async with answering(401, said) as url:
        problem = await pay(outside, url)
    assert "sk_" not in str(problem)
    async with answering(502, HTML + "set-cookie: secret", "text/html") as url:
        problem = await pay(outside, url)
    assert "secret" not in str(problem)
    async with answering(400, NO.replace("No.", "x" * 5_000)) as url:
        assert len(str(await pay(outside, url))) < 400


@pytest.mark.parametrize(("key", "status"), [("rk_test_sandbox", 403), ("sk_test_nobody", 401)])
async def test_a_key_that_may_not_write_wrote_nothing(outside: Outside, key: str, status: int):
    with pytest.raises(NotSent) as error:
        await payments(outside, key).pay(PAYMENT, TAGS, capture="automatic")
    assert (error.value.status, error.value.lasting) == (status, True)
    assert outside.effects() == []


async def test_a_key_that_nobody_knows_sees_no_absence(outside: Outside):
    with pytest.raises(NotSent):
        await payments(outside, "sk_test_nobody").intents(since=0)


async def test_t10_all_pages_are_read_oldest_first(outside: Outside, monkeypatch):
    monkeypatch.setattr("activities.providers.payments._PAGE", 2)
    refs = [
        (await payments(outside).pay(PAYMENT, call(PAYMENT, str(n) * 32).tags, capture="automatic")).ref
        for n in range(5)
    ]
    seen = await reader(outside).intents(since=time.time(), customer_id="cus_1182")
    assert [each.ref for each in seen] == refs


async def test_a_list_that_does_not_end_is_no_answer(outside: Outside, monkeypatch):
    monkeypatch.setattr("activities.providers.payments._PAGE", 1)
    monkeypatch.setattr("activities.providers.payments._PAGES", 2)
    with pytest.raises(NotSent) as error:
        await reader(outside).intents(since=0)
    assert error.value.code == "too_many"


@pytest.mark.parametrize("body", ["{}", '{"data": {}}', '{"data": [], "has_more": true}', '{"data": [{}]}', "[]"])
async def test_a_list_that_is_none_is_never_an_absence(outside: Outside, body: str):
    async with answering(200, body) as url:
        with pytest.raises(NotSent):
            await payments(outside, url=url).intents(since=0)


async def test_the_window_begins_a_little_before_the_step(outside: Outside):
    outside.advance(-200)
    early = await payments(outside).pay(PAYMENT, TAGS, capture="automatic")
    outside.advance(200)
    assert [each.ref for each in await reader(outside).intents(since=time.time())] == [early.ref]
    assert "pi_order_1182" in [each.ref for each in await reader(outside).intents(since=0)]


async def test_whose_it_is_stands_in_the_metadata_and_in_nothing_else(outside: Outside):
    intent = await payments(outside).pay(PAYMENT, TAGS, capture="automatic")
    assert dict(intent.marks) == {
        "saga_key": KEY,
        "saga_run": RUN,
        "saga_step": "0",
        "saga_execution": EXECUTION,
        "order_id": "1182",
        "reason": "sent again",
    }


def test_the_time_limits_are_in_order():
    for pace, requests in ((PACE, 2), (UNDO_PACE, 4)):
        assert 0 < requests * pace.request_s < pace.attempt_s < pace.patience_s < 86_400
    assert INDEX_LAG_S > 0
