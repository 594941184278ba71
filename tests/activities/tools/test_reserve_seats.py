"""`reserve_seats`, its commit half and its counter-action against the sandbox: held, confirmed, given back, expired."""

from datetime import UTC, datetime

import pytest

from activities.providers.workspaces import INDEX_LAG_S
from activities.tools.confirm_seats import CONFIRM_SEATS, ConfirmArgs
from activities.tools.reserve_seats import HOLD_S, RESERVE_SEATS, SeatsArgs
from compensations.release_seats import RELEASE_SEATS
from saga.errors import NotSent, Refused, Unanswered
from saga.outcome import Receipt
from saga.tool import Call
from tests.activities.outside import EXECUTION, RUN, UNDO_KEY, Outside, call, look
from tests.activities.seats import COMMIT_KEY, LOST, NEVER, READS, SEATS_KEY, held, undoing, workspace


def confirming(made: Receipt, key: str = COMMIT_KEY) -> Call[ConfirmArgs]:
    args = ConfirmArgs(reservation_key=SEATS_KEY, workspace_id=str(made.result["workspace_id"]), quantity=40)
    return call(args, key, upstream={SEATS_KEY: made.external_ref})


async def test_seats_are_held_for_the_stated_time_and_once(outside: Outside):
    made = await held(outside)
    (effect,) = outside.effects("seats.reserve")
    assert (effect.ref, effect.key, effect.run, effect.execution) == (made.external_ref, SEATS_KEY, RUN, EXECUTION)
    until = datetime.fromtimestamp(outside.sandbox.world.now() + HOLD_S, UTC)
    assert made.holds_until is not None
    assert abs((made.holds_until - until).total_seconds()) < 5
    assert (await held(outside)).external_ref == made.external_ref
    assert len(outside.effects("seats.reserve")) == 1


async def test_a_pool_that_has_not_so_many_says_no_and_holds_none(outside: Outside):
    with pytest.raises(Refused) as error:
        await held(outside, quantity=4, client="tiny")
    assert error.value.code == "not_enough_seats"
    assert outside.effects("seats.reserve") == []
    assert await held(outside, quantity=3, client="tiny")


@LOST
async def test_a_lost_answer_is_unknown_after_one_request_and_found(outside: Outside, fault: str):
    args = SeatsArgs(workspace_id=(await workspace(outside)).external_ref, quantity=40)
    outside.arm("workspaces", "reserve", fault)
    with pytest.raises(Unanswered):
        await RESERVE_SEATS.perform(outside.workspaces(), call(args, SEATS_KEY))
    assert outside.sent("workspaces") == ["create", "reserve"]
    (seen,) = await look(RESERVE_SEATS, outside.workspaces(READS), call(args, SEATS_KEY))
    assert (seen.external_ref, seen.state) == (outside.effects("seats.reserve")[0].ref, "standing")
    assert seen.holds_until is not None


@NEVER
async def test_no_answer_and_nothing_done_is_unknown_too(outside: Outside, fault: str):
    args = SeatsArgs(workspace_id=(await workspace(outside)).external_ref, quantity=40)
    outside.arm("workspaces", "reserve", fault)
    with pytest.raises(Unanswered):
        await RESERVE_SEATS.perform(outside.workspaces(), call(args, SEATS_KEY))
    assert outside.effects("seats.reserve") == []


async def test_t10_a_lagging_list_shows_it_after_the_stated_time(outside: Outside):
    made = await held(outside)
    half = call(SeatsArgs(workspace_id=str(made.result["workspace_id"]), quantity=40), SEATS_KEY)
    outside.arm("workspaces", "list", f"lag:{INDEX_LAG_S}")
    assert await look(RESERVE_SEATS, outside.workspaces(READS), half) == []
    outside.advance(INDEX_LAG_S + 1)
    assert len(await look(RESERVE_SEATS, outside.workspaces(READS), half)) == 1


async def test_429_is_not_sent_and_says_when(outside: Outside):
    args = SeatsArgs(workspace_id=(await workspace(outside)).external_ref, quantity=40)
    outside.arm("workspaces", "reserve", "429:9")
    with pytest.raises(NotSent) as error:
        await RESERVE_SEATS.perform(outside.workspaces(), call(args, SEATS_KEY))
    assert error.value.retry_after_s == 9


async def test_confirmed_they_stay_and_once(outside: Outside):
    made = await held(outside)
    assert await look(CONFIRM_SEATS, outside.workspaces(READS), confirming(made)) == []
    first = await CONFIRM_SEATS.perform(outside.workspaces(), confirming(made))
    again = await CONFIRM_SEATS.perform(outside.workspaces(), confirming(made))
    assert (first.external_ref, first.holds_until, again.found) == (made.external_ref, None, True)
    assert [each.key for each in outside.effects("seats.confirm")] == [COMMIT_KEY]
    outside.advance(HOLD_S + 1)
    (seen,) = await look(CONFIRM_SEATS, outside.workspaces(READS), confirming(made))
    assert seen.state == "standing"
    assert "seats.reserve" in outside.standing()


