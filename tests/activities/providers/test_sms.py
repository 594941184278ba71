"""The verification service's answers told apart, and its lists read to the end."""

import json

import pytest

from activities.providers.sms import INDEX_LAG_S, PACE
from saga.errors import NotSent, ProviderError, Refused, Unanswered
from tests.activities.outside import KEY, OTHER_KEY, Outside, call
from tests.activities.stub import answering, closed_port, dripping
from tests.activities.telling import CODE, sms

TAGS = call(CODE).tags
HTML = "<html><body>Bad Request</body></html>"
NO = '{"error": {"code": "invalid_request", "message": "No."}}'
WHOLE = {"id": "ver_1", "to": "+4915112345678", "purpose": "sign_in", "state": "sent", "code": "4711"}


async def send(outside: Outside, url: str, *, timeout_s: float = 5) -> ProviderError:
    """What becomes of a code that is asked for at that address."""
    with pytest.raises(ProviderError) as error:
        await sms(outside, timeout_s=timeout_s, url=url).send(TAGS, to=CODE.phone, purpose=CODE.purpose)
    return error.value


@pytest.mark.parametrize(
    ("status", "body"),
    [
        *((200, body) for body in ("{}", "", "null", "[]", '{"id": "ver_1"}', HTML, NO)),
        *((200, json.dumps({**WHOLE, name: 7})) for name in ("id", "to", "purpose", "state")),
        *((status, HTML) for status in (201, 400, 401, 404, 422, 500)),
        *((status, NO) for status in (302, 408, 409, 425, 500, 503)),
    ],
)
async def test_t9_what_is_no_answer_of_the_services_is_unknown(outside: Outside, status: int, body: str):
    async with answering(status, body) as url:
        assert isinstance(await send(outside, url), Unanswered)


@pytest.mark.parametrize(("status", "kind"), [(400, Refused), (422, Refused), (401, NotSent), (429, NotSent)])
async def test_its_own_no_is_a_refusal_and_a_shut_door_let_nothing_through(outside: Outside, status: int, kind):
    async with answering(status, NO) as url:
        assert isinstance(await send(outside, url), kind)


async def test_nobody_listens_so_nothing_was_sent(outside: Outside):
    assert isinstance(await send(outside, f"http://127.0.0.1:{await closed_port()}"), NotSent)


async def test_the_time_limit_is_one_of_the_whole_request(outside: Outside):
    """T3."""
    async with dripping() as url:
        assert isinstance(await send(outside, url, timeout_s=0.4), Unanswered)


async def test_a_code_that_a_service_should_let_slip_is_not_kept(outside: Outside):
    async with answering(201, json.dumps(WHOLE)) as url:
        made = await sms(outside, url=url).send(TAGS, to=CODE.phone, purpose=CODE.purpose)
    assert "4711" not in repr(made) + made.receipt().model_dump_json()


@pytest.mark.parametrize(("token", "status"), [("sms-read", 403), ("nobody", 401)])
async def test_a_token_that_may_not_write_sent_nothing(outside: Outside, token: str, status: int):
    with pytest.raises(NotSent) as error:
        await sms(outside, token).send(TAGS, to=CODE.phone, purpose=CODE.purpose)
    assert (error.value.status, error.value.lasting) == (status, True)
    assert outside.effects() == []


async def test_a_token_that_nobody_knows_sees_no_absence(outside: Outside):
    with pytest.raises(NotSent):
        await sms(outside, "nobody").verifications(KEY)


async def test_all_pages_are_read_and_compared_here(outside: Outside, monkeypatch):
    """T10: a service that ignores the filter still tells the truth."""
    monkeypatch.setattr("activities.providers.sms._PAGE", 2)
    made = [
        await sms(outside).send(call(CODE, f"{n:032x}").tags, to=CODE.phone, purpose=CODE.purpose) for n in range(3)
    ]
    seen = await sms(outside, "sms-read").verifications(f"{1:032x}")
    assert [each.id for each in seen] == [made[1].id]


async def test_pages_are_followed_to_the_last_and_others_left_out(outside: Outside, monkeypatch):
    monkeypatch.setattr("activities.providers.sms._PAGES", 2)
    page = {"data": [{**WHOLE, "saga_key": KEY}, {**WHOLE, "id": "ver_2", "saga_key": OTHER_KEY}], "next_cursor": None}
    async with answering(200, json.dumps(page)) as url:
        assert [each.id for each in await sms(outside, url=url).verifications(KEY)] == ["ver_1"]
    async with answering(200, json.dumps({**page, "next_cursor": "1"})) as url:
        with pytest.raises(NotSent) as error:
            await sms(outside, url=url).verifications(KEY)
    assert error.value.code == "too_many"


@pytest.mark.parametrize("body", ["{}", '{"data": {}}', "[]", f'{{"data": [{{"saga_key": "{KEY}"}}]}}'])
async def test_a_list_that_is_none_is_never_an_absence(outside: Outside, body: str):
    async with answering(200, body) as url:
        with pytest.raises(NotSent):
            await sms(outside, url=url).verifications(KEY)


def test_the_time_limits_are_in_order():
    assert 0 < PACE.request_s < PACE.attempt_s < PACE.patience_s
    assert INDEX_LAG_S > 0
