"""The verification service: one message a key for ever, and no code in anything that can be seen."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
import pytest_asyncio

from workers.sandbox.app import Sandbox
from workers.sandbox.faults import FaultPlan

KEY, OTHER_KEY = "a" * 32, "b" * 32
SAGA = {"saga_run": "run-7", "saga_execution": "0a1b2c3d4e5f"}
WISH = {"to": "+4915112345678", "purpose": "sign_in"}


@pytest_asyncio.fixture
async def sms(sandbox: Sandbox) -> AsyncIterator[httpx.AsyncClient]:
    headers = {"Authorization": "Bearer sms-write"}
    async with httpx.AsyncClient(base_url=f"{sandbox.url}/sms/v1", headers=headers) as client:
        yield client


async def _send(sms: httpx.AsyncClient, **changes: Any) -> httpx.Response:
    return await sms.post("/verifications", json={**WISH, "saga_key": KEY, **SAGA, **changes})


async def test_a_message_goes_out_and_what_is_told_of_it_holds_no_code(sandbox, sms):
    sandbox.world.set_clock(1_800_000_000, frozen=True)
    response = await _send(sms)
    made = response.json()
    assert response.status_code == 201
    assert set(made) == {
        *("id", "object", "to", "purpose", "state", "created_at", "saga_key", "saga_run", "saga_execution"),
    }
    assert (made["to"], made["purpose"], made["state"]) == (*WISH.values(), "sent")
    assert made["created_at"] == 1_800_000_000
    [effect] = sandbox.world.effects()
    assert (effect.kind, effect.ref, effect.state) == ("sms.send", made["id"], "standing")
    assert (effect.key, effect.run, effect.execution) == (KEY, "run-7", "0a1b2c3d4e5f")
    assert (effect.audience, effect.about) == (["customer"], WISH)
    assert (await sms.get(f"/verifications/{made['id']}")).json() == made


async def test_the_same_key_is_the_same_message_for_ever(sandbox, sms):
    first = await _send(sms)
    sandbox.world.advance(400 * 86_400)
    again = await _send(sms)
    assert (again.status_code, again.json()) == (200, first.json())
    assert len(sandbox.world.effects()) == 1
    assert (await _send(sms, saga_key=OTHER_KEY)).status_code == 201
    assert len(sandbox.world.effects()) == 2


@pytest.mark.parametrize("changes", [{"to": "+4915112345679"}, {"purpose": "change_phone"}])
async def test_a_key_for_another_message_is_refused(sandbox, sms, changes):
    await _send(sms)
    response = await _send(sms, **changes)
    assert (response.status_code, response.json()["error"]["code"]) == (409, "saga_key_in_use")
    assert len(sandbox.world.effects()) == 1


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"to": None}, "to"),
        ({"to": "015112345678"}, "to"),
        ({"to": "+0151123456"}, "to"),
        ({"to": "+49151"}, "to"),
        ({"to": "+1234567890123456"}, "to"),
        ({"to": "+4915112345678 "}, "to"),
        ({"to": 4915112345678}, "to"),
        ({"purpose": ""}, "purpose"),
        ({"purpose": "Your code is 1234"}, "purpose"),
        ({"saga_key": None}, "saga_key"),
        ({"saga_key": ""}, "saga_key"),
    ],
)
async def test_a_field_that_does_not_fit_is_named(sandbox, sms, changes, word):
    response = await _send(sms, **changes)
    assert (response.status_code, response.json()["error"]["code"]) == (422, "invalid_request")
    assert response.json()["error"]["message"].startswith(word)
    assert sandbox.world.effects() == []


async def test_a_body_that_is_no_object_is_refused(sandbox, sms):
    response = await sms.post("/verifications", json=[WISH])
    assert (response.status_code, response.json()["error"]["code"]) == (422, "invalid_request")


async def test_messages_are_found_by_key_and_by_run(sms):
    await _send(sms)
    await _send(sms, saga_key=OTHER_KEY, saga_run="run-8")
    by_key = (await sms.get("/verifications", params={"saga_key": KEY})).json()
    by_run = (await sms.get("/verifications", params={"saga_run": "run-8"})).json()
    assert [each["saga_key"] for each in by_key["data"]] == [KEY]
    assert [each["saga_key"] for each in by_run["data"]] == [OTHER_KEY]
    assert len((await sms.get("/verifications")).json()["data"]) == 2
    assert (await sms.get("/verifications", params={"limit": "many"})).status_code == 422


async def test_only_a_token_that_writes_sends(sandbox, sms):
    made = (await _send(sms)).json()
    for token, status in (("sms-read", 403), ("warehouse-write", 401)):
        headers = {"Authorization": f"Bearer {token}"}
        response = await sms.post("/verifications", json={**WISH, "saga_key": OTHER_KEY}, headers=headers)
        assert response.status_code == status
    read = await sms.get(f"/verifications/{made['id']}", headers={"Authorization": "Bearer sms-read"})
    assert read.status_code == 200
    assert len(sandbox.world.effects()) == 1


async def test_blind_shows_nothing_and_says_so_of_one(sandbox, sms):
    made = (await _send(sms)).json()
    sandbox.faults.arm(FaultPlan(system="sms", operation="*", fault="blind"))
    listed = await sms.get("/verifications")
    assert (listed.status_code, listed.json()["data"]) == (200, [])
    assert (await sms.get(f"/verifications/{made['id']}")).status_code == 401


@pytest.mark.parametrize("operation", ["send", "create"])
async def test_a_fault_on_sending_strikes_and_a_message_delivered_twice_is_one(sandbox, sms, operation):
    sandbox.faults.arm(FaultPlan(system="sms", operation=operation, fault="refuse:503", run="run-7"))
    assert (await _send(sms)).json()["error"]["code"] == "unavailable"
    assert sandbox.world.effects() == []
    sandbox.faults.arm(FaultPlan(system="sms", operation=operation, fault="duplicate"))
    assert (await _send(sms)).status_code == 200
    assert len(sandbox.world.effects()) == 1


async def test_an_unknown_message_is_not_found_and_nothing_is_done_to_one(sandbox, sms):
    made = (await _send(sms)).json()
    assert (await sms.get("/verifications/ver_0")).json()["error"]["code"] == "not_found"
    async with httpx.AsyncClient(base_url=sandbox.url) as world:
        act = {"system": "sms", "ref": made["id"], "act": "delete"}
        assert (await world.post("/world/acts", json=act)).status_code == 400
    assert [effect.state for effect in sandbox.world.effects()] == ["standing"]
