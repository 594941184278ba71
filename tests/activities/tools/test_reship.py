"""`reship`, its counter-action and its commit half against the sandbox's warehouse."""

from datetime import UTC, datetime

import pytest

from activities.providers.warehouse import HOLD_S, INDEX_LAG_S
from activities.tools.reship import RESHIP, Address, ReshipArgs
from compensations.release_goods import RELEASE_GOODS, ReleaseArgs
from saga.errors import NotSent, ProviderError, Refused, Unanswered
from saga.outcome import Receipt
from saga.tool import Call
from tests.activities.outside import EXECUTION, KEY, RUN, UNDO_KEY, Outside, call, look

ARGS = ReshipArgs(order_id="1182", customer_email="mara@customers.test", reason="arrived broken")
LOST = pytest.mark.parametrize(
    "fault",
    [
        "after:reset",
        "after:503",
        "after:504",
        "after:500",
        "after:truncate",
        "after:blank200",
        "after:204",
        "after:html200",
    ],
)
NOTHING_DONE = pytest.mark.parametrize("fault", ["before:503", "before:reset", "refuse:500", "in_use", "outage:30"])


def releasing(made: Receipt) -> Call[ReleaseArgs]:
    return call(ReleaseArgs(reservation_key=KEY), UNDO_KEY, ref=made.external_ref, result=made.result)


async def test_goods_are_set_aside_for_the_stated_time(outside: Outside):
    receipt = await RESHIP.perform(outside.warehouse(), call(ARGS))
    (effect,) = outside.effects()
    assert (effect.kind, effect.key, effect.run, effect.execution) == ("goods.reserve", KEY, RUN, EXECUTION)
    assert (effect.ref, receipt.execution) == (receipt.external_ref, EXECUTION)
    until = datetime.fromtimestamp(outside.sandbox.world.now() + HOLD_S, UTC)
    assert receipt.holds_until is not None
    assert abs((receipt.holds_until - until).total_seconds()) < 5


async def test_the_same_key_is_the_same_reservation(outside: Outside):
    first = await RESHIP.perform(outside.warehouse(), call(ARGS))
    assert (await RESHIP.perform(outside.warehouse(), call(ARGS))).external_ref == first.external_ref
    assert len(outside.effects()) == 1


async def test_another_address_goes_along(outside: Outside):
    address = Address(line1="Nygatan 1", postal_code="411 08", city="Göteborg", country="SE")
    made = await RESHIP.perform(outside.warehouse(), call(ARGS.model_copy(update={"address": address})))
    kept = outside.sandbox.world.get("warehouse", "reservation", made.external_ref) or {}
    assert kept["address"]["line1"] == "Nygatan 1"


@pytest.mark.parametrize(("order_id", "code"), [("1190", "out_of_stock"), ("9999", "unknown_order")])
async def test_the_warehouses_no_is_a_refusal_with_its_code(outside: Outside, order_id: str, code: str):
    with pytest.raises(Refused) as error:
        await RESHIP.perform(outside.warehouse(), call(ARGS.model_copy(update={"order_id": order_id})))
    assert error.value.code == code
    assert outside.effects() == []


async def test_the_key_of_other_goods_is_no_refusal_of_these(outside: Outside):
    await RESHIP.perform(outside.warehouse(), call(ARGS))
    with pytest.raises(Unanswered):
        await RESHIP.perform(outside.warehouse(), call(ARGS.model_copy(update={"order_id": "1183"})))


@LOST
async def test_a_lost_answer_is_unknown_after_one_post_and_found(outside: Outside, fault: str):
    outside.arm("warehouse", "reserve", fault)
    with pytest.raises(Unanswered):
        await RESHIP.perform(outside.warehouse(), call(ARGS))
    assert outside.sent("warehouse") == ["reserve"]
    (seen,) = await look(RESHIP, outside.warehouse("warehouse-read"), call(ARGS))
    assert (seen.external_ref, seen.state) == (outside.effects()[0].ref, "standing")


@NOTHING_DONE
async def test_no_answer_and_nothing_done_is_unknown_too(outside: Outside, fault: str):
    outside.arm("warehouse", "reserve", fault)
    with pytest.raises(Unanswered):
        await RESHIP.perform(outside.warehouse(), call(ARGS))
    assert outside.sent("warehouse") == ["reserve"]
    assert outside.effects() == []


async def test_a_write_that_outlasts_the_time_limit_is_unknown(outside: Outside):
    outside.arm("warehouse", "reserve", "after:slow:2")
    with pytest.raises(Unanswered):
        await RESHIP.perform(outside.warehouse(timeout_s=0.5), call(ARGS))
    assert len(outside.effects()) == 1


async def test_429_is_not_sent(outside: Outside):
    outside.arm("warehouse", "reserve", "429:9")
    with pytest.raises(NotSent) as error:
        await RESHIP.perform(outside.warehouse(), call(ARGS))
    assert error.value.retry_after_s == 9


