"""Seats and their money over HTTP: held for a time, paid at once, given back as far as they are not used."""

import pytest

KEY = "a" * 32


async def test_seats_are_held_confirmed_and_given_back(office):
    held = await office.held(quantity=40)
    assert (held["state"], held["expires_at"]) == ("held", held["created_at"] + 900)
    path = f"reservations/{held['id']}"
    assert (await office.done(f"{path}/confirm", saga_key=KEY))["marks"] == {"confirm": KEY}
    assert (await office.get("accounts/acme"))["available_seats"] == 99_960
    office.world.advance(901)
    assert (await office.get(path))["state"] == "confirmed", "what is confirmed has no end"
    released = await office.done(f"{path}/release", saga_key="b" * 32)
    assert (released["state"], released["marks"]) == ("released", {"confirm": KEY, "release": "b" * 32})
    assert await office.no(f"{path}/confirm") == (409, "reservation_released")
    assert (await office.get("accounts/acme"))["available_seats"] == 100_000
    assert office.effects()[1:] == [
        ("seats.reserve", "undone"), ("seats.confirm", "undone"), ("seats.release", "standing"),
    ]  # fmt: skip
    [release] = office.world.effects(kind="seats.release")
    assert (release.about["undoes"], release.about["was"]) == (held["id"], "confirmed")


@pytest.mark.parametrize("by_hand", [True, False])
async def test_a_hold_expires_by_itself_or_by_an_act(office, by_hand):
    held = await office.held("tiny", 3)
    path = f"reservations/{held['id']}"
    if by_hand:
        assert (await office.act(held["id"], "expire")).json()["state"] == "expired"
    else:
        office.world.advance(899)
        assert (await office.get(path))["state"] == "held"
        office.world.advance(1)
    assert (await office.get(path))["state"] == "expired"
    assert await office.no(f"{path}/confirm") == (409, "reservation_expired")
    assert (await office.done(f"{path}/release"))["state"] == "expired", "what is gone is given back already"
    assert office.effects("seats.reserve", "seats.release", "seats.confirm") == [("seats.reserve", "expired")]
    assert (await office.held("tiny", 3))["state"] == "held"


async def test_more_seats_than_there_are_are_refused_and_nothing_is_kept(office):
    await office.held("tiny", 2)
    home = await office.workspace("tiny")
    assert await office.no("reservations", workspace_id=home, quantity=2) == (409, "not_enough_seats")
    assert len((await office.get("reservations"))["data"]) == 1
    assert office.effects("seats.reserve") == [("seats.reserve", "standing")]
    assert (await office.get("accounts/tiny"))["available_seats"] == 1


@pytest.mark.parametrize(
    ("client", "changes", "answer"),
    [
        ("initech", {}, (402, "payment_required")),
        ("hooli", {}, (402, "card_declined")),
        ("acme", {"currency": "eur"}, (422, "another_currency")),
        ("acme", {"amount_minor": 49_999}, (422, "amount_mismatch")),
        ("acme", {"quantity": 39}, (422, "invalid_request")),
        ("acme", {"amount_minor": 50_000.0}, (422, "invalid_request")),
        ("acme", {"amount_minor": -50_000}, (422, "invalid_request")),
        ("acme", {"reservation_id": "rsv_none"}, (422, "invalid_request")),
    ],
)
async def test_what_cannot_be_paid_is_refused_and_nothing_is_taken(office, client, changes, answer):
    held = await office.held(client)
    wish = {"reservation_id": held["id"], "quantity": 40, "amount_minor": 50_000, "currency": "usd", **changes}
    assert await office.no("purchases", **wish) == answer
    assert (await office.get("purchases"))["data"] == []
    assert office.effects("seats.purchase") == []


@pytest.mark.parametrize("end", ["released", "expired"])
async def test_seats_that_are_gone_are_not_paid(office, end):
    held = await office.held()
    if end == "released":
        await office.done(f"reservations/{held['id']}/release")
    else:
        office.world.advance(900)
    wish = {"reservation_id": held["id"], "quantity": 40, "amount_minor": 50_000, "currency": "usd"}
    assert await office.no("purchases", **wish) == (409, f"reservation_{end}")


