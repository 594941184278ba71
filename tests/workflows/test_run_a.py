"""Run A: the ticket's answer is lost, the charge's answer is lost, and then the warehouse refuses."""

import pytest

from tests.lab import laboratory
from tests.workflows.sight import activities, statuses, world, writes
from workers.settings import Settings

UNDONE = ["ticket.create undone", "charge.capture undone", "ticket.transition standing", "charge.refund standing"]
ROWS = [
    "send_email CANCELLED",
    "create_ticket COMPENSATED",
    "charge_card COMPENSATED",
    "reship FAILED",
]


@pytest.fixture
async def impatient(tmp_path):
    """Each half is sent once and then looked for."""

    def once(url: str) -> Settings:
        return Settings(sandbox_url=url, request_s=2.0, attempt_s=4.0, patience_s=60.0, tries=1, index_lag_s=2.0)

    async with laboratory(tmp_path, settings=once) as made:
        yield made


async def test_a_lost_ticket_a_lost_charge_and_a_refusal_end_with_nothing_left_and_nobody_told(lab):
    await lab.fault("tickets", "create", "after:504")
    await lab.fault("payments", "capture", "after:reset")
    await lab.fault("warehouse", "reserve", "refuse:409")
    run = await lab.start("run-a", "scripted:incident")
    assert await lab.end(run) == "RunUnwound"
    assert await world(lab) == UNDONE
    assert await writes(lab) == [
        "tickets create",
        "payments capture",
        "payments capture",
        "warehouse reserve",
        "tickets transition",
        "payments refund",
    ]
    refund = (await lab.effects(kind="charge.refund"))[0]
    assert (refund["amount_minor"], refund["currency"]) == (500, "eur")
    assert await lab.effects(system="mail") == []
    assert statuses(await lab.check(run)) == ROWS


async def test_its_history_tells_what_was_done_and_found_out_in_order(lab):
    await lab.fault("tickets", "create", "after:504")
    await lab.fault("payments", "capture", "after:reset")
    await lab.fault("warehouse", "reserve", "refuse:409")
    run = await lab.start("run-a", "scripted:incident")
    await lab.end(run)
    assert await activities(run) == [
        "admit",
        "propose",
        "read",
        "propose",
        "perform create_ticket",
        "Reconcile create_ticket",
        "propose",
        "perform charge_card",
        "propose",
        "perform reship",
        "compensate close_ticket",
        "compensate refund_charge",
    ]
    ticket, charge = (await lab.check(run))[1:3]
    assert (ticket["how"], ticket["attempts"]) == ("found by lookup", 1)
    assert [repeat["turn"] for repeat in ticket["repeats"]] == [1, 2]
    assert (charge["how"], charge["attempts"]) == ("replayed", 2)


async def test_with_the_key_forgotten_the_charge_is_found_in_the_list_and_not_asked_for_again(impatient):
    """T11."""
    lab = impatient
    await lab.fault("payments", "capture", "after:reset")
    await lab.fault("payments", "*", "forget_keys:0")
    await lab.fault("warehouse", "reserve", "refuse:409")
    run = await lab.start("run-a", "scripted:incident")
    assert await lab.end(run) == "RunUnwound"
    assert await world(lab) == UNDONE
    assert await writes(lab, system="payments") == ["payments capture", "payments refund"]
    assert await lab.calls(system="payments", operation="list") != []
    charge = (await lab.check(run))[2]
    assert (charge["how"], charge["attempts"]) == ("found by lookup", 1)


async def test_goods_that_are_out_of_stock_by_themselves_unwind_the_run_as_well(lab):
    run = await lab.start("run-a", "scripted:incident", request={"order_id": "1190", "customer_id": "cus_1190"})
    assert await lab.end(run) == "RunUnwound"
    assert await world(lab) == UNDONE
    assert "out_of_stock" in (await run.query("status"))["why"]
    assert statuses(await lab.check(run)) == ROWS


async def test_a_charge_whose_receipt_the_customer_has_seen_is_refunded_last(lab):
    await lab.fault("warehouse", "reserve", "refuse:409")
    wanted = {"order_id": "1182", "customer_id": "cus_1182", "receipt": True}
    run = await lab.start("run-a", "scripted:incident", request=wanted)
    assert await lab.end(run) == "RunUnwound"
    assert await world(lab) == UNDONE
    assert (await lab.check(run))[2]["audience"] == ["customer", "finance"]
