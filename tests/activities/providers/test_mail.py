"""The mail service's answers told apart: a no, a door that is shut, and silence in all its forms."""

import time

import pytest

from activities.providers.mail import INDEX_LAG_S, PACE
from saga.errors import NotSent, ProviderError, Refused, Unanswered
from tests.activities.outside import KEY, OTHER_KEY, Outside, call
from tests.activities.paying import LETTER, mail, mail_reader
from tests.activities.stub import answering, closed_port, dripping

TAGS = call(LETTER).tags
HTML = "<html><body>Bad Request</body></html>"
NO = '{"statusCode": 422, "name": "validation_error", "message": "No."}'


async def send(outside: Outside, url: str, *, timeout_s: float = 5) -> ProviderError:
    """What becomes of a letter that is sent to that address."""
    with pytest.raises(ProviderError) as error:
        await mail(outside, timeout_s=timeout_s, url=url).send(LETTER.letter, TAGS)
    return error.value


@pytest.mark.parametrize(
    ("status", "body"),
    [
        *((200, body) for body in ("{}", "", "null", "[]", '{"id": ""}', '{"id": 7}', HTML, NO)),
        *((status, HTML) for status in (201, 400, 401, 403, 404, 422, 500, 502)),
        *((status, "{}") for status in (400, 401, 404, 422)),
        *((status, NO) for status in (302, 408, 409, 425, 500, 503)),
    ],
)
async def test_t9_what_is_no_answer_of_the_services_is_unknown(outside: Outside, status: int, body: str):
    kind = "text/html" if body == HTML else "application/json"
    async with answering(status, body, kind) as url:
        assert isinstance(await send(outside, url), Unanswered)


@pytest.mark.parametrize(
    ("status", "kind"), [(400, Refused), (404, Refused), (422, Refused), (401, NotSent), (429, NotSent)]
)
async def test_its_own_no_is_a_refusal_and_a_shut_door_let_nothing_through(outside: Outside, status: int, kind):
    async with answering(status, NO) as url:
        assert isinstance(await send(outside, url), kind)


async def test_nobody_listens_so_nothing_was_sent(outside: Outside):
    assert isinstance(await send(outside, f"http://127.0.0.1:{await closed_port()}"), NotSent)


async def test_the_time_limit_is_one_of_the_whole_request(outside: Outside):
    """T3."""
    began = time.monotonic()
    async with dripping() as url:
        assert isinstance(await send(outside, url, timeout_s=0.4), Unanswered)
    assert time.monotonic() - began < 20


@pytest.mark.parametrize(("token", "status"), [("mail-read", 403), ("nobody", 401)])
async def test_a_token_that_may_not_write_wrote_nothing(outside: Outside, token: str, status: int):
    with pytest.raises(NotSent) as error:
        await mail(outside, token).send(LETTER.letter, TAGS)
    assert (error.value.status, error.value.lasting) == (status, True)
    assert outside.effects() == []


async def test_a_token_that_nobody_knows_sees_no_absence(outside: Outside):
    with pytest.raises(NotSent):
        await mail(outside, "nobody").carrying("log", KEY, since=0)


async def test_all_pages_are_read_oldest_first_and_compared_here(outside: Outside, monkeypatch):
    """T10."""
    monkeypatch.setattr("activities.providers.mail._PAGE", 2)
    outside.arm("mail", "*", "forget_keys:0")
    refs = [await mail(outside).send(LETTER.letter, TAGS) for _ in range(5)]
    await mail(outside).send(LETTER.letter, call(LETTER, OTHER_KEY).tags)
    seen = await mail_reader(outside).carrying("log", KEY, since=time.time())
    assert [each.ref for each in seen] == refs


async def test_a_list_that_does_not_end_is_no_answer(outside: Outside, monkeypatch):
    monkeypatch.setattr("activities.providers.mail._PAGE", 1)
    monkeypatch.setattr("activities.providers.mail._PAGES", 2)
    outside.arm("mail", "*", "forget_keys:0")
    for _ in range(3):
        await mail(outside).send(LETTER.letter, TAGS)
    with pytest.raises(NotSent) as error:
        await mail_reader(outside).carrying("log", KEY, since=0)
    assert error.value.code == "too_many"


@pytest.mark.parametrize("body", ["{}", '{"data": {}}', '{"data": [{}]}', "[]"])
async def test_a_list_that_is_none_is_never_an_absence(outside: Outside, body: str):
    async with answering(200, body) as url:
        with pytest.raises(NotSent):
            await mail(outside, url=url).carrying("log", KEY, since=0)


async def test_a_service_that_names_its_domains_is_proven_by_them(outside: Outside):
    body = '{"data": [], "has_more": false}'
    async with answering(200, body) as url:
        with pytest.raises(NotSent):
            await mail(outside, url=url).carrying("log", KEY, since=0)
    async with answering(200, '{"data": [{"id": "dom_1", "name": "sandbox.test"}], "has_more": false}') as url:
        assert await mail(outside, url=url).carrying("log", KEY, since=0) == []


def test_the_time_limits_are_in_order():
    assert 0 < 4 * PACE.request_s < PACE.attempt_s < PACE.patience_s < 86_400
    assert INDEX_LAG_S > 0
