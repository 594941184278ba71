"""Every fault of the contract as it looks on the wire, from a client that knows no service."""

import asyncio
import json
import socket
from email.utils import parsedate_to_datetime

import httpx
import pytest

from tests.sandbox.paying import arm

FORM = {"amount": "4900", "currency": "eur", "payment_method": "pm_card_visa", "confirm": "true"}
PATHS = {
    "payments": "/v1/payment_intents/pi_order_1182",
    "tickets": "/jira/rest/api/3/myself",
    "mail": "/mail/messages",
    "warehouse": "/warehouse/stock/LAMP-02",
    "orders": "/orders/1182",
    "sms": "/sms/v1/verifications",
    "webhooks": "/webhooks/acme",
}


async def charge(raw, key=None, **fields):
    headers = {"Idempotency-Key": key} if key else {}
    return await raw.post("/v1/payment_intents", data={**FORM, **fields}, headers=headers)


def done(sandbox):
    return len(sandbox.world.effects())


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 409, 429, 500, 503])
async def test_a_refusal_is_a_proper_error_and_nothing_is_done(sandbox, raw, status):
    arm(sandbox, f"refuse:{status}")
    answer = await charge(raw)
    assert (answer.status_code, done(sandbox)) == (status, 0)
    assert answer.json()["error"]["type"]
    assert (await charge(raw)).status_code == 200


@pytest.mark.parametrize("system", PATHS)
async def test_every_system_refuses_in_its_own_format(sandbox, raw, system):
    for fault, status in (("refuse:400", 400), ("in_use", 409), ("429:7", 429), ("outage:60", 503)):
        arm(sandbox, fault, "*", system)
        answer = await raw.get(PATHS[system])
        assert answer.status_code == status
        assert isinstance(json.loads(answer.text), dict)
    assert (await raw.get(PATHS[system])).status_code == 503
    others = [await raw.get(path) for name, path in PATHS.items() if name != system]
    assert 503 not in {answer.status_code for answer in others}


@pytest.mark.parametrize(
    ("fault", "effects"), [("before:504", 0), ("after:502", 1), ("after:503", 1), ("after:504", 1)]
)
async def test_a_gateway_answers_in_html_before_or_after_the_deed(sandbox, raw, fault, effects):
    arm(sandbox, fault)
    answer = await charge(raw)
    assert answer.status_code == int(fault[-3:])
    assert answer.headers["Content-Type"].startswith("text/html")
    assert done(sandbox) == effects


@pytest.mark.parametrize(("fault", "effects"), [("before:reset", 0), ("after:reset", 1)])
async def test_a_reset_is_a_real_one(sandbox, fault, effects):
    arm(sandbox, fault)
    body = "&".join(f"{name}={value}" for name, value in FORM.items())
    request = (
        "POST /v1/payment_intents HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sk_test_sandbox\r\n"
        "Content-Type: application/x-www-form-urlencoded\r\n"
        f"Content-Length: {len(body)}\r\n\r\n{body}"
    )
    host, port = sandbox.url.removeprefix("http://").split(":")

    def send():
        with socket.create_connection((host, int(port)), timeout=10) as client:
            client.sendall(request.encode())
            return client.recv(1000)

    with pytest.raises(ConnectionResetError):
        await asyncio.to_thread(send)
    assert done(sandbox) == effects
    assert sandbox.world.calls()[0]["status"] is None


async def test_a_truncated_answer_breaks_off(sandbox, raw):
    arm(sandbox, "after:truncate")
    with pytest.raises(httpx.RemoteProtocolError):
        await charge(raw)
    assert done(sandbox) == 1


@pytest.mark.parametrize(("fault", "status", "text"), [("after:blank200", 200, ""), ("after:204", 204, "")])
async def test_an_answer_may_be_empty(sandbox, raw, fault, status, text):
    arm(sandbox, fault)
    answer = await charge(raw)
    assert (answer.status_code, answer.text, done(sandbox)) == (status, text, 1)


async def test_an_answer_may_be_a_page(sandbox, raw):
    arm(sandbox, "after:html200")
    answer = await charge(raw)
    assert (answer.status_code, answer.headers["Content-Type"][:9], done(sandbox)) == (200, "text/html", 1)
    assert answer.text.startswith("<html>")


async def test_a_slow_answer_is_committed_first_and_a_client_that_leaves_changes_nothing(sandbox, raw):
    arm(sandbox, "after:slow:30")
    with pytest.raises(httpx.ReadTimeout):
        await raw.post("/v1/payment_intents", data=FORM, headers={"Idempotency-Key": "k"}, timeout=0.3)
    assert done(sandbox) == 1
    [line] = sandbox.world.calls()
    assert (line["fault"], line["status"]) == ("after:slow:30", 200)
    again = await charge(raw, "k")
    assert again.headers["Idempotent-Replayed"] == "true"
    assert done(sandbox) == 1


