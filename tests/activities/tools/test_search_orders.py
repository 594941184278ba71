"""The two pure tools, against the sandbox's orders and their own table."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from pydantic import ValidationError

from activities.providers.orders import Orders
from activities.tools.lookup_policy import LOOKUP_POLICY, POLICIES, PolicyArgs
from activities.tools.search_orders import SEARCH_ORDERS, SearchArgs
from saga.errors import NotSent
from tests.activities.outside import Outside


@pytest_asyncio.fixture
async def orders(outside: Outside) -> AsyncIterator[Orders]:
    made = Orders(url=outside.sandbox.url, token="orders-read", timeout_s=5)
    yield made
    await made.close()


async def found(orders: Orders, **asked: Any) -> list[str]:
    answer: Any = await SEARCH_ORDERS.read(orders, SearchArgs(**asked))
    return [order["order_id"] for order in answer["orders"]]


async def test_an_order_by_its_number_however_it_is_typed(orders: Orders):
    answer: Any = await SEARCH_ORDERS.read(orders, SearchArgs(order_id=" #1182"))
    assert answer["found"] == 1
    assert answer["orders"][0]["customer_id"] == "cus_1182"
    assert answer["orders"][0]["reship_fee_minor"] == 500


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"order_id": "9999"}, []),
        ({"order_id": "1182", "customer_id": "cus_1182"}, ["1182"]),
        ({"order_id": "1182", "customer_id": "cus_1183"}, []),
        ({"customer_id": "cus_1184"}, ["1184"]),
        ({"query": "lamp"}, ["1182"]),
        ({"query": "lamp", "customer_id": "cus_1184"}, []),
    ],
)
async def test_what_is_found_and_what_is_not(orders: Orders, asked: dict[str, str], expected: list[str]):
    assert await found(orders, **asked) == expected


async def test_an_answer_stays_small_and_says_what_it_leaves_out(orders: Orders, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("activities.tools.search_orders._MOST", 2)
    answer: Any = await SEARCH_ORDERS.read(orders, SearchArgs(query="delivered"))
    assert len(answer["orders"]) == 2
    assert answer["found"] > 2


@pytest.mark.parametrize("fault", ["before:503", "before:reset", "after:html200", "after:blank200", "refuse:401"])
async def test_an_order_that_cannot_be_read_is_an_error_and_not_a_missing_order(
    outside: Outside, orders: Orders, fault: str
):
    outside.arm("orders", "*", fault)
    with pytest.raises(NotSent):
        await found(orders, order_id="1182")


@pytest.mark.parametrize("asked", [{}, {"order_id": 1182}, {"order_id": "../1182"}, {"order_id": ""}, {"number": "1"}])
def test_what_does_not_fit_is_refused(asked: dict[str, Any]):
    with pytest.raises(ValidationError):
        SearchArgs.model_validate(asked)


@pytest.mark.parametrize("topic", [*POLICIES, "Refund", "refund of orders", " RECEIPT ", "reshipping"])
async def test_a_policy_is_found_by_its_topic(topic: str):
    assert (await LOOKUP_POLICY.read(None, PolicyArgs(topic=topic)))["policy"]


@pytest.mark.parametrize("topic", ["warranty", "s", "?"])
async def test_an_unknown_topic_is_answered_with_those_there_are(topic: str):
    answer = await LOOKUP_POLICY.read(None, PolicyArgs(topic=topic))
    assert answer == {"topic": topic, "policy": None, "topics": [*POLICIES]}
