"""Mail over HTTP: keys, drafts, the send log, and what each leaves in the world."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
import pytest_asyncio

from workers.sandbox.app import Sandbox
from workers.sandbox.faults import FaultPlan

KEY, OTHER_KEY = "a" * 32, "b" * 32
SAGA = {"X-Saga-Key": KEY, "X-Saga-Run": "run-7", "X-Saga-Execution": "0a1b2c3d4e5f"}
LETTER: dict[str, Any] = {
    "from": "Support <support@sandbox.test>",
    "to": ["mara.lindqvist@customers.test"],
    "subject": "Your order 1182",
    "text": "A new lamp is on its way.",
    "headers": SAGA,
}


@pytest_asyncio.fixture
async def mail(sandbox: Sandbox) -> AsyncIterator[httpx.AsyncClient]:
    headers = {"Authorization": "Bearer mail-write"}
    async with httpx.AsyncClient(base_url=f"{sandbox.url}/mail", headers=headers) as client:
        yield client


async def _send(mail: httpx.AsyncClient, key: str | None = KEY, **changes: Any) -> httpx.Response:
    headers = {"Idempotency-Key": key} if key is not None else {}
    return await mail.post("/emails", json={**LETTER, **changes}, headers=headers)


async def _draft(mail: httpx.AsyncClient, **changes: Any) -> str:
    response = await mail.post("/drafts", json={**LETTER, **changes})
    assert response.status_code == 200
    return response.json()["id"]


def _kinds(sandbox: Sandbox) -> list[tuple[str, str]]:
    return [(effect.kind, effect.state) for effect in sandbox.world.effects(system="mail")]


def _arm(sandbox: Sandbox, fault: str, operation: Any = "send", **more: Any) -> None:
    sandbox.faults.arm(FaultPlan(system="mail", operation=operation, fault=fault, **more))


async def test_a_message_is_an_effect_with_key_run_execution_and_audience(sandbox, mail):
    response = await _send(mail)
    assert response.status_code == 200
    [effect] = sandbox.world.effects()
    assert (effect.kind, effect.ref, effect.state) == ("mail.send", response.json()["id"], "standing")
    assert (effect.key, effect.run, effect.execution) == (KEY, "run-7", "0a1b2c3d4e5f")
    assert effect.audience == ["customer"]
    assert effect.about["to"] == ["mara.lindqvist@customers.test"]


async def test_colleagues_are_told_from_customers(sandbox, mail):
    await _send(mail, None, to="team@sandbox.test")
    await _send(mail, None, to="team@sandbox.test", cc=["Mara <mara.lindqvist@customers.test>"])
    assert [effect.audience for effect in sandbox.world.effects()] == [
        ["support_team"],
        ["support_team", "customer"],
    ]


async def test_the_same_key_and_body_give_the_same_id_and_one_message(sandbox, mail):
    first, second = await _send(mail), await _send(mail)
    assert (first.status_code, second.status_code) == (200, 200)
    assert first.json() == second.json()
    assert len(sandbox.world.effects()) == 1


async def test_the_same_key_with_another_body_is_refused_in_resends_words(sandbox, mail):
    await _send(mail)
    response = await _send(mail, subject="Another subject")
    assert response.status_code == 409
    assert response.json()["name"] == "invalid_idempotent_request"
    assert response.json()["statusCode"] == 409
    assert len(sandbox.world.effects()) == 1


async def test_a_key_used_on_another_path_is_another_body(sandbox, mail):
    await _send(mail)
    response = await mail.post("/drafts", json=LETTER, headers={"Idempotency-Key": KEY})
    assert response.json()["name"] == "invalid_idempotent_request"


async def test_two_at_once_under_one_key_send_one_message(sandbox, mail):
    responses = await asyncio.gather(*(_send(mail) for _ in range(4)))
    names = {r.json()["name"] for r in responses if r.status_code == 409}
    assert names <= {"concurrent_idempotent_requests"}
    assert any(r.status_code == 200 for r in responses)
    assert len(sandbox.world.effects()) == 1


async def test_in_use_is_said_in_resends_words_and_nothing_is_sent(sandbox, mail):
    _arm(sandbox, "in_use")
    response = await _send(mail)
    assert (response.status_code, response.json()["name"]) == (409, "concurrent_idempotent_requests")
    assert sandbox.world.effects() == []


async def test_a_key_is_forgotten_after_a_day(sandbox, mail):
    await _send(mail)
    sandbox.world.advance(86_399)
    await _send(mail)
    assert len(sandbox.world.effects()) == 1
    sandbox.world.advance(2)
    await _send(mail)
    assert len(sandbox.world.effects()) == 2


async def test_forget_keys_forgets_sooner(sandbox, mail):
    _arm(sandbox, "forget_keys:10")
    first = await _send(mail)
    sandbox.world.advance(11)
    assert (await _send(mail)).json() != first.json()


async def test_without_a_key_every_request_is_a_message(sandbox, mail):
    await _send(mail, None)
    await _send(mail, None)
    assert len(sandbox.world.effects()) == 2


@pytest.mark.parametrize("key", ["", "x" * 257])
async def test_a_key_of_a_wrong_length_is_refused(sandbox, mail, key):
    response = await _send(mail, key)
    assert (response.status_code, response.json()["name"]) == (400, "invalid_idempotency_key")
    assert sandbox.world.effects() == []


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("to", ["mara"]),
        ("to", "mara@"),
        ("to", ["mara@customers.test, tom@customers.test"]),
        ("to", [7]),
        ("to", ["a@customers.test"] * 51),
        ("from", "Support"),
        ("from", 3),
        ("reply_to", "nobody"),
        ("subject", 3),
        ("text", ["no"]),
        ("headers", ["X-Saga-Key"]),
        ("headers", {"X-Saga-Key": 7}),
        ("headers", {"X-Saga-Key": "a\r\nBcc: all@customers.test"}),
    ],
)
async def test_a_field_that_does_not_fit_is_named(sandbox, mail, field, value):
    response = await _send(mail, **{field: value})
    assert response.status_code == 422
    assert response.json()["name"] == "validation_error"
    assert f"`{field}`" in response.json()["message"]
    assert sandbox.world.effects() == []


@pytest.mark.parametrize("field", ["from", "to", "subject", "text"])
async def test_a_missing_field_is_named_and_may_come_later_under_the_same_key(sandbox, mail, field):
    response = await _send(mail, **{field: None})
    assert response.status_code == 422
    assert response.json()["name"] == "missing_required_field"
    assert field in response.json()["message"]
    assert (await _send(mail)).status_code == 200


async def test_a_body_that_is_no_object_is_refused(mail):
    assert (await mail.post("/emails", content=b"to=mara")).status_code == 422
    assert (await mail.post("/emails", json=["to"])).status_code == 422


async def test_a_message_can_be_read_back(mail):
    ref = (await _send(mail)).json()["id"]
    found = (await mail.get(f"/emails/{ref}")).json()
    assert (found["object"], found["subject"], found["last_event"]) == (
        "email",
        LETTER["subject"],
        "delivered",
    )
    assert found["created_at"].endswith("+00:00")
    assert (await mail.get("/emails/msg_none")).status_code == 404


async def test_tokens_say_who_writes(sandbox, mail):
    read = {"Authorization": "Bearer mail-read"}
    for headers, status in (({"Authorization": "Bearer wrong"}, 401), (read, 403)):
        for method, path in (("POST", "/emails"), ("POST", "/drafts"), ("PATCH", "/drafts/d")):
            response = await mail.request(method, path, json=LETTER, headers=headers)
            assert response.status_code == status
            assert set(response.json()) == {"statusCode", "name", "message"}
    assert (await mail.get("/log", headers=read)).status_code == 200
    assert (await mail.get("/log", headers={"Authorization": ""})).status_code == 401
    assert sandbox.world.effects() == []


# Drafts.


async def test_a_draft_is_kept_changed_and_thrown_away(sandbox, mail):
    ref = await _draft(mail)
    changed = await mail.patch(f"/drafts/{ref}", json={"text": "Better.", "reply_to": "help@sandbox.test"})
    assert changed.json()["text"] == "Better."
    found = (await mail.get(f"/drafts/{ref}")).json()
    assert (found["state"], found["text"], found["subject"]) == ("draft", "Better.", LETTER["subject"])
    gone = await mail.delete(f"/drafts/{ref}", headers={**SAGA, "X-Saga-Key": OTHER_KEY})
    assert gone.json() == {"object": "draft", "id": ref, "deleted": True}
    assert _kinds(sandbox) == [
        ("mail.draft", "undone"),
        ("mail.update", "standing"),
        ("mail.delete", "standing"),
    ]
    deleted = sandbox.world.effects(kind="mail.delete")[0]
    assert (deleted.key, deleted.run, deleted.about) == (OTHER_KEY, "run-7", {"undoes": ref})
    assert deleted.audience == ["agent"]


async def test_a_draft_that_is_gone_is_404_to_everything(mail):
    ref = await _draft(mail)
    await mail.delete(f"/drafts/{ref}")
    for method, path in (("GET", ""), ("PATCH", ""), ("DELETE", ""), ("POST", "/send")):
        response = await mail.request(method, f"/drafts/{ref}{path}", json={})
        assert (response.status_code, response.json()["name"]) == (404, "not_found")


async def test_creating_a_draft_again_under_its_key_finds_the_first(sandbox, mail):
    headers = {"Idempotency-Key": KEY}
    first = await mail.post("/drafts", json=LETTER, headers=headers)
    assert (await mail.post("/drafts", json=LETTER, headers=headers)).json() == first.json()
    assert len(sandbox.world.effects()) == 1


async def test_a_draft_need_not_be_whole_until_it_is_sent(sandbox, mail):
    ref = (await mail.post("/drafts", json={"subject": "Later"})).json()["id"]
    assert (await mail.post(f"/drafts/{ref}/send")).json()["name"] == "missing_required_field"
    assert [effect.kind for effect in sandbox.world.effects()] == ["mail.draft"]
    await mail.patch(f"/drafts/{ref}", json=LETTER)
    assert (await mail.post(f"/drafts/{ref}/send")).status_code == 200


async def test_null_takes_a_field_off_a_draft_and_its_state_cannot_be_patched(mail):
    ref = await _draft(mail)
    changed = (await mail.patch(f"/drafts/{ref}", json={"text": None, "state": "sent", "id": "x"})).json()
    assert "text" not in changed
    assert (changed["state"], changed["id"]) == ("draft", ref)


async def test_sending_a_draft_carries_the_key_of_the_sending(sandbox, mail):
    ref = await _draft(mail)
    body = {"headers": {"x-saga-key": OTHER_KEY}}
    sent = await mail.post(f"/drafts/{ref}/send", json=body, headers={"Idempotency-Key": OTHER_KEY})
    assert sent.status_code == 200
    assert sent.json()["draft_id"] == ref
    assert _kinds(sandbox) == [("mail.draft", "standing"), ("mail.send", "standing")]
    effect = sandbox.world.effects(kind="mail.send")[0]
    assert (effect.key, effect.ref, effect.about["draft"]) == (OTHER_KEY, sent.json()["id"], ref)
    found = await mail.get("/log", params={"header": "X-Saga-Key", "value": OTHER_KEY})
    assert [entry["id"] for entry in found.json()["data"]] == [sent.json()["id"]]
    assert found.json()["data"][0]["headers"]["X-Saga-Run"] == "run-7"


async def test_a_sent_draft_is_not_sent_again(sandbox, mail):
    ref = await _draft(mail)
    first = await mail.post(f"/drafts/{ref}/send", headers={"Idempotency-Key": KEY})
    again = await mail.post(f"/drafts/{ref}/send", headers={"Idempotency-Key": KEY})
    assert again.json() == first.json()
    sandbox.world.advance(3 * 86_400)
    late = await mail.post(f"/drafts/{ref}/send", headers={"Idempotency-Key": KEY})
    assert late.json() == first.json()
    other = await mail.post(f"/drafts/{ref}/send", headers={"Idempotency-Key": OTHER_KEY})
    assert (other.status_code, other.json()["name"]) == (409, "draft_already_sent")
    assert len(sandbox.world.effects(kind="mail.send")) == 1


async def test_a_sent_draft_can_be_neither_changed_nor_thrown_away(sandbox, mail):
    ref = await _draft(mail)
    await mail.post(f"/drafts/{ref}/send")
    assert (await mail.delete(f"/drafts/{ref}")).status_code == 409
    assert (await mail.patch(f"/drafts/{ref}", json={"text": "no"})).status_code == 409
    assert (await mail.get(f"/drafts/{ref}")).json()["state"] == "sent"
    assert _kinds(sandbox) == [("mail.draft", "standing"), ("mail.send", "standing")]


async def test_a_person_throws_a_draft_away(sandbox, mail):
    ref = await _draft(mail)
    async with httpx.AsyncClient(base_url=sandbox.url) as world:
        plan = {"system": "mail", "ref": ref, "act": "delete"}
        assert (await world.post("/world/acts", json=plan)).status_code == 200
        assert (await world.post("/world/acts", json=plan)).status_code == 400
        assert "allowed: delete" in (await world.post("/world/acts", json={**plan, "act": "refund"})).text
    assert (await mail.get(f"/drafts/{ref}")).status_code == 404
    assert _kinds(sandbox) == [("mail.draft", "undone"), ("mail.delete", "standing")]


# The log, and the list of drafts.


async def test_the_log_is_paged_newest_first_and_new_messages_disturb_no_page(mail):
    sent = [(await _send(mail, None, subject=f"n {n}")).json()["id"] for n in range(5)]
    query: dict[str, Any] = {"header": "X-Saga-Key", "value": KEY, "limit": 2}
    seen: list[str] = []
    while True:
        found = (await mail.get("/log", params=query)).json()
        seen += [entry["id"] for entry in found["data"]]
        await _send(mail, None, subject="meanwhile")
        if not found["has_more"]:
            break
        query["cursor"] = found["next_cursor"]
    assert seen == sent[::-1]
    assert found["next_cursor"] is None


async def test_the_log_finds_by_exact_value_under_any_case_of_the_name(mail):
    await _send(mail, None)
    for query, count in (
        ({"header": "x-saga-key", "value": KEY}, 1),
        ({"header": "X-Saga-Key", "value": KEY[:-1]}, 0),
        ({"header": "X-Saga-Key"}, 1),
        ({"header": "X-Other"}, 0),
        ({}, 1),
    ):
        assert len((await mail.get("/log", params=query)).json()["data"]) == count


async def test_the_log_is_cut_by_time(sandbox, mail):
    sandbox.world.set_clock(1_800_000_000, frozen=True)
    await _send(mail, None)
    for since, count in ((1_800_000_000, 1), (1_800_000_001, 0)):
        assert len((await mail.get("/log", params={"since": since})).json()["data"]) == count


@pytest.mark.parametrize(
    "query", [{"limit": "0"}, {"limit": "101"}, {"since": "yesterday"}, {"cursor": "x"}, {"value": "x"}]
)
async def test_a_query_that_does_not_fit_is_named(mail, query):
    response = await mail.get("/log", params=query)
    assert response.status_code == 422
    assert next(iter(query)) in response.json()["message"]


async def test_the_log_lags_and_is_blind_when_told_to(sandbox, mail):
    ref = await _draft(mail)
    await _send(mail)
    _arm(sandbox, "lag:30", "search")
    query = {"header": "X-Saga-Key", "value": KEY}
    assert (await mail.get("/log", params=query)).json()["data"] == []
    assert (await mail.get("/drafts", params=query)).json()["data"] == []
    assert (await mail.get(f"/drafts/{ref}")).status_code == 200
    sandbox.world.advance(31)
    assert len((await mail.get("/log", params=query)).json()["data"]) == 1
    assert [draft["id"] for draft in (await mail.get("/drafts", params=query)).json()["data"]] == [ref]
    _arm(sandbox, "blind", "search")
    blind = await mail.get("/log", params=query)
    assert (blind.status_code, blind.json()["data"]) == (200, [])


async def test_a_draft_that_is_gone_is_in_no_list(mail):
    ref = await _draft(mail)
    await mail.delete(f"/drafts/{ref}")
    assert (await mail.get("/drafts")).json()["data"] == []


# Faults.


@pytest.mark.parametrize("status", [400, 401, 403, 409, 418, 422, 429, 500, 503])
async def test_a_refusal_has_the_services_own_form_and_does_nothing(sandbox, mail, status):
    _arm(sandbox, f"refuse:{status}")
    response = await _send(mail)
    assert response.status_code == status
    assert response.json()["statusCode"] == status
    assert set(response.json()) == {"statusCode", "name", "message"}
    assert sandbox.world.effects() == []


@pytest.mark.parametrize("fault", ["after:504", "after:reset", "after:truncate", "after:blank200", "after:204"])
async def test_a_lost_answer_is_found_in_the_log_and_under_the_key(sandbox, mail, fault):
    _arm(sandbox, fault)
    with contextlib.suppress(httpx.TransportError):
        assert (await _send(mail)).status_code in {200, 204, 504}
    found = (await mail.get("/log", params={"header": "X-Saga-Key", "value": KEY})).json()["data"]
    assert (await _send(mail)).json()["id"] == found[0]["id"]
    assert len(sandbox.world.effects()) == 1


async def test_delivered_twice_is_two_messages_only_without_a_key(sandbox, mail):
    _arm(sandbox, "duplicate", times=2)
    await _send(mail)
    assert len(sandbox.world.effects()) == 1
    await _send(mail, None)
    assert len(sandbox.world.effects()) == 3


async def test_partial_names_those_who_were_not_reached(sandbox, mail):
    _arm(sandbox, "partial:1", times=2)
    to = ["mara.lindqvist@customers.test", "tom.okafor@customers.test"]
    answer = (await _send(mail, None, to=to)).json()
    assert answer["rejected"] == to[1:]
    assert sandbox.world.effects()[0].about["to"] == to[:1]
    nobody = (await _send(mail, None)).json()
    assert (await mail.get(f"/emails/{nobody['id']}")).json()["last_event"] == "bounced"
    assert len(sandbox.world.effects()) == 1


async def test_a_fault_for_one_run_finds_it_in_the_headers_and_by_the_draft(sandbox, mail):
    ref = await _draft(mail)
    _arm(sandbox, "refuse:422", run="run-7", times=2)
    assert (await _send(mail, None, headers={"X-Saga-Run": "run-8"})).status_code == 200
    assert (await _send(mail)).status_code == 422
    assert (await mail.post(f"/drafts/{ref}/send")).status_code == 422
    assert [line["run"] for line in sandbox.world.calls()] == ["run-7", "run-8", "run-7", "run-7"]


async def test_an_unknown_path_is_the_services_404(mail):
    response = await mail.get("/nowhere")
    assert (response.status_code, response.json()["name"]) == (404, "not_found")


async def test_a_good_credential_sees_the_domain_and_a_blind_one_nothing(mail: httpx.AsyncClient, sandbox: Sandbox):
    assert [each["name"] for each in (await mail.get("/domains")).json()["data"]] == ["sandbox.test"]
    sandbox.faults.arm(FaultPlan(system="mail", operation="*", fault="blind"))
    assert (await mail.get("/domains")).json()["data"] == []
