"""`purchase_seats` and `lookup_account` against the sandbox: paid once, refused with a reason, checked beforehand."""

import pytest

from activities.tools.lookup_account import LOOKUP_ACCOUNT, AccountArgs
from activities.tools.purchase_seats import PURCHASE_SEATS, PurchaseArgs
from activities.tools.reserve_seats import HOLD_S
from compensations.refund_seats import REFUND_SEATS
from saga.errors import BadInput, ProviderError, Refused, Unanswered
from tests.activities.outside import EXECUTION, RUN, Outside, call, look
from tests.activities.seats import LOST, NEVER, PURCHASE_KEY, READS, bought, held, to_buy


async def check(outside: Outside, args: PurchaseArgs) -> None:
    assert PURCHASE_SEATS.check is not None
    await PURCHASE_SEATS.check(outside.workspaces(READS), args)


async def test_they_are_paid_for_once(outside: Outside):
    args = await to_buy(outside)
    first = await PURCHASE_SEATS.perform(outside.workspaces(), call(args, PURCHASE_KEY))
    again = await PURCHASE_SEATS.perform(outside.workspaces(), call(args, PURCHASE_KEY))
    assert again.external_ref == first.external_ref
    (effect,) = outside.effects("seats.purchase")
    assert (effect.ref, effect.key, effect.run, effect.execution) == (first.external_ref, PURCHASE_KEY, RUN, EXECUTION)
    assert (effect.amount_minor, effect.currency) == (50_000, "usd")
    assert set(effect.audience) == set(PURCHASE_SEATS.audience(args))
    assert first.result["fee_minor"] == 1_480
    (seen,) = await look(PURCHASE_SEATS, outside.workspaces(READS), call(args, PURCHASE_KEY))
    assert (seen.external_ref, seen.state) == (first.external_ref, "standing")


@pytest.mark.parametrize(("client", "code"), [("initech", "payment_required"), ("hooli", "card_declined")])
async def test_an_account_that_cannot_pay_is_refused_with_the_reason(outside: Outside, client: str, code: str):
    args = await to_buy(outside, client=client)
    with pytest.raises(Refused) as error:
        await PURCHASE_SEATS.perform(outside.workspaces(), call(args, PURCHASE_KEY))
    assert (error.value.code, error.value.status) == (code, 402)
    assert outside.effects("seats.purchase") == []
    assert await look(PURCHASE_SEATS, outside.workspaces(READS), call(args, PURCHASE_KEY)) == []


def test_only_a_declined_card_is_the_models_to_try_again():
    assert PURCHASE_SEATS.correctable == ("card_declined",)


async def test_a_hold_that_ended_is_not_paid_for(outside: Outside):
    args = await to_buy(outside)
    outside.advance(HOLD_S + 1)
    with pytest.raises(Refused) as error:
        await PURCHASE_SEATS.perform(outside.workspaces(), call(args, PURCHASE_KEY))
    assert error.value.code == "reservation_expired"
    assert outside.effects("seats.purchase") == []


@LOST
async def test_a_lost_answer_is_unknown_after_one_request_and_found(outside: Outside, fault: str):
    args = await to_buy(outside)
    outside.arm("workspaces", "capture", fault)
    with pytest.raises(Unanswered):
        await PURCHASE_SEATS.perform(outside.workspaces(), call(args, PURCHASE_KEY))
    assert outside.sent("workspaces") == ["create", "reserve", "capture"]
    (seen,) = await look(PURCHASE_SEATS, outside.workspaces(READS), call(args, PURCHASE_KEY))
    assert seen.external_ref == outside.effects("seats.purchase")[0].ref


@NEVER
async def test_no_answer_and_nothing_done_is_unknown_too(outside: Outside, fault: str):
    args = await to_buy(outside)
    outside.arm("workspaces", "capture", fault)
    with pytest.raises(Unanswered):
        await PURCHASE_SEATS.perform(outside.workspaces(), call(args, PURCHASE_KEY))
    assert outside.effects("seats.purchase") == []


async def test_delivered_twice_is_paid_once(outside: Outside):
    args = await to_buy(outside)
    outside.arm("workspaces", "capture", "duplicate")
    await PURCHASE_SEATS.perform(outside.workspaces(), call(args, PURCHASE_KEY))
    assert len(outside.effects("seats.purchase")) == 1


async def test_one_that_was_given_back_is_not_paid_for_again(outside: Outside):
    paid = await bought(outside)
    await REFUND_SEATS.perform(outside.workspaces(), paid.undo)
    outside.advance(4)
    args = PurchaseArgs(
        reservation_id=outside.effects("seats.reserve")[0].ref, quantity=40, amount_minor=50_000, currency="usd"
    )
    with pytest.raises(Refused) as error:
        await PURCHASE_SEATS.perform(outside.workspaces(), call(args, PURCHASE_KEY))
    assert (error.value.code, error.value.remembered) == ("purchase_refunded", True)
    (seen,) = await look(PURCHASE_SEATS, outside.workspaces(READS), call(args, PURCHASE_KEY))
    assert seen.state == "undone"
    assert len(outside.effects("seats.purchase")) == 1


async def test_what_fits_passes_the_check(outside: Outside):
    await check(outside, await to_buy(outside))
    assert "seats.purchase" not in outside.standing()


@pytest.mark.parametrize(
    ("client", "change", "field", "said"),
    [
        ("acme", {"currency": "eur"}, "currency", "usd"),
        ("globex", {"currency": "usd"}, "currency", "eur"),
        ("acme", {"amount_minor": 500}, "amount_minor", "500.00 USD"),
        ("acme", {"amount_minor": 5_000_000}, "amount_minor", "50000"),
        ("acme", {"quantity": 41}, "quantity", "40"),
        ("acme", {"reservation_id": "rsv_nobody"}, "reservation_id", "no seats"),
    ],
)
async def test_what_the_account_would_not_take_is_named_beforehand(outside: Outside, client, change, field, said):
    args = (await to_buy(outside, client=client)).model_copy(update=change)
    with pytest.raises(BadInput) as error:
        await check(outside, args)
    assert error.value.field == field
    assert said in error.value.problem


@pytest.mark.parametrize("fault", ["before:503", "after:blank200", "after:html200", "refuse:401"])
async def test_a_check_that_cannot_be_made_blames_no_argument(outside: Outside, fault: str):
    args = await to_buy(outside)
    outside.arm("workspaces", "read", fault)
    with pytest.raises(ProviderError):
        await check(outside, args)


async def test_an_account_is_read_with_its_price_in_words(outside: Outside):
    said = await LOOKUP_ACCOUNT.read(outside.workspaces(READS), AccountArgs(client="umbrella"))
    assert said == {
        "client": "umbrella",
        "currency": "jpy",
        "seat_price_minor": 1800,
        "seat_price": "1800 JPY",
        "has_payment_method": True,
    }
    poor = await LOOKUP_ACCOUNT.read(outside.workspaces(READS), AccountArgs(client="initech"))
    assert poor["has_payment_method"] is False
    assert outside.effects() == []


async def test_what_is_bought_is_said_in_words(outside: Outside):
    made = await held(outside)
    args = PurchaseArgs(reservation_id=made.external_ref, quantity=40, amount_minor=50_000, currency="usd")
    assert "500.00 USD for 40 seats" in PURCHASE_SEATS.target(args)
    assert PURCHASE_SEATS.cost is not None
    assert str(PURCHASE_SEATS.cost(args)) == "500.00 USD"
