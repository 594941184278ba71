"""Looking for a charge or a hold in the sandbox's Stripe: all of its key, and never an absence that is none."""

import pytest

from activities.tools.authorise_payment import AUTHORISE_PAYMENT
from activities.tools.charge_card import CHARGE_CARD
from saga.errors import NotSent
from tests.activities.outside import OTHER_KEY, Outside, call, look
from tests.activities.paying import PAYMENT, payments, reader


async def test_t11_two_charges_under_a_forgotten_key_are_both_seen_oldest_first(outside: Outside):
    outside.arm("payments", "*", "forget_keys:0")
    first = await CHARGE_CARD.perform(payments(outside), call(PAYMENT))
    second = await CHARGE_CARD.perform(payments(outside), call(PAYMENT))
    seen = await look(CHARGE_CARD, reader(outside), call(PAYMENT))
    assert [each.external_ref for each in seen] == [first.external_ref, second.external_ref]


async def test_a_charge_of_another_key_is_not_ours(outside: Outside):
    await CHARGE_CARD.perform(payments(outside), call(PAYMENT, OTHER_KEY))
    assert await look(CHARGE_CARD, reader(outside), call(PAYMENT)) == []


async def test_a_blind_look_is_never_an_absence(outside: Outside):
    await CHARGE_CARD.perform(payments(outside), call(PAYMENT))
    outside.arm("payments", "list", "blind")
    with pytest.raises(NotSent) as error:
        await look(CHARGE_CARD, reader(outside), call(PAYMENT))
    assert error.value.code == "blind"


async def test_a_look_that_was_blind_for_a_moment_is_made_again(outside: Outside):
    receipt = await CHARGE_CARD.perform(payments(outside), call(PAYMENT))
    outside.arm("payments", "list", "blind", times=1)
    (seen,) = await look(CHARGE_CARD, reader(outside), call(PAYMENT))
    assert seen.external_ref == receipt.external_ref


@pytest.mark.parametrize(
    "fault", ["before:503", "after:reset", "after:blank200", "after:204", "after:html200", "refuse:500"]
)
async def test_a_look_that_gets_no_answer_is_never_an_absence(outside: Outside, fault: str):
    outside.arm("payments", "list", fault)
    with pytest.raises(NotSent):
        await look(CHARGE_CARD, reader(outside), call(PAYMENT))


async def test_looking_never_writes(outside: Outside):
    """T10."""
    await look(CHARGE_CARD, reader(outside), call(PAYMENT))
    await look(AUTHORISE_PAYMENT, reader(outside), call(PAYMENT))
    assert outside.sent("payments") == []


async def test_what_a_person_refunded_or_an_expired_hold_released_is_seen_as_undone(outside: Outside):
    charge = await CHARGE_CARD.perform(payments(outside), call(PAYMENT))
    held = await AUTHORISE_PAYMENT.perform(payments(outside), call(PAYMENT, OTHER_KEY))
    await outside.act("payments", charge.external_ref, "refund")
    await outside.act("payments", held.external_ref, "expire")
    (seen,) = await look(CHARGE_CARD, reader(outside), call(PAYMENT))
    assert seen.state == "undone"
    (seen,) = await look(AUTHORISE_PAYMENT, reader(outside), call(PAYMENT, OTHER_KEY))
    assert (seen.state, seen.holds_until) == ("undone", None)
