"""The warehouse: one reservation a key, expiry on the world's clock, one parcel a reservation."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
import pytest_asyncio

from workers.sandbox.app import Sandbox
from workers.sandbox.faults import FaultPlan

KEY, RELEASE_KEY, CONFIRM_KEY = "a" * 32, "b" * 32, "c" * 32
SAGA = {"saga_run": "run-7", "saga_execution": "0a1b2c3d4e5f"}


@pytest_asyncio.fixture
async def warehouse(sandbox: Sandbox) -> AsyncIterator[httpx.AsyncClient]:
    headers = {"Authorization": "Bearer warehouse-write"}
    async with httpx.AsyncClient(base_url=f"{sandbox.url}/warehouse", headers=headers) as client:
        yield client


async def _reserve(warehouse: httpx.AsyncClient, **changes: Any) -> httpx.Response:
    wish = {"order_id": "1182", "ttl_s": 600, "saga_key": KEY, **SAGA, **changes}
    return await warehouse.post("/reservations", json=wish)


async def _held(warehouse: httpx.AsyncClient, **changes: Any) -> str:
    response = await _reserve(warehouse, **changes)
    assert response.status_code == 201
    return response.json()["id"]


async def _do(warehouse: httpx.AsyncClient, ref: str, what: str, key: str) -> httpx.Response:
    return await warehouse.post(f"/reservations/{ref}/{what}", json={"saga_key": key, **SAGA})


def _states(sandbox: Sandbox) -> list[tuple[str, str, str | None]]:
    return [(effect.kind, effect.state, effect.key) for effect in sandbox.world.effects()]


async def _available(warehouse: httpx.AsyncClient) -> int:
    return (await warehouse.get("/stock/LAMP-02")).json()["available"]


async def test_goods_are_set_aside_for_a_stated_time(sandbox, warehouse):
    sandbox.world.set_clock(1_800_000_000, frozen=True)
    response = await _reserve(warehouse)
    made = response.json()
    assert response.status_code == 201
    assert (made["state"], made["expires_at"], made["sku"]) == ("held", 1_800_000_600, "LAMP-02")
    assert (made["saga_key"], made["saga_run"]) == (KEY, "run-7")
    [effect] = sandbox.world.effects()
    assert (effect.kind, effect.ref, effect.state) == ("goods.reserve", made["id"], "standing")
    assert (effect.key, effect.run, effect.execution) == (KEY, "run-7", "0a1b2c3d4e5f")


async def test_the_same_saga_key_is_the_same_reservation_for_ever(sandbox, warehouse):
    first = await _reserve(warehouse)
    second = await _reserve(warehouse, ttl_s=900)
    assert (second.status_code, second.json()) == (200, first.json())
    await _do(warehouse, first.json()["id"], "release", RELEASE_KEY)
    sandbox.world.advance(7 * 86_400)
    third = await _reserve(warehouse)
    assert (third.status_code, third.json()["id"], third.json()["state"]) == (
        200,
        first.json()["id"],
        "released",
    )
    assert len(sandbox.world.effects(kind="goods.reserve")) == 1


async def test_a_saga_key_for_other_goods_is_refused(sandbox, warehouse):
    await _held(warehouse)
    response = await _reserve(warehouse, order_id="1183")
    assert (response.status_code, response.json()["error"]["code"]) == (409, "saga_key_in_use")
    assert len(sandbox.world.effects()) == 1


async def test_out_of_stock_and_the_armed_refusal_look_alike(sandbox, warehouse):
    real = await _reserve(warehouse, order_id="1190")
    sandbox.faults.arm(FaultPlan(system="warehouse", operation="reserve", fault="refuse:409"))
    armed = await _reserve(warehouse)
    for response in (real, armed):
        assert (response.status_code, response.json()["error"]["code"]) == (409, "out_of_stock")
        assert response.json()["error"]["message"]
    assert sandbox.world.effects() == []


@pytest.mark.parametrize(
    ("changes", "code", "word"),
    [
        ({"order_id": "9999"}, "unknown_order", "order_id"),
        ({"order_id": None}, "unknown_order", "order_id"),
        ({"saga_key": None}, "invalid_request", "saga_key"),
        ({"saga_key": ""}, "invalid_request", "saga_key"),
        ({"ttl_s": 0}, "invalid_request", "ttl_s"),
        ({"ttl_s": -5}, "invalid_request", "ttl_s"),
        ({"ttl_s": True}, "invalid_request", "ttl_s"),
        ({"ttl_s": "600"}, "invalid_request", "ttl_s"),
        ({"ttl_s": None}, "invalid_request", "ttl_s"),
        ({"ttl_s": 31 * 86_400}, "invalid_request", "ttl_s"),
        ({"sku": "RADIO-06"}, "invalid_request", "sku"),
        ({"address": 5}, "invalid_request", "address"),
    ],
)
async def test_a_field_that_does_not_fit_is_named(sandbox, warehouse, changes, code, word):
    response = await _reserve(warehouse, **changes)
    assert (response.status_code, response.json()["error"]["code"]) == (422, code)
    assert word in response.json()["error"]["message"]
    assert sandbox.world.effects() == []


async def test_a_body_that_is_no_object_is_refused(warehouse):
    assert (await warehouse.post("/reservations", content=b"{")).status_code == 422


async def test_release_gives_the_goods_back_once(sandbox, warehouse):
    before = await _available(warehouse)
    ref = await _held(warehouse)
    assert await _available(warehouse) == before - 1
    first = await _do(warehouse, ref, "release", RELEASE_KEY)
    assert (first.status_code, first.json()["state"]) == (200, "released")
    again = await _do(warehouse, ref, "release", RELEASE_KEY)
    other = await _do(warehouse, ref, "release", "d" * 32)
    assert (again.status_code, again.json()["state"]) == (200, "released")
    assert (other.status_code, other.json()["state"]) == (200, "released")
    assert _states(sandbox) == [
        ("goods.reserve", "undone", KEY),
        ("goods.release", "standing", RELEASE_KEY),
    ]
    assert sandbox.world.effects(kind="goods.release")[0].about["undoes"] == ref
    assert await _available(warehouse) == before


@pytest.mark.parametrize("form", ["query", "headers", "body"])
async def test_delete_releases_too_and_may_say_the_key_in_any_way(sandbox, warehouse, form):
    ref = await _held(warehouse)
    saga = {"saga_key": RELEASE_KEY, **SAGA}
    forms: dict[str, Any] = {
        "query": {"params": saga},
        "headers": {"headers": {"X-Saga-Key": RELEASE_KEY, "X-Saga-Run": "run-7"}},
        "body": {"json": saga},
    }
    response = await warehouse.request("DELETE", f"/reservations/{ref}", **forms[form])
    assert (response.status_code, response.json()["state"]) == (200, "released")
    effect = sandbox.world.effects(kind="goods.release")[0]
    assert (effect.key, effect.run) == (RELEASE_KEY, "run-7")


async def test_what_is_not_there_is_404(sandbox, warehouse):
    for method, path in (("GET", ""), ("DELETE", ""), ("POST", "/release"), ("POST", "/confirm")):
        response = await warehouse.request(method, f"/reservations/rsv_none{path}", json={})
        assert (response.status_code, response.json()["error"]["code"]) == (404, "not_found")
    assert (await warehouse.get("/parcels/prc_none")).status_code == 404
    assert (await warehouse.get("/stock/NONE")).status_code == 404


async def test_a_reservation_expires_by_the_worlds_clock(sandbox, warehouse):
    before = await _available(warehouse)
    ref = await _held(warehouse)
    sandbox.world.advance(599)
    assert (await warehouse.get(f"/reservations/{ref}")).json()["state"] == "held"
    sandbox.world.advance(1)
    assert (await warehouse.get(f"/reservations/{ref}")).json()["state"] == "expired"
    assert _states(sandbox) == [("goods.reserve", "expired", KEY)]
    assert await _available(warehouse) == before
    released = await _do(warehouse, ref, "release", RELEASE_KEY)
    assert (released.status_code, released.json()["state"]) == (200, "expired")
    confirmed = await _do(warehouse, ref, "confirm", CONFIRM_KEY)
    assert (confirmed.status_code, confirmed.json()["error"]["code"]) == (409, "reservation_expired")
    assert len(sandbox.world.effects()) == 1


async def test_the_world_shows_an_expiry_that_nobody_asked_about(sandbox, warehouse):
    await _held(warehouse)
    async with httpx.AsyncClient(base_url=sandbox.url) as world:
        await world.post("/world/clock", json={"advance_s": 601})
        [effect] = (await world.get("/world/effects")).json()
    assert effect["state"] == "expired"


async def test_a_confirmed_reservation_does_not_expire(sandbox, warehouse):
    ref = await _held(warehouse)
    await _do(warehouse, ref, "confirm", CONFIRM_KEY)
    sandbox.world.advance(601)
    assert (await warehouse.get(f"/reservations/{ref}")).json()["state"] == "confirmed"


async def test_confirming_ships_one_parcel(sandbox, warehouse):
    before = await _available(warehouse)
    ref = await _held(warehouse)
    first = await _do(warehouse, ref, "confirm", CONFIRM_KEY)
    parcel = first.json()
    assert (first.status_code, parcel["reservation_id"], parcel["saga_key"]) == (201, ref, CONFIRM_KEY)
    again = await _do(warehouse, ref, "confirm", CONFIRM_KEY)
    assert (again.status_code, again.json()) == (200, parcel)
    other = await _do(warehouse, ref, "confirm", "d" * 32)
    assert (other.status_code, other.json()["error"]["code"]) == (409, "reservation_confirmed")
    assert _states(sandbox) == [
        ("goods.reserve", "standing", KEY),
        ("parcel.send", "standing", CONFIRM_KEY),
    ]
    effect = sandbox.world.effects(kind="parcel.send")[0]
    assert (effect.audience, effect.ref) == (["customer", "partner"], parcel["id"])
    assert effect.about["order_id"] == "1182"
    assert (await warehouse.get(f"/reservations/{ref}")).json()["parcel"] == parcel["id"]
    assert (await warehouse.get(f"/parcels/{parcel['id']}")).json() == parcel
    assert await _available(warehouse) == before - 1


async def test_a_released_reservation_is_not_shipped_and_a_shipped_one_not_released(sandbox, warehouse):
    ref, sent = await _held(warehouse), await _held(warehouse, saga_key="e" * 32)
    await _do(warehouse, ref, "release", RELEASE_KEY)
    response = await _do(warehouse, ref, "confirm", CONFIRM_KEY)
    assert (response.status_code, response.json()["error"]["code"]) == (409, "reservation_released")
    await _do(warehouse, sent, "confirm", CONFIRM_KEY)
    response = await _do(warehouse, sent, "release", RELEASE_KEY)
    assert (response.status_code, response.json()["error"]["code"]) == (409, "reservation_confirmed")
    assert len(sandbox.world.effects(kind="parcel.send")) == 1
    assert len(sandbox.world.effects(kind="goods.release")) == 1


async def test_lists_find_by_key_and_run_in_pages(sandbox, warehouse):
    refs = [await _held(warehouse, saga_key=f"{n:032x}") for n in range(3)]
    by_key = (await warehouse.get("/reservations", params={"saga_key": f"{1:032x}"})).json()
    assert ([found["id"] for found in by_key["data"]], by_key["next_cursor"]) == ([refs[1]], None)
    query: dict[str, Any] = {"saga_run": "run-7", "limit": 2}
    page = (await warehouse.get("/reservations", params=query)).json()
    rest = (await warehouse.get("/reservations", params={**query, "cursor": page["next_cursor"]})).json()
    assert [found["id"] for found in page["data"] + rest["data"]] == refs[::-1]
    await _do(warehouse, refs[0], "confirm", CONFIRM_KEY)
    parcels = (await warehouse.get("/parcels", params={"saga_key": CONFIRM_KEY})).json()["data"]
    assert [parcel["reservation_id"] for parcel in parcels] == [refs[0]]
    assert (await warehouse.get("/parcels", params={"saga_key": KEY})).json()["data"] == []
    assert (await warehouse.get("/reservations", params={"since": "soon"})).status_code == 422


async def test_lists_lag_and_are_blind_when_told_to_but_the_key_still_holds(sandbox, warehouse):
    ref = await _held(warehouse)
    sandbox.faults.arm(FaultPlan(system="warehouse", operation="search", fault="lag:30"))
    assert (await warehouse.get("/reservations", params={"saga_key": KEY})).json()["data"] == []
    assert (await _reserve(warehouse)).json()["id"] == ref
    sandbox.world.advance(31)
    assert len((await warehouse.get("/reservations", params={"saga_key": KEY})).json()["data"]) == 1
    sandbox.faults.arm(FaultPlan(system="warehouse", operation="list", fault="blind"))
    assert (await warehouse.get("/reservations")).json()["data"] == []


async def test_a_lost_answer_leaves_one_reservation_and_delivery_twice_does_too(sandbox, warehouse):
    sandbox.faults.arm(FaultPlan(system="warehouse", operation="reserve", fault="after:504"))
    assert (await _reserve(warehouse)).status_code == 504
    sandbox.faults.arm(FaultPlan(system="warehouse", operation="*", fault="duplicate", times=2))
    found = await _reserve(warehouse)
    assert found.status_code == 200
    assert (await _do(warehouse, found.json()["id"], "confirm", CONFIRM_KEY)).status_code == 200
    assert len(sandbox.world.effects()) == 2


@pytest.mark.parametrize("operation", ["confirm", "send"])
async def test_shipping_is_struck_as_confirm_and_as_send(sandbox, warehouse, operation):
    ref = await _held(warehouse)
    sandbox.faults.arm(FaultPlan(system="warehouse", operation=operation, fault="refuse:503", run="run-7"))
    response = await warehouse.post(f"/reservations/{ref}/confirm", json={"saga_key": CONFIRM_KEY})
    assert (response.status_code, response.json()["error"]["code"]) == (503, "unavailable")
    assert [line["operation"] for line in sandbox.world.calls()] == ["reserve", "confirm"]
    assert sandbox.world.effects(kind="parcel.send") == []


async def test_tokens_say_who_writes(sandbox, warehouse):
    ref = await _held(warehouse)
    read = {"Authorization": "Bearer warehouse-read"}
    assert (await warehouse.get(f"/reservations/{ref}", headers=read)).status_code == 200
    writes = (
        ("POST", "/reservations"),
        ("DELETE", f"/reservations/{ref}"),
        ("POST", f"/reservations/{ref}/confirm"),
    )
    for headers, status in ((read, 403), ({"Authorization": "Bearer x"}, 401)):
        for method, path in writes:
            response = await warehouse.request(method, path, headers=headers)
            assert response.status_code == status
            assert set(response.json()["error"]) == {"code", "message"}
    assert len(sandbox.world.effects()) == 1


async def test_people_end_a_reservation_before_its_time(sandbox, warehouse):
    ref, other = await _held(warehouse), await _held(warehouse, saga_key="e" * 32)
    async with httpx.AsyncClient(base_url=sandbox.url) as world:
        act = {"system": "warehouse", "ref": ref, "act": "expire"}
        assert (await world.post("/world/acts", json=act)).status_code == 200
        assert (await world.post("/world/acts", json=act)).status_code == 400
        close = {"system": "warehouse", "ref": other, "act": "close"}
        assert (await world.post("/world/acts", json=close)).status_code == 200
        assert (await world.post("/world/acts", json={**act, "act": "refund"})).status_code == 400
    assert (await warehouse.get(f"/reservations/{ref}")).json()["state"] == "expired"
    assert _states(sandbox) == [
        ("goods.reserve", "expired", KEY),
        ("goods.reserve", "undone", "e" * 32),
        ("goods.release", "standing", None),
    ]


async def test_the_shelves_are_full_again_after_a_reset(sandbox, warehouse):
    before = await _available(warehouse)
    await _do(warehouse, await _held(warehouse), "confirm", CONFIRM_KEY)
    async with httpx.AsyncClient(base_url=sandbox.url) as world:
        await world.post("/world/reset")
    assert await _available(warehouse) == before
    assert (await _reserve(warehouse)).status_code == 201
