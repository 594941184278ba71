"""`ship_parcel` against the sandbox's warehouse: one parcel, and what nobody can ship any more."""

import pytest

from activities.tools.reship import RESHIP, ReshipArgs
from activities.tools.ship_parcel import SHIP_PARCEL, ShipArgs
from compensations.release_goods import RELEASE_GOODS, ReleaseArgs
from saga.errors import Refused, Unanswered
from saga.outcome import Receipt
from saga.tool import Call
from tests.activities.outside import EXECUTION, KEY, OTHER_KEY, UNDO_KEY, Outside, call, look

EMAIL = "mara@customers.test"


async def reserved(outside: Outside) -> Receipt:
    args = ReshipArgs(order_id="1182", customer_email=EMAIL, reason="arrived broken")
    return await RESHIP.perform(outside.warehouse(), call(args))


def shipping(made: Receipt, key: str = OTHER_KEY) -> Call[ShipArgs]:
    args = ShipArgs(reservation_key=KEY, order_id="1182", customer_email=EMAIL)
    return call(args, key, upstream={KEY: made.external_ref})


async def test_the_parcel_leaves_once(outside: Outside):
    made = await reserved(outside)
    first = await SHIP_PARCEL.perform(outside.warehouse(), shipping(made))
    again = await SHIP_PARCEL.perform(outside.warehouse(), shipping(made))
    assert first.external_ref == again.external_ref
    assert first.execution == EXECUTION
    (parcel,) = outside.effects("parcel.send")
    assert (parcel.key, parcel.ref, parcel.audience) == (OTHER_KEY, first.external_ref, ["customer", "partner"])
    (seen,) = await look(SHIP_PARCEL, outside.warehouse("warehouse-read"), shipping(made))
    assert (seen.external_ref, seen.state) == (first.external_ref, "standing")


@pytest.mark.parametrize("fault", ["after:reset", "after:504", "after:blank200", "after:204", "after:html200"])
async def test_a_lost_answer_is_unknown_after_one_post_and_found(outside: Outside, fault: str):
    made = await reserved(outside)
    assert await look(SHIP_PARCEL, outside.warehouse("warehouse-read"), shipping(made)) == []
    outside.arm("warehouse", "confirm", fault)
    with pytest.raises(Unanswered):
        await SHIP_PARCEL.perform(outside.warehouse(), shipping(made))
    assert outside.sent("warehouse") == ["reserve", "confirm"]
    assert len(await look(SHIP_PARCEL, outside.warehouse("warehouse-read"), shipping(made))) == 1


@pytest.mark.parametrize(("act", "code"), [("expire", "reservation_expired"), ("close", "reservation_released")])
async def test_t23_goods_that_went_back_are_refused(outside: Outside, act: str, code: str):
    made = await reserved(outside)
    await outside.act("warehouse", made.external_ref, act)
    with pytest.raises(Refused) as error:
        await SHIP_PARCEL.perform(outside.warehouse(), shipping(made))
    assert error.value.code == code
    assert outside.effects("parcel.send") == []


async def test_a_parcel_that_left_under_another_key_is_not_ours(outside: Outside):
    made = await reserved(outside)
    await SHIP_PARCEL.perform(outside.warehouse(), shipping(made))
    with pytest.raises(Refused):
        await SHIP_PARCEL.perform(outside.warehouse(), shipping(made, "d" * 32))
    assert len(outside.effects("parcel.send")) == 1


async def test_the_reservation_is_found_by_key_where_no_reference_is_known(outside: Outside):
    await reserved(outside)
    args = ShipArgs(reservation_key=KEY, order_id="1182", customer_email=EMAIL)
    assert (await SHIP_PARCEL.perform(outside.warehouse(), call(args, OTHER_KEY))).external_ref


async def test_what_has_left_is_not_released(outside: Outside):
    made = await reserved(outside)
    await SHIP_PARCEL.perform(outside.warehouse(), shipping(made))
    half = call(ReleaseArgs(reservation_key=KEY), UNDO_KEY, ref=made.external_ref, result=made.result)
    with pytest.raises(Refused) as error:
        await RELEASE_GOODS.perform(outside.warehouse(), half)
    assert error.value.code == "reservation_confirmed"
    assert await look(RELEASE_GOODS, outside.warehouse("warehouse-read"), half) == []


def test_the_correction_says_to_whom_and_of_what():
    assert SHIP_PARCEL.correct is not None
    letter = SHIP_PARCEL.correct(ShipArgs(reservation_key=KEY, order_id="1182", customer_email=EMAIL))
    assert letter is not None
    assert letter.args["to"] == EMAIL
    assert "1182" in str(letter.args["text"])
