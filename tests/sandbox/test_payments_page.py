"""Stripe's lists through the real `stripe` package: order, pages, windows of time."""

import pytest

from tests.sandbox.paying import CHARGE, quiet, refused

pytestmark = quiet

CHARGED = {**CHARGE, "customer": "cus_1182"}


async def create(pay, params):
    return await pay.v1.payment_intents.create_async(params)


async def test_lists_are_newest_first_and_paged(pay):
    refs = [(await create(pay, {**CHARGED, "amount": 100 + n})).id for n in range(5)]
    page = await pay.v1.payment_intents.list_async({"customer": "cus_1182", "limit": 2})
    assert [intent.id for intent in page.data] == [refs[4], refs[3]]
    assert page.has_more
    page = await pay.v1.payment_intents.list_async({"customer": "cus_1182", "limit": 2, "starting_after": refs[3]})
    assert [intent.id for intent in page.data] == [refs[2], refs[1]]
    back = await pay.v1.payment_intents.list_async({"customer": "cus_1182", "limit": 2, "ending_before": refs[1]})
    assert [intent.id for intent in back.data] == [refs[3], refs[2]]
    assert back.has_more
    every = await pay.v1.payment_intents.list_async({"customer": "cus_1182", "limit": 2})
    assert [intent.id async for intent in every.auto_paging_iter()] == [*refs[::-1], "pi_order_1182"]


async def test_lists_take_a_window_of_time_and_a_customer(sandbox, pay):
    sandbox.world.set_clock(2_000_000_000, frozen=True)
    early = await create(pay, CHARGED)
    sandbox.world.advance(100)
    late = await create(pay, {**CHARGED, "customer": "cus_1183"})
    by = pay.v1.payment_intents.list_async

    async def found(**params):
        return [intent.id for intent in (await by(params)).data if not intent.id.startswith("pi_order")]

    assert await found(created={"gte": 2_000_000_001}) == [late.id]
    assert await found(created={"gt": 2_000_000_000, "lt": 2_000_000_100}) == []
    assert await found(created={"lte": 2_000_000_000}) == [early.id]
    assert await found(created=2_000_000_100) == [late.id]
    assert await found(customer="cus_1182") == [early.id]


@pytest.mark.parametrize(
    ("params", "param"),
    [({"limit": 101}, "limit"), ({"limit": 0}, "limit"), ({"starting_after": "pi_none"}, "starting_after"),
     ({"colour": "red"}, "colour"), ({"created": {"since": 5}}, "created[since]")],
)  # fmt: skip
async def test_lists_refuse_what_they_do_not_know(pay, params, param):
    error = await refused(pay.v1.payment_intents.list_async(params))
    assert (error.http_status, error.param) == (400, param)
