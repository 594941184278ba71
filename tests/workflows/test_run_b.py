"""Run B, approved, and Run C, rejected: what is staged is committed in the design's order, or vanishes."""

import pytest

from tests.workflows.sight import doors, statuses, world, writes

STAGED = ["mail.draft", "ticket.create", "charge.authorise", "goods.reserve"]
DECIDED_BY_SIGNAL = {"approve": "COMMITTED", "reject": "RunUnwound"}


async def test_what_is_staged_is_shown_with_what_approval_will_run_and_nothing_of_it_is_seen_outside(lab):
    run = await lab.start("run-b")
    proposal = await lab.proposal(run)
    assert await world(lab) == [f"{kind} standing" for kind in STAGED]
    assert {seer for effect in await lab.effects() for seer in effect["audience"]} == {"agent", "finance"}
    assert [each["tool"] for each in proposal["staged"]] == [
        "draft_email",
        "stage_ticket",
        "authorise_payment",
        "reship",
    ]
    shown = [(each["tool"], each["audience"], each["costs"]) for each in proposal["commit"]]
    assert shown == [
        ("capture_payment", ["finance"], "5.00 EUR"),
        ("publish_ticket", ["support_team"], None),
        ("ship_parcel", ["partner", "customer"], None),
        ("send_draft", ["customer"], None),
    ]
    assert proposal["undo_until"] > proposal["deadline"]
    await lab.decide(run, "reject")
    await lab.end(run)
    await lab.check(run)


async def test_approved_the_money_goes_first_then_the_ticket_the_parcel_and_last_the_letter(lab):
    run = await lab.start("run-b")
    await lab.decide(run, "approve", note="fine")
    result = await run.result()
    assert (result["phase"], result["steps"], result["commits"]) == ("COMMITTED", 8, 4)
    assert await world(lab) == [
        *(f"{kind} standing" for kind in STAGED),
        "charge.capture standing",
        "ticket.transition standing",
        "parcel.send standing",
        "mail.send standing",
    ]
    taken = (await lab.effects(kind="charge.capture"))[0]
    assert (taken["amount_minor"], taken["currency"]) == (500, "eur")
    rows = await lab.check(run)
    assert {row["status"] for row in rows} == {"CONFIRMED"}
    approvals = [row["approved_by"] for row in rows if row["approved_by"]]
    assert {each["by"] for each in approvals} == {"bob"}
    assert [row["depends_on"] for row in rows] == [[], [0], [], [2], [], [4], [], [6]]


async def test_the_history_of_an_approved_run_looks_at_what_is_staged_before_the_first_commit(lab):
    run = await lab.start("run-b")
    await lab.decide(run, "approve")
    await lab.end(run)
    assert await doors(run) == [
        "perform draft_email",
        "perform stage_ticket",
        "perform authorise_payment",
        "perform reship",
        "find draft_email",
        "find stage_ticket",
        "find authorise_payment",
        "find reship",
        "perform capture_payment",
        "perform publish_ticket",
        "perform ship_parcel",
        "perform send_draft",
    ]
    await lab.check(run)


async def test_rejected_hold_goods_ticket_and_draft_are_gone_and_nothing_is_on_the_statement(lab):
    run = await lab.start("run-c")
    await lab.decide(run, "reject", by="carol", note="not for us to pay")
    assert await lab.end(run) == "RunUnwound"
    effects = await world(lab)
    assert effects[:4] == [f"{kind} undone" for kind in STAGED]
    assert sorted(effects[4:]) == [
        "charge.cancel standing",
        "goods.release standing",
        "mail.delete standing",
        "ticket.delete standing",
    ]
    assert "rejected by carol: not for us to pay" in (await run.query("status"))["why"]
    rows = await lab.check(run)
    assert statuses(rows) == [
        "draft_email COMPENSATED",
        "send_draft CANCELLED",
        "stage_ticket COMPENSATED",
        "publish_ticket CANCELLED",
        "authorise_payment COMPENSATED",
        "capture_payment CANCELLED",
        "reship COMPENSATED",
        "ship_parcel CANCELLED",
    ]
    assert sorted(await doors(run)) == [
        "compensate delete_draft",
        "compensate discard_ticket",
        "compensate release_goods",
        "compensate void_authorisation",
        "perform authorise_payment",
        "perform draft_email",
        "perform reship",
        "perform stage_ticket",
    ]


@pytest.mark.parametrize(("signal", "end"), DECIDED_BY_SIGNAL.items())
async def test_the_button_of_the_web_ui_decides_like_the_update(lab, signal, end):
    run = await lab.start("run-b")
    digest = (await lab.proposal(run))["digest"]
    await run.signal(f"{signal}_pivot", {"digest": digest, "by": "bob", "note": "by button"})
    assert await lab.end(run) == end
    charged = await lab.effects(kind="charge.capture")
    assert len(charged) == (end == "COMMITTED")
    await lab.check(run)


async def test_money_given_back_for_an_order_waits_for_approval_and_is_given_once(lab):
    await lab.fault("payments", "refund", "after:504")
    run = await lab.start("run-b", "scripted:refund_money")
    await lab.proposal(run)
    assert await lab.effects(system="payments") == []
    await lab.decide(run, "approve")
    assert await lab.end(run) == "COMMITTED"
    refunds = await lab.effects(kind="charge.refund")
    assert [(each["amount_minor"], each["state"]) for each in refunds] == [(4900, "standing")]
    assert (await writes(lab, system="payments")) == ["payments refund", "payments refund"]
    await lab.check(run)
