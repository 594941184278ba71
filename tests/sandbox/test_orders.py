"""Orders: to be read and searched, never changed."""

from collections.abc import AsyncIterator

import httpx
import pytest
import pytest_asyncio

from workers.sandbox.app import Sandbox
from workers.sandbox.faults import FaultPlan
from workers.sandbox.fixtures import CUSTOMERS, ORDERS


@pytest_asyncio.fixture
async def orders(sandbox: Sandbox) -> AsyncIterator[httpx.AsyncClient]:
    headers = {"Authorization": "Bearer orders-read"}
    async with httpx.AsyncClient(base_url=sandbox.url, headers=headers) as client:
        yield client


async def test_an_order_is_read_by_its_number(orders):
    order = (await orders.get("/orders/1182")).json()
    assert (order["order_id"], order["customer_id"], order["amount_minor"]) == ("1182", "cus_1182", 4900)
    assert order == ORDERS["1182"]


async def test_an_unknown_order_is_404_in_the_services_form(orders):
    response = await orders.get("/orders/9999")
    assert (response.status_code, response.json()["error"]["code"]) == (404, "not_found")


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"q": "#1182"}, ["1182"]),
        ({"q": "lamp MARA"}, ["1182"]),
        ({"q": "lamp tom"}, []),
        ({"customer_id": "cus_1187"}, ["1187"]),
        ({"customer_id": "cus_1187", "q": "lamp"}, []),
        ({"q": "email"}, []),
        ({}, list(ORDERS)),
    ],
)
async def test_orders_are_found_by_customer_and_words(orders, query, found):
    data = (await orders.get("/orders", params=query)).json()["data"]
    assert [order["order_id"] for order in data] == found


async def test_a_token_is_needed_and_nothing_is_written(orders):
    assert (await orders.get("/orders/1182", headers={"Authorization": "Bearer x"})).status_code == 401
    assert (await orders.post("/orders", json={})).status_code in {403, 404}
    assert (await orders.delete("/orders/1182")).status_code in {403, 404}
    assert (await orders.get("/orders/1182")).status_code == 200


async def test_the_fixtures_stay_through_a_reset_and_nobody_acts_on_them(sandbox, orders):
    async with httpx.AsyncClient(base_url=sandbox.url) as world:
        assert (await world.post("/world/reset")).status_code == 200
        plan = {"system": "orders", "ref": "1182", "act": "delete"}
        assert (await world.post("/world/acts", json=plan)).status_code == 400
    assert (await orders.get("/orders/1182")).status_code == 200


async def test_faults_strike_reads_and_searches(sandbox, orders):
    sandbox.faults.arm(FaultPlan(system="orders", operation="read", fault="refuse:503"))
    response = await orders.get("/orders/1182")
    assert (response.status_code, response.json()["error"]["code"]) == (503, "unavailable")
    sandbox.faults.arm(FaultPlan(system="orders", operation="search", fault="blind"))
    assert (await orders.get("/orders", params={"q": "lamp"})).json() == {"data": []}


def test_every_order_has_its_customer_and_its_money_in_minor_units():
    for order in ORDERS.values():
        customer = CUSTOMERS[order["customer_id"]]
        assert order["order_id"] in customer["order_ids"]
        assert (customer["email"], customer["currency"]) == (order["customer_email"], order["currency"])
        assert sum(item["amount_minor"] for item in order["items"]) == order["amount_minor"]
        assert order["payment_method"] in order["payment_methods"]
    assert (ORDERS["1187"]["currency"], ORDERS["1187"]["amount_minor"]) == ("jpy", 9800)
    assert ORDERS["1188"]["payment_methods"] == ["pm_card_chargeDeclined", "pm_card_visa"]
