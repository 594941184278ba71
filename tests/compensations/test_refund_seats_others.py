"""`refund_seats` beside others: whoever was faster did our work, and what is left is what the service says is left."""

import pytest

from activities.providers.thing import Thing
from compensations.purchase_undo import Books
from compensations.refund_seats import REFUND_SEATS
from saga.errors import Refused
from tests.activities.outside import UNDO_KEY, Outside, look
from tests.activities.seats import READS, SETTLED_S, bought, by_hand, returned_minor


async def test_t25_given_back_by_a_person_is_given_back(outside: Outside):
    paid = await bought(outside)
    await by_hand(outside, paid.ref, 50_000)
    receipt = await REFUND_SEATS.perform(outside.workspaces(), paid.undo)
    assert (receipt.found, receipt.pending, receipt.execution) == (True, True, None)
    assert (receipt.result["already"], receipt.result["by"]) == (True, "somebody_else")
    outside.advance(SETTLED_S)
    (seen,) = await look(REFUND_SEATS, outside.workspaces(READS), paid.undo)
    assert (seen.state, seen.result["compensated_minor"]) == ("standing", 50_000)
    assert [each.key for each in outside.effects("seats.refund")] == ["by-hand-50000"]


async def test_t25_t39_given_back_in_part_only_the_rest_goes_back(outside: Outside):
    paid = await bought(outside)
    await by_hand(outside, paid.ref, 12_000)
    assert await look(REFUND_SEATS, outside.workspaces(READS), paid.undo) == []
    receipt = await REFUND_SEATS.perform(outside.workspaces(), paid.undo)
    assert receipt.result["compensated_minor"] == 50_000
    assert [each.amount_minor for each in outside.effects("seats.refund")] == [12_000, 38_000]


async def test_of_two_refunds_of_others_one_under_way_leaves_it_open(outside: Outside):
    paid = await bought(outside)
    await by_hand(outside, paid.ref, 12_000)
    outside.advance(SETTLED_S)
    await by_hand(outside, paid.ref, 38_000)
    assert (await REFUND_SEATS.perform(outside.workspaces(), paid.undo)).pending
    outside.advance(SETTLED_S)
    assert not (await REFUND_SEATS.perform(outside.workspaces(), paid.undo)).pending
    assert returned_minor(outside) == 50_000


@pytest.mark.parametrize("states", [("requested", "confirmed"), ("confirmed", "requested")])
def test_of_two_refunds_of_others_it_is_the_one_under_way_that_counts(states: tuple[str, str]):
    paid = {"amount_minor": 500, "used_minor": 0, "fee_minor": 45, "currency": "usd"}
    refunds = [Thing.parse("refunds", {"id": f"ref_{state}", "state": state, "amount_minor": 250}) for state in states]
    purchase = Thing.parse("purchases", {"id": "pur_1", "state": "paid", **paid})
    done = Books(purchase=purchase, refunds=tuple(refunds), reason="undone").done(UNDO_KEY)
    assert done is not None
    assert (done.external_ref, done.state, done.result["kept_fee_minor"]) == ("ref_requested", "pending", 45)


@pytest.mark.parametrize(("used_minor", "returned"), [(20_000, [30_000]), (50_000, [])])
async def test_t24_what_is_used_between_reading_and_asking_stays(outside: Outside, monkeypatch, used_minor, returned):
    paid = await bought(outside)
    workspaces = outside.workspaces()
    make, asked = workspaces.make, list[int]()

    async def late(kind, tags, **fields):
        if not asked:
            await outside.act("workspaces", paid.ref, "use", amount_minor=used_minor)
        asked.append(fields["amount_minor"])
        return await make(kind, tags, **fields)

    monkeypatch.setattr(workspaces, "make", late)
    if returned:
        await REFUND_SEATS.perform(workspaces, paid.undo)
    else:
        with pytest.raises(Refused) as error:
            await REFUND_SEATS.perform(workspaces, paid.undo)
        assert error.value.code == "nothing_left"
    assert [each.amount_minor for each in outside.effects("seats.refund")] == returned
    assert asked == [50_000, *returned]


async def test_what_changes_all_the_time_is_a_persons_matter(outside: Outside, monkeypatch):
    paid = await bought(outside)
    workspaces = outside.workspaces()
    make, asked = workspaces.make, list[int]()

    async def late(kind, tags, **fields):
        await outside.act("workspaces", paid.ref, "use", amount_minor=1)
        asked.append(fields["amount_minor"])
        return await make(kind, tags, **fields)

    monkeypatch.setattr(workspaces, "make", late)
    with pytest.raises(Refused) as error:
        await REFUND_SEATS.perform(workspaces, paid.undo)
    assert error.value.code == "over_refund"
    assert asked == [50_000, 49_999]
    assert returned_minor(outside) == 0