async def test_a_slow_answer_comes_in_the_end(sandbox, raw):
    arm(sandbox, "after:slow:0.2")
    assert (await charge(raw)).json()["status"] == "succeeded"


async def test_in_use_is_a_conflict_and_nothing_is_done(sandbox, raw):
    arm(sandbox, "in_use")
    answer = await charge(raw, "k")
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "idempotency_key_in_use")
    assert done(sandbox) == 0
    assert (await charge(raw, "k")).status_code == 200


async def test_the_rate_limit_says_when_in_either_form(sandbox, raw):
    sandbox.world.set_clock(2_000_000_000, frozen=True)
    date = "Wed, 18 May 2033 03:33:22 GMT"
    for fault, expected in (("429:7", "7"), ("429:date", date), (f"429:{date}", date)):
        arm(sandbox, fault)
        answer = await charge(raw)
        assert (answer.status_code, answer.headers["Retry-After"]) == (429, expected)
    assert parsedate_to_datetime(date).timestamp() == 2_000_000_002
    assert done(sandbox) == 0


async def test_a_duplicate_is_delivered_twice(sandbox, raw):
    arm(sandbox, "duplicate", times=2)
    await charge(raw)
    assert done(sandbox) == 2
    assert len(sandbox.world.calls()) == 2
    answer = await charge(raw, "k")
    assert answer.headers["Idempotent-Replayed"] == "true"
    assert done(sandbox) == 3


async def test_a_search_lags_until_the_clock_has_gone_on(sandbox, raw):
    arm(sandbox, "lag:60", "search")
    await charge(raw, **{"metadata[saga_key]": "k"})

    async def found():
        query = {"query": "metadata['saga_key']:'k'"}
        return len((await raw.get("/v1/payment_intents/search", params=query)).json()["data"])

    assert await found() == 0
    assert len((await raw.get("/v1/payment_intents")).json()["data"]) == 10, "lists do not lag"
    sandbox.world.advance(61)
    assert await found() == 1


async def test_forgotten_keys_let_the_same_request_act_again(sandbox, raw):
    first = await charge(raw, "k")
    arm(sandbox, "forget_keys:30", "*")
    assert (await charge(raw, "k")).json()["id"] == first.json()["id"]
    sandbox.world.advance(31)
    assert (await charge(raw, "k")).json()["id"] != first.json()["id"]
    assert done(sandbox) == 2


async def test_blind_lists_and_searches_find_nothing_and_say_200(sandbox, raw):
    arm(sandbox, "blind", "*")
    for path in ("/v1/payment_intents", "/v1/payment_intents/search?query=amount>0", "/v1/charges", "/v1/refunds"):
        answer = await raw.get(path)
        assert (answer.status_code, answer.json()["data"], answer.json()["has_more"]) == (200, [], False)
    assert (await raw.get("/v1/payment_intents/pi_order_1182")).status_code == 200
    await raw.delete("/world/faults")
    assert (await raw.get("/v1/payment_intents")).json()["data"]


async def test_an_outage_ends_by_the_worlds_clock(sandbox, raw):
    arm(sandbox, "outage:60", "*", after_s=10)
    assert (await charge(raw)).status_code == 200
    sandbox.world.advance(11)
    assert (await charge(raw)).status_code == 503
    assert (await raw.get("/v1/payment_intents")).status_code == 503
    sandbox.world.advance(60)
    assert (await charge(raw)).status_code == 200
    assert done(sandbox) == 2
    assert sandbox.faults.armed() == []


async def test_two_requests_with_one_key_at_one_moment_conflict(sandbox, raw):
    sandbox.running_s = 0.2
    answers = await asyncio.gather(charge(raw, "k"), charge(raw, "k"), charge(raw, "k"))
    assert sorted(answer.status_code for answer in answers) == [200, 409, 409]
    assert done(sandbox) == 1
    assert (await charge(raw, "k")).headers["Idempotent-Replayed"] == "true"


async def test_an_unknown_path_is_the_systems_own_404(sandbox, raw):
    answer = await raw.get("/v1/teapots")
    assert (answer.status_code, answer.json()["error"]["type"]) == (404, "invalid_request_error")


async def test_a_capture_struck_by_run_needs_no_metadata(sandbox, raw):
    held = await charge(raw, capture_method="manual", **{"metadata[saga_run]": "run-1"})
    arm(sandbox, "after:504", "cancel", run="run-1")
    other = await charge(raw, capture_method="manual", **{"metadata[saga_run]": "run-2"})
    assert (await raw.post(f"/v1/payment_intents/{other.json()['id']}/cancel")).status_code == 200
    assert (await raw.post(f"/v1/payment_intents/{held.json()['id']}/cancel")).status_code == 504