@LOST
async def test_a_lost_answer_to_the_confirmation_is_unknown_and_found(outside: Outside, fault: str):
    made = await held(outside)
    outside.arm("workspaces", "confirm", fault)
    with pytest.raises(Unanswered):
        await CONFIRM_SEATS.perform(outside.workspaces(), confirming(made))
    assert len(await look(CONFIRM_SEATS, outside.workspaces(READS), confirming(made))) == 1


async def test_t23_a_hold_that_ended_is_refused_for_ever(outside: Outside):
    made = await held(outside)
    outside.advance(HOLD_S + 1)
    with pytest.raises(Refused) as error:
        await CONFIRM_SEATS.perform(outside.workspaces(), confirming(made))
    assert (error.value.code, error.value.remembered) == ("reservation_expired", True)
    with pytest.raises(Refused) as error:
        await held(outside)
    assert (error.value.code, error.value.remembered) == ("reservation_expired", True)
    assert await look(CONFIRM_SEATS, outside.workspaces(READS), confirming(made)) == []
    assert outside.effects("seats.confirm") == []


async def test_t23_seats_that_were_released_are_refused_for_ever(outside: Outside):
    made = await held(outside)
    await RELEASE_SEATS.perform(outside.workspaces(), undoing(SEATS_KEY, made))
    with pytest.raises(Refused) as error:
        await CONFIRM_SEATS.perform(outside.workspaces(), confirming(made))
    assert (error.value.code, error.value.remembered) == ("reservation_released", True)
    assert outside.effects("seats.confirm") == []


@pytest.mark.parametrize("confirmed", [False, True])
async def test_undone_they_are_in_the_pool_again_and_twice_is_once(outside: Outside, confirmed: bool):
    made = await held(outside, quantity=3, client="tiny")
    if confirmed:
        await CONFIRM_SEATS.perform(outside.workspaces(), confirming(made))
    half = undoing(COMMIT_KEY if confirmed else SEATS_KEY, made)
    for _ in range(2):
        await RELEASE_SEATS.perform(outside.workspaces(), half)
    assert [each.key for each in outside.effects("seats.release")] == [UNDO_KEY]
    assert {"seats.reserve", "seats.confirm"}.isdisjoint(outside.standing())
    (seen,) = await look(RELEASE_SEATS, outside.workspaces(READS), half)
    assert seen.state == "standing"
    other = SeatsArgs(workspace_id=str(made.result["workspace_id"]), quantity=3)
    assert await RESERVE_SEATS.perform(outside.workspaces(), call(other, "d" * 32))


@LOST
async def test_a_lost_answer_to_the_release_is_unknown_and_found(outside: Outside, fault: str):
    made = await held(outside)
    outside.arm("workspaces", "release", fault)
    with pytest.raises(Unanswered):
        await RELEASE_SEATS.perform(outside.workspaces(), undoing(SEATS_KEY, made))
    assert len(await look(RELEASE_SEATS, outside.workspaces(READS), undoing(SEATS_KEY, made))) == 1


@pytest.mark.parametrize("by", ["a person", "time"])
async def test_a_hold_that_ended_by_itself_is_given_back(outside: Outside, by: str):
    made = await held(outside)
    if by == "time":
        outside.advance(HOLD_S + 1)
    else:
        await outside.act("workspaces", made.external_ref, "expire")
    receipt = await RELEASE_SEATS.perform(outside.workspaces(), undoing(SEATS_KEY, made))
    assert (receipt.found, receipt.result["state"], receipt.result["already"]) == (True, "expired", True)
    assert outside.effects("seats.release") == []


async def test_without_a_reference_they_are_found_by_key_or_not_at_all(outside: Outside):
    await held(outside)
    await RELEASE_SEATS.perform(outside.workspaces(), undoing(SEATS_KEY))
    assert "seats.reserve" not in outside.standing()
    with pytest.raises(NotSent):
        await RELEASE_SEATS.perform(outside.workspaces(), undoing("d" * 32))


async def test_a_hold_that_the_service_does_not_know_holds_nothing(outside: Outside):
    half = call(undoing(SEATS_KEY).args, UNDO_KEY, ref="rsv_unknown")
    receipt = await RELEASE_SEATS.perform(outside.workspaces(), half)
    assert (receipt.result["already"], receipt.found) == (True, True)
    assert len(await look(RELEASE_SEATS, outside.workspaces(READS), half)) == 1
