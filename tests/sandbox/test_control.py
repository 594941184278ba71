"""`/world`: what it tells, what it does, and what it refuses by name."""

import pytest

KEY = "a" * 32
FORM = {"amount": "4900", "currency": "eur", "payment_method": "pm_card_visa", "confirm": "true"}


async def test_effects_and_calls_are_told_over_http(sandbox, raw):
    answer = await raw.post("/v1/payment_intents", data={**FORM, "metadata[saga_key]": KEY, "metadata[saga_run]": "r"})
    ref = answer.json()["id"]
    [effect] = (await raw.get("/world/effects")).json()
    assert {
        "system",
        "kind",
        "key",
        "run",
        "execution",
        "ref",
        "state",
        "amount_minor",
        "currency",
        "audience",
        "at",
    } <= set(effect)
    assert (effect["ref"], effect["kind"], effect["key"], effect["run"]) == (ref, "charge.capture", KEY, "r")
    assert (await raw.get("/world/effects", params={"run": "another"})).json() == []
    assert (await raw.get("/world/effects", params={"colour": "red"})).status_code == 400
    [call] = (await raw.get("/world/calls")).json()
    assert (call["system"], call["operation"], call["status"], call["fault"]) == ("payments", "capture", 200, None)
    assert (call["method"], call["path"], call["key"], call["run"]) == ("POST", "/v1/payment_intents", KEY, "r")
    assert (await raw.get("/world/calls", params={"operation": "refund"})).json() == []


async def test_a_reset_leaves_orders_and_customers_only(sandbox, raw):
    await raw.post("/v1/payment_intents", data=FORM)
    await raw.post("/v1/refunds", data={"payment_intent": "pi_order_1182"})
    await raw.post("/world/faults", json={"system": "payments", "operation": "*", "fault": "blind"})
    assert (await raw.post("/world/reset")).json() == {"ok": True}
    assert (await raw.get("/world/effects")).json() == (await raw.get("/world/calls")).json() == []
    assert (await raw.get("/world/faults")).json() == []
    charge = (await raw.get("/v1/charges/ch_order_1182")).json()
    assert (charge["amount_captured"], charge["amount_refunded"]) == (4900, 0)
    assert (await raw.get("/v1/customers/cus_1182")).status_code == 200


async def test_the_clock_is_moved_over_http(sandbox, raw):
    before = sandbox.world.now()
    after = (await raw.post("/world/clock", json={"advance_s": 3600})).json()
    assert 3600 <= after["now"] - before < 3610
    assert (await raw.post("/world/clock", json={"now": 5e9, "frozen": True})).json() == {"now": 5e9, "frozen": True}
    assert (await raw.post("/world/clock", json={"advance_s": 1})).json() == {"now": 5e9 + 1, "frozen": True}
    assert (await raw.get("/world/clock")).json()["now"] == 5e9 + 1


@pytest.mark.parametrize(
    ("path", "body", "named"),
    [
        ("/world/clock", {"advance_s": -1}, "advance_s"),
        ("/world/clock", {"advance_s": "60"}, "advance_s"),
        ("/world/clock", {}, "advance_s"),
        ("/world/clock", {"advance_s": 1, "now": 5.0}, "not both"),
        ("/world/acts", {"system": "gardens", "ref": "x", "act": "close"}, "payments"),
        ("/world/acts", {"system": "payments", "ref": "pi_order_1182", "act": "paint"}, "fail_refund"),
        ("/world/acts", {"system": "payments", "ref": "pi_order_1182"}, "act"),
        ("/world/acts", {"system": "payments", "ref": "pi_none", "act": "refund"}, "pi_none"),
    ],
)
async def test_what_is_asked_wrongly_is_refused_by_name(sandbox, raw, path, body, named):
    answer = await raw.post(path, json=body)
    assert answer.status_code == 400
    assert named in answer.json()["error"]


async def test_faults_are_disarmed_by_their_fields_and_the_others_stay(sandbox, raw):
    plan = {"system": "payments", "operation": "capture", "fault": "lag:2"}
    for run in ("one", "two", None):
        (await raw.post("/world/faults", json={**plan, "run": run})).raise_for_status()
    assert (await raw.delete("/world/faults?run=one&fault=lag:2")).json() == {"armed": 2}
    assert [each["run"] for each in (await raw.get("/world/faults")).json()] == ["two", None]
    assert (await raw.delete("/world/faults?system=mail")).json() == {"armed": 2}
    refused = await raw.delete("/world/faults?armed_at=1")
    assert (refused.status_code, "armed_at" in refused.json()["error"]) == (400, True)
    assert (await raw.delete("/world/faults")).json() == {"armed": 0}
