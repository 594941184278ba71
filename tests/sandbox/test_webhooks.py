"""The customers' endpoints: what they take, what they drop, and what they turn away."""

import json
import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
import pytest_asyncio
from standardwebhooks.webhooks import Webhook

from workers.sandbox.app import Sandbox
from workers.sandbox.faults import FaultPlan
from workers.sandbox.webhooks import SECRET
from workers.settings_webhooks import WebhookEndpoints

KEY = "a" * 32
EVENT = '{"data":{"workspace_id":"ws_1"},"type":"workspace.created"}'


@pytest_asyncio.fixture
async def hooks(sandbox: Sandbox) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=f"{sandbox.url}/webhooks") as client:
        yield client


async def _tell(
    hooks: httpx.AsyncClient, *, to: str = "acme", key: str = KEY, body: str = EVENT, **changes: str | None
) -> httpx.Response:
    at = datetime.now(UTC)
    headers: dict[str, str | None] = {
        "webhook-id": key,
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": Webhook(SECRET).sign(key, at, body),
        "X-Saga-Run": "run-7",
        "X-Saga-Execution": "0a1b2c3d4e5f",
        "Content-Type": "application/json",
    }
    headers |= {name.replace("_", "-"): value for name, value in changes.items()}
    sent = {name: value for name, value in headers.items() if value is not None}
    return await hooks.post(f"/{to}", content=body, headers=sent)


async def _got(hooks: httpx.AsyncClient, client: str = "acme") -> list[dict[str, Any]]:
    return (await hooks.get(f"/{client}")).json()["data"]


async def test_an_event_arrives(sandbox, hooks):
    assert (await _tell(hooks)).status_code == 200
    [effect] = sandbox.world.effects()
    assert (effect.kind, effect.ref, effect.key, effect.state) == ("webhook.send", KEY, KEY, "standing")
    assert (effect.run, effect.execution, effect.audience) == ("run-7", "0a1b2c3d4e5f", ["customer"])
    assert effect.about == {"client": "acme", "event": "workspace.created", "data": {"workspace_id": "ws_1"}}
    [one] = await _got(hooks)
    assert (one["webhook_id"], one["body"], one["dropped"]) == (KEY, EVENT, False)
    assert await _got(hooks, "globex") == []


async def test_an_id_that_was_seen_is_dropped_by_the_endpoint_that_saw_it(sandbox, hooks):
    await _tell(hooks)
    assert (await _tell(hooks)).status_code == 200
    assert [each["dropped"] for each in await _got(hooks)] == [False, True]
    assert len(sandbox.world.effects()) == 1
    await _tell(hooks, to="globex")
    assert len(sandbox.world.effects()) == 2


async def test_an_endpoint_that_forgot_the_id_acts_again(sandbox, hooks):
    sandbox.faults.arm(FaultPlan(system="webhooks", operation="*", fault="forget_keys:300"))
    await _tell(hooks)
    sandbox.world.advance(299)
    await _tell(hooks)
    assert len(sandbox.world.effects()) == 1
    sandbox.world.advance(2)
    await _tell(hooks)
    assert len(sandbox.world.effects()) == 2


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"webhook_id": None}, 400),
        ({"webhook_id": "b" * 32}, 401),
        ({"webhook_id": "x" * 257}, 400),
        ({"webhook_timestamp": None}, 401),
        ({"webhook_timestamp": "now"}, 401),
        ({"webhook_timestamp": "1"}, 401),
        ({"webhook_signature": None}, 401),
        ({"webhook_signature": "v1,AAAA"}, 401),
        ({"body": "[]"}, 400),
        ({"body": "not json"}, 400),
        ({"body": '{"data": {}}'}, 400),
    ],
)
async def test_what_is_unsigned_or_no_event_is_turned_away(sandbox, hooks, changes, status):
    assert (await _tell(hooks, **changes)).status_code == status
    assert (sandbox.world.effects(), await _got(hooks)) == ([], [])


async def test_a_body_that_was_changed_on_its_way_does_not_fit_its_signature(sandbox, hooks):
    at = datetime.now(UTC)
    changed = Webhook(SECRET).sign(KEY, at, EVENT.replace("ws_1", "ws_2"))
    response = await _tell(hooks, webhook_signature=changed, webhook_timestamp=str(int(at.timestamp())))
    assert (response.status_code, sandbox.world.effects()) == (401, [])


async def test_of_several_signatures_one_that_fits_is_enough(sandbox, hooks):
    at = datetime.fromtimestamp(int(time.time()), UTC)
    both = f"v1,AAAA {Webhook(SECRET).sign(KEY, at, EVENT)}"
    response = await _tell(hooks, webhook_signature=both, webhook_timestamp=str(int(at.timestamp())))
    assert (response.status_code, len(sandbox.world.effects())) == (200, 1)


async def test_a_customer_closes_their_endpoint_and_only_theirs(sandbox, hooks):
    async with httpx.AsyncClient(base_url=sandbox.url) as world:
        for act, status in (("delete", 400), ("close", 200)):
            done = await world.post("/world/acts", json={"system": "webhooks", "ref": "acme", "act": act})
            assert done.status_code == status
        assert (await _tell(hooks)).status_code == 410
        assert (await _tell(hooks, to="globex")).status_code == 200
        await world.post("/world/reset")
    assert (await _tell(hooks)).status_code == 200


@pytest.mark.parametrize("operation", ["send", "create"])
async def test_a_fault_strikes_and_what_is_delivered_twice_is_done_once(sandbox, hooks, operation):
    sandbox.faults.arm(FaultPlan(system="webhooks", operation=operation, fault="refuse:400", run="run-7"))
    refused = await _tell(hooks)
    assert (refused.status_code, sandbox.world.effects()) == (400, [])
    assert isinstance(json.loads(refused.text), dict)
    sandbox.faults.arm(FaultPlan(system="webhooks", operation=operation, fault="duplicate"))
    assert (await _tell(hooks)).status_code == 200
    assert [each["dropped"] for each in await _got(hooks)] == [False, True]
    assert len(sandbox.world.effects()) == 1


def test_the_settings_know_the_sandboxs_own_secret():
    assert WebhookEndpoints().arguments("", write=True)["secret"] == SECRET
