"""The onboarding run: all of it, or nothing that anybody could have noticed; on both databases of the service."""

import pytest

from tests.lab import laboratory
from tests.workflows.newcomer import PRICE_MINOR, SEATS, begun, may_sign_in, ref, sold
from tests.workflows.sight import needs, statuses

PRICE = SEATS * PRICE_MINOR
TOLD = ("invitation.send", "webhook.send")


@pytest.fixture
async def lab(tmp_path, plans, database_url):
    """As everywhere, the workspace service on that database."""
    databases = {"workspaces": database_url}
    async with laboratory(tmp_path, model_of=plans.model_of, databases=databases) as made:
        yield made


async def standing(lab, run):
    """Kinds of the run's effects that stand and take nothing back."""
    effects = await lab.effects(run=run.id, state="standing")
    return [each["kind"] for each in effects if not each["about"].get("undoes")]


async def test_nobody_gets_in_and_nobody_is_told_before_the_approval_and_everybody_after_it(lab):
    run = await begun(lab)
    proposal = await lab.proposal(run)
    assert [each["tool"] for each in proposal["commit"]] == [
        "confirm_seats",
        "activate_workspace",
        "invite_members",
        "notify_webhook",
    ]
    assert (await may_sign_in(lab, "admin@acme.test"), await sold(lab)) == (False, [])
    assert not [each for each in await lab.effects() if each["kind"] in TOLD]
    await lab.decide(run, "approve")
    assert await lab.end(run) == "COMMITTED"
    assert (await may_sign_in(lab, "admin@acme.test"), await sold(lab)) == (True, ["acme"])
    (invited,) = await lab.effects(kind="invitation.send")
    assert len(invited["about"]["invited"]) == SEATS
    done = await standing(lab, run)
    assert done[-4:] == ["seats.confirm", "workspace.activate", *TOLD]
    (paid,) = await lab.effects(kind="seats.purchase")
    assert (paid["amount_minor"], paid["currency"]) == (PRICE, "usd")
    await lab.check(run)


async def test_402_after_the_workspace_is_there_leaves_nothing_behind_and_nobody_told(lab):
    run = await begun(lab, "initech")
    assert await lab.end(run) == "RunUnwound"
    assert "payment_required" in (await run.query("status"))["why"]
    assert await standing(lab, run) == []
    assert not [each for each in await lab.effects(run=run.id) if "customer" in each["audience"]]
    assert (await may_sign_in(lab, "admin@initech.test"), await sold(lab)) == (False, [])
    rows = await lab.check(run)
    assert {each["status"] for each in rows} == {"COMPENSATED", "CANCELLED", "FAILED"}


async def test_undone_in_the_order_in_which_things_refer_to_each_other(lab):
    run = await begun(lab)
    await lab.decide(run, "reject")
    assert await lab.end(run) == "RunUnwound"
    undone = [each["kind"] for each in await lab.effects(run=run.id) if each["about"].get("undoes")]
    for first, then in (
        ("repository.detach", "project.delete"),
        ("team.remove", "project.delete"),
        ("record.delete", "file.delete"),  # the record was written first, and points at the later file
        ("project.delete", "workspace.abandon"),
        ("seats.refund", "seats.release"),
    ):
        assert undone.index(first) < undone.index(then), undone
    assert not [each for each in await lab.effects(kind="file.delete") if each["about"].get("dangling")]
    await lab.check(run)


async def test_of_what_was_paid_only_what_nobody_used_goes_back_and_the_log_says_so(lab):
    run = await begun(lab)
    await lab.proposal(run)
    await lab.act("workspaces", await ref(lab, "seats.purchase"), "use", amount_minor=20_000)
    await lab.decide(run, "reject", note="the contract was called off")
    assert await lab.end(run) == "RunUnwound"
    (back,) = await lab.effects(kind="seats.refund")
    assert (back["amount_minor"], back["state"]) == (PRICE - 20_000, "standing")
    row = next(each for each in await lab.check(run) if each["tool"] == "purchase_seats")
    said = row["compensation"]["result"]
    assert (said["original_minor"], said["used_minor"], said["compensated_minor"]) == (PRICE, 20_000, PRICE - 20_000)
    assert said["kept_fee_minor"] > 0
    assert (said["currency"], "was undone" in said["reason"]) == ("usd", True)