async def test_what_is_not_used_is_given_back_and_the_fee_is_kept(office):
    paid = await office.paid()
    assert (paid["state"], paid["amount_minor"], paid["fee_minor"]) == ("paid", 50_000, 1_480)
    assert (await office.act(paid["id"], "use", amount_minor=20_000)).json()["used_minor"] == 20_000
    wish = {"purchase_id": paid["id"], "reason": "unwound"}
    assert await office.no("refunds", **wish, amount_minor=30_001) == (409, "over_refund")
    back = await office.made("refunds", **wish, amount_minor=30_000, saga_key=KEY)
    assert (back["state"], back["original_minor"], back["used_minor"], back["fee_kept_minor"]) == (
        "requested", 50_000, 20_000, 1_480,
    )  # fmt: skip
    assert await office.no("refunds", **wish, amount_minor=1) == (409, "over_refund")
    assert (await office.act(paid["id"], "use", amount_minor=1)).status_code == 400
    money = ("seats.purchase", "seats.refund")
    assert office.effects(*money) == [("seats.purchase", "standing"), ("seats.refund", "pending")]
    office.world.advance(3)
    assert (await office.done("refunds", **wish, amount_minor=30_000, saga_key=KEY))["state"] == "confirmed"
    assert (await office.get(f"purchases/{paid['id']}"))["state"] == "refunded"
    assert office.effects(*money) == [("seats.purchase", "undone"), ("seats.refund", "standing")]
    effect = office.world.effects(key=KEY)[0]
    assert (effect.amount_minor, effect.currency, effect.about["undoes"]) == (30_000, "usd", paid["id"])


async def test_a_part_that_is_given_back_leaves_the_purchase_standing(office):
    paid = await office.paid()
    for amount in (10_000, 15_000):
        await office.made("refunds", purchase_id=paid["id"], amount_minor=amount, reason="fewer seats")
    office.world.advance(3)
    now = await office.get(f"purchases/{paid['id']}")
    assert (now["state"], now["refunded_minor"]) == ("paid", 25_000)
    assert office.effects("seats.purchase") == [("seats.purchase", "standing")]


@pytest.mark.parametrize("late", [False, True])
async def test_a_refund_that_fails_gives_the_purchase_its_money_again(office, late):
    paid = await office.paid()
    back = await office.made("refunds", purchase_id=paid["id"], amount_minor=50_000, reason="unwound")
    if late:
        office.world.advance(3)
        assert (await office.get(f"refunds/{back['id']}"))["state"] == "confirmed"
    assert (await office.act(paid["id"], "fail_refund")).json() == {"ref": back["id"], "state": "failed"}
    office.world.advance(3)
    assert (await office.get(f"refunds/{back['id']}"))["state"] == "failed"
    now = await office.get(f"purchases/{paid['id']}")
    assert (now["state"], now["refunded_minor"]) == ("paid", 0)
    assert office.effects("seats.purchase", "seats.refund") == [
        ("seats.purchase", "standing"),
        ("seats.refund", "failed"),
    ]
    assert (await office.act(back["id"], "fail_refund")).status_code == 400
    await office.made("refunds", purchase_id=paid["id"], amount_minor=50_000, reason="once more")


async def test_yen_have_no_minor_unit_and_accounts_their_own_currency(office):
    held = await office.held("umbrella", 2)
    wish = {"reservation_id": held["id"], "quantity": 2, "amount_minor": 3_600, "currency": "jpy"}
    assert (await office.made("purchases", **wish))["fee_minor"] == 134
    shown = await office.get("accounts/umbrella")
    assert (shown["currency"], shown["seat_price_minor"], shown["has_payment_method"]) == ("jpy", 1_800, True)
    assert (await office.get("accounts/somebody-new"))["currency"] == "usd"
    assert (await office.client.get("/v1/accounts/Some Body")).status_code == 422