@pytest.mark.parametrize("token", ["warehouse-read", "stale"])
async def test_who_may_not_write_is_told_so_for_good(outside: Outside, token: str):
    with pytest.raises(NotSent) as error:
        await RESHIP.perform(outside.warehouse(token), call(ARGS))
    assert error.value.lasting


async def test_no_warehouse_there_is_not_sent(outside: Outside):
    with pytest.raises(NotSent):
        await RESHIP.perform(outside.warehouse(url="http://127.0.0.1:9"), call(ARGS))


@pytest.mark.parametrize("fault", ["before:503", "before:reset", "after:blank200", "after:html200", "refuse:401"])
async def test_a_look_that_fails_is_an_error_and_never_an_absence(outside: Outside, fault: str):
    outside.arm("warehouse", "list", fault)
    with pytest.raises(ProviderError):
        await look(RESHIP, outside.warehouse("warehouse-read"), call(ARGS))


async def test_an_empty_list_is_followed_by_a_proof_of_the_token(outside: Outside):
    assert await look(RESHIP, outside.warehouse("warehouse-read"), call(ARGS)) == []
    with pytest.raises(NotSent):
        await look(RESHIP, outside.warehouse("stale"), call(ARGS))


async def test_t10_a_lagging_list_shows_it_after_the_stated_time(outside: Outside):
    await RESHIP.perform(outside.warehouse(), call(ARGS))
    outside.arm("warehouse", "list", f"lag:{INDEX_LAG_S}")
    assert await look(RESHIP, outside.warehouse("warehouse-read"), call(ARGS)) == []
    outside.advance(INDEX_LAG_S + 1)
    assert len(await look(RESHIP, outside.warehouse("warehouse-read"), call(ARGS))) == 1


async def test_released_goods_are_back_and_again_is_once(outside: Outside):
    made = await RESHIP.perform(outside.warehouse(), call(ARGS))
    half = releasing(made)
    assert await look(RELEASE_GOODS, outside.warehouse("warehouse-read"), half) == []
    await RELEASE_GOODS.perform(outside.warehouse(), half)
    await RELEASE_GOODS.perform(outside.warehouse(), half)
    reserve, release = outside.effects()
    assert (reserve.state, release.kind, release.key) == ("undone", "goods.release", UNDO_KEY)
    (seen,) = await look(RELEASE_GOODS, outside.warehouse("warehouse-read"), half)
    assert seen.state == "standing"
    (forward,) = await look(RESHIP, outside.warehouse("warehouse-read"), call(ARGS))
    assert forward.state == "undone"


@LOST
async def test_a_lost_answer_to_the_release_is_unknown_and_found(outside: Outside, fault: str):
    made = await RESHIP.perform(outside.warehouse(), call(ARGS))
    outside.arm("warehouse", "release", fault)
    with pytest.raises(Unanswered):
        await RELEASE_GOODS.perform(outside.warehouse(), releasing(made))
    assert len(await look(RELEASE_GOODS, outside.warehouse("warehouse-read"), releasing(made))) == 1


@pytest.mark.parametrize("act", ["expire", "close"])
async def test_goods_that_went_back_by_themselves_are_released(outside: Outside, act: str):
    made = await RESHIP.perform(outside.warehouse(), call(ARGS))
    await outside.act("warehouse", made.external_ref, act)
    assert len(await look(RELEASE_GOODS, outside.warehouse("warehouse-read"), releasing(made))) == 1
    receipt = await RELEASE_GOODS.perform(outside.warehouse(), releasing(made))
    assert receipt.result.get("already") == (True if act == "expire" else None)
    assert "goods.reserve" not in outside.standing()


async def test_a_reservation_that_ran_out_is_not_taken_for_a_new_one(outside: Outside):
    await RESHIP.perform(outside.warehouse(), call(ARGS))
    outside.advance(HOLD_S + 1)
    with pytest.raises(Refused) as error:
        await RESHIP.perform(outside.warehouse(), call(ARGS))
    assert error.value.remembered


async def test_without_a_reference_it_is_found_by_key_or_not_at_all(outside: Outside):
    await RESHIP.perform(outside.warehouse(), call(ARGS))
    await RELEASE_GOODS.perform(outside.warehouse(), call(ReleaseArgs(reservation_key=KEY), UNDO_KEY))
    assert "goods.reserve" not in outside.standing()
    with pytest.raises(NotSent):
        await RELEASE_GOODS.perform(outside.warehouse(), call(ReleaseArgs(reservation_key="d" * 32), UNDO_KEY))


async def test_a_reservation_that_the_warehouse_does_not_know_holds_nothing(outside: Outside):
    half = call(ReleaseArgs(reservation_key=KEY), UNDO_KEY, ref="rsv_unknown")
    assert (await RELEASE_GOODS.perform(outside.warehouse(), half)).result["already"] is True
    assert len(await look(RELEASE_GOODS, outside.warehouse("warehouse-read"), half)) == 1