async def test_a_refund_is_asked_for_until_the_service_has_confirmed_it(lab):
    run = await begun(lab)
    await lab.proposal(run)
    await run.execute_update("cancel_run", {"by": "bob", "note": "not today"})
    while not (back := await lab.effects(kind="seats.refund")):
        await lab.env.sleep(0.1)
    row = next(each for each in await lab.rows(run) if each["tool"] == "purchase_seats")
    assert (back[0]["state"], row["status"]) == ("pending", "COMPENSATION_REQUESTED")
    assert await lab.end(run) == "RunUnwound"
    (row,) = [each for each in await lab.check(run) if each["tool"] == "purchase_seats"]
    assert (row["status"], row["compensation"]["status"]) == ("COMPENSATED", "CONFIRMED")


async def test_a_hold_that_ends_while_the_person_sleeps_ends_the_run_with_it(lab):
    run = await begun(lab)
    proposal = await lab.proposal(run)
    assert proposal["deadline"] < proposal["undo_until"]
    await lab.env.sleep(1000)
    assert await lab.end(run) == "RunUnwound"
    assert await standing(lab, run) == []
    await lab.check(run)


async def test_seats_whose_hold_is_over_are_not_confirmed_and_nothing_else_is_committed(lab):
    run = await begun(lab)
    await lab.proposal(run)
    await lab.act("workspaces", await ref(lab, "seats.reserve"), "expire")
    await lab.decide(run, "approve")
    assert await lab.end(run) == "RunUnwound"
    assert not [each for each in await lab.effects() if each["kind"] in ("seats.confirm", "workspace.activate", *TOLD)]
    await lab.check(run)


async def test_a_workspace_that_somebody_has_begun_to_use_is_a_persons_matter(lab):
    run = await begun(lab)
    await lab.proposal(run)
    await lab.act("workspaces", await ref(lab, "workspace.create"), "use")
    await lab.decide(run, "reject")
    need = await needs(lab, run, "undo_failed")
    assert "workspace_in_use" in need["what"]
    note = {"step_idx": need["step_idx"], "half": "compensation", "by": "bob", "note": "they may keep it"}
    await run.execute_update("waive_step", note)
    assert await lab.end(run) == "RunUnwound"
    rows = await lab.check(run)
    assert (rows[0]["waived"]["by"], rows[0]["waived"]["note"]) == ("bob", "they may keep it")
    assert await standing(lab, run) == ["workspace.create"]


async def test_of_those_who_could_not_be_invited_the_log_names_each(lab):
    await lab.fault("workspaces", "send", "partial:3")
    run = await begun(lab)
    await lab.decide(run, "approve")
    assert await lab.end(run) == "COMMITTED"
    row = next(each for each in await lab.check(run) if each["tool"] == "invite_members")
    assert len(row["result"]["invited"]) == SEATS - 3
    assert [each["email"] for each in row["result"]["failed"]] == [
        f"member{number}@acme.test" for number in (38, 39, 40)
    ]


async def test_while_billing_is_down_the_run_waits_and_goes_on_with_what_it_has(lab):
    await lab.fault("workspaces", "capture", "before:503", times=2)
    run = await begun(lab)
    await lab.decide(run, "approve")
    assert await lab.end(run) == "COMMITTED"
    rows = await lab.check(run)
    assert not [each for each in statuses(rows) if each.endswith("COMPENSATED")]
    assert len(await lab.effects(kind="seats.purchase")) == 1
