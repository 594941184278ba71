"""Searching payment intents: what Stripe's query language says, and what it refuses."""

import pytest
import stripe

from tests.sandbox.paying import quiet
from workers.sandbox.payments_error import Refusal
from workers.sandbox.payments_search import parse

pytestmark = quiet

KEY = "a" * 32


@pytest.fixture
async def three(pay):
    """Two charges, of 100 and 200 cents, and a hold of 300; the last with a key and a quote in its note."""
    made = []
    for amount, manual in ((100, False), (200, False), (300, True)):
        params = {
            "amount": amount, "currency": "usd", "payment_method": "pm_card_visa", "confirm": True,
            "capture_method": "manual" if manual else "automatic",
            "metadata": {"saga_key": KEY, "note": "it's \"so\""} if manual else {"saga_key": f"other-{amount}"},
        }  # fmt: skip
        made.append((await pay.v1.payment_intents.create_async(params)).id)
    return made


async def found(pay, query, **params):
    return [i.id for i in (await pay.v1.payment_intents.search_async({"query": query, **params})).data]


@pytest.mark.parametrize(
    ("query", "which"),
    [
        (f"metadata['saga_key']:'{KEY}'", [2]),
        (f'metadata["saga_key"]:"{KEY.upper()}"', [2]),
        (f"metadata['saga_key']:'{KEY}' AND status:'succeeded'", []),
        (f"metadata['saga_key']:'{KEY}' status:'requires_capture'", [2]),
        ("metadata['saga_key']:'other-100' or metadata['saga_key']:'other-200'", [1, 0]),
        ("currency:'usd' AND -status:'succeeded'", [2]),
        ("currency:'USD' AND amount>100", [2, 1]),
        ("currency:'usd' AND amount>=100 AND amount<300", [1, 0]),
        ("currency:'usd' AND amount:200", [1]),
        ("currency:'usd' AND amount<=\"200\"", [1, 0]),
        ("currency:'usd' AND metadata['note']:null", [1, 0]),
        ("currency:'usd' AND -metadata['note']:null", [2]),
        (r"metadata['note']:'it\'s \"so\"'", [2]),
        ("currency:'usd' AND created>4000000000", []),
    ],
)
async def test_a_query_finds(pay, three, query, which):
    assert await found(pay, query) == [three[number] for number in which]


@pytest.mark.parametrize(
    "query",
    [
        "anything", "colour:'red'", "metadata:'x'", "status['x']:'y'", "status:succeeded", "status~'succ'",
        "status>'a'", "amount:'lots'", "amount~100", "amount:null", "status:null", "metadata['a']~'b'",
        "status:'a' AND", "AND status:'a'", "status:'a' AND amount>1 OR amount<5", "status:'a'amount>1",
        "status:'a", "(status:'a')", " ".join("status:'a'" for _ in range(11)),
    ],
)  # fmt: skip
async def test_what_is_not_understood_is_refused(pay, query):
    with pytest.raises(stripe.InvalidRequestError) as caught:
        await found(pay, query)
    assert (caught.value.http_status, caught.value.param) == (400, "query")


async def test_an_empty_query_is_refused(raw):
    assert (await raw.get("/v1/payment_intents/search")).json()["error"]["code"] == "parameter_missing"
    with pytest.raises(Refusal):
        parse("")


async def test_results_are_paged(pay, three):
    first = await pay.v1.payment_intents.search_async({"query": "currency:'usd'", "limit": 2})
    assert ([intent.id for intent in first.data], first.has_more) == ([three[2], three[1]], True)
    assert await found(pay, "currency:'usd'", limit=2, page=first.next_page) == [three[0]]
    assert [intent.id async for intent in first.auto_paging_iter()] == three[::-1]
    with pytest.raises(stripe.InvalidRequestError):
        await found(pay, "currency:'usd'", page="!")
