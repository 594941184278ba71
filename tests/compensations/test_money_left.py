"""What an undo asks Stripe for, whatever was captured and whatever others gave back: what is left, and never nothing.

Asked are the counter-actions of a hold captured in part, by the real package, of the sandbox's Stripe.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, nullcontext
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from activities.payment import Hold
from activities.providers.payments import Payments
from activities.tools.capture_payment import CAPTURE_PAYMENT
from compensations.refund_charge import REFUND_CHARGE, RefundArgs
from compensations.void_authorisation import VOID_AUTHORISATION, VoidArgs
from saga.errors import NotSent, Refused
from saga.outcome import Receipt
from saga.tool import Call, CounterTool
from tests.activities.outside import UNDO_KEY, Outside, call
from tests.activities.paying import CAPTURE_KEY, HOLD, HOLD_KEY, by_hand, hold, payments, reader, returned_minor

EXAMPLES = settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
"""Each example is a dozen requests over loopback."""
HELD = st.integers(min_value=2, max_value=99_999_999)


@st.composite
def histories(draw: st.DrawFn) -> tuple[int, int, list[int]]:
    """(held, captured of it, what others gave back in turn; a number below zero fails the newest of those again)."""
    held = draw(HELD)
    captured = draw(st.integers(min_value=1, max_value=held))
    part = st.one_of(st.integers(min_value=1, max_value=captured), st.just(-1))
    return held, captured, draw(st.lists(part, max_size=3))


@pytest.fixture(params=["refund_charge", "void_authorisation"])
def counter(request: pytest.FixtureRequest) -> str:
    """Both can come to give back captured money."""
    return request.param


async def taken(outside: Outside, held: int, captured: int) -> Receipt:
    """A hold of so much, of which so much was captured."""
    outside.sandbox.world.reset()
    outside.sandbox.install()
    _, commit = await hold(outside, HOLD.model_copy(update={"amount_minor": held, "capture_minor": captured}))
    return await CAPTURE_PAYMENT.perform(payments(outside), commit)


def undoing(counter: str, ref: str, captured: int) -> tuple[CounterTool[Any], Call[Any]]:
    """The counter-action, and the half it is asked to undo."""
    if counter == "void_authorisation":
        return VOID_AUTHORISATION, call(VoidArgs(authorisation_key=HOLD_KEY), UNDO_KEY, ref=ref)
    args = RefundArgs(charge_key=CAPTURE_KEY, amount_minor=captured, currency="eur", reason="the run was undone")
    return REFUND_CHARGE, call(args, UNDO_KEY, ref=ref)


@asynccontextmanager
async def listening(outside: Outside) -> AsyncGenerator[tuple[Payments, list[int]]]:
    """Stripe, and the amounts of the refunds that it is asked for."""
    service, asked = payments(outside), list[int]()
    send = service._refunds.create_async

    async def heard(params: Any, *more: Any) -> Any:
        asked.append(params["amount"])
        return await send(params, *more)

    service._refunds.create_async = heard  # type: ignore[method-assign]
    yield service, asked


async def others_give_back(outside: Outside, ref: str, captured: int, parts: list[int]) -> int:
    """People in the dashboard, and the bank that sends back; what is left then."""
    for part in parts:
        back = returned_minor(outside)
        if part < 0 and back:
            await outside.act("payments", ref, "fail_refund")
        elif 0 < part <= captured - back:
            await by_hand(outside, ref, part)
    return captured - returned_minor(outside)


@EXAMPLES
@given(history=histories())
async def test_t39_it_asks_once_for_exactly_what_is_left_and_not_at_all_once_it_is_back(outside, counter, history):
    held, captured, parts = history
    charge = await taken(outside, held, captured)
    left = await others_give_back(outside, charge.external_ref, captured, parts)
    tool, undo = undoing(counter, charge.external_ref, captured)
    async with listening(outside) as (service, asked):
        first = await tool.perform(service, undo)
        again = await tool.perform(service, undo)
    assert asked == ([left] if left else [])
    assert returned_minor(outside) == captured
    (seen,) = await tool.find(reader(outside), undo)
    assert seen.result == again.result == first.result
    lines = [first.result[f"{name}_minor"] for name in ("original", "compensated", "already_refunded")]
    assert lines == [captured, left, captured - left]


@EXAMPLES
@given(history=histories(), late=st.integers(min_value=1, max_value=99_999_999))
async def test_what_goes_back_between_looking_and_asking_never_makes_it_more_than_was_taken(
    outside, counter, history, late
):
    held, captured, parts = history
    charge = await taken(outside, held, captured)
    left = await others_give_back(outside, charge.external_ref, captured, parts)
    tool, undo = undoing(counter, charge.external_ref, captured)
    async with listening(outside) as (service, asked):
        ask = service.refund

        async def slow(*args: Any, **kwargs: Any) -> Any:
            await by_hand(outside, charge.external_ref, min(late, left))
            return await ask(*args, **kwargs)

        service.refund = slow  # type: ignore[method-assign]
        with pytest.raises(Refused) if late < left else nullcontext():
            await tool.perform(service, undo)
    assert asked == ([left] if left else [])
    assert returned_minor(outside) <= captured


@pytest.mark.parametrize("amount_minor", [0, -1, -500])
async def test_nothing_and_less_than_nothing_are_never_asked_for(outside: Outside, amount_minor: int):
    charge = await taken(outside, 500, 300)
    async with listening(outside) as (service, asked):
        with pytest.raises(NotSent) as error:
            await service.refund(charge.external_ref, amount_minor, call(HOLD).tags, reason="x")
    assert (error.value.code, error.value.lasting) == ("no_amount", True)
    assert asked == []
    assert outside.effects("charge.refund") == []


async def test_a_charge_of_which_stripe_says_that_nothing_was_taken_is_not_asked_for(outside: Outside, monkeypatch):
    """A payment that has succeeded with nothing in it is no answer to build a refund on."""
    charge = await taken(outside, 500, 300)
    tool, undo = undoing("refund_charge", charge.external_ref, 300)
    with outside.sandbox.world.transaction():
        doc = outside.sandbox.world.get("payments", "intent", charge.external_ref)
        assert doc is not None
        doc["wire"]["amount_received"] = 0
        outside.sandbox.world.put("payments", "intent", charge.external_ref, doc)
    with pytest.raises(NotSent) as error:
        await tool.perform(payments(outside), undo)
    assert error.value.code == "no_amount"
    assert outside.sent("payments") == ["authorise", "capture"]


@pytest.mark.parametrize(
    ("amounts", "field"),
    [
        ({"capture_minor": 501}, "capture_minor"),
        ({"capture_minor": 0}, "capture_minor"),
        ({"capture_minor": -1}, "capture_minor"),
        ({"capture_minor": 3.0}, "capture_minor"),
        ({"capture_minor": "300"}, "capture_minor"),
        ({"capture_minor": True}, "capture_minor"),
        ({"capture_minor": 300, "amount_minor": 0}, "amount_minor"),
        ({"capture_minor": 300, "amount_minor": -500}, "amount_minor"),
    ],
)
def test_t38_an_amount_that_cannot_be_taken_is_refused_and_named(amounts: dict[str, Any], field: str):
    with pytest.raises(ValueError, match=field) as refused:
        Hold.model_validate({**HOLD.model_dump(), **amounts})
    assert [each["loc"] for each in refused.value.errors()] == [(field,)]  # type: ignore[attr-defined]
