"""The things of the workspace service: one a key for ever, from state to state, each an effect, on both databases."""

import httpx
import pytest

from tests.sandbox.office import NOW, SAGA
from workers.sandbox.faults import FaultPlan

KEY = "a" * 32


async def test_a_thing_is_made_once_a_key_whatever_becomes_of_it(office):
    made = await office.made("workspaces", client="acme", saga_key=KEY)
    assert made == {
        "id": made["id"], "state": "provisioning", "saga_key": KEY, **SAGA, "created_at": NOW, "client": "acme",
        "marks": {},
    }  # fmt: skip
    await office.done(f"workspaces/{made['id']}/abandon", saga_key="b" * 32)
    again = await office.done("workspaces", client="acme", saga_key=KEY)
    assert (again["id"], again["state"], again["marks"]) == (made["id"], "abandoned", {"abandon": "b" * 32})
    [create, _] = office.world.effects()
    assert (create.kind, create.key, create.run, create.execution) == ("workspace.create", KEY, *SAGA.values())


async def test_a_key_names_nothing_else(office):
    home = await office.made("workspaces", client="acme", saga_key=KEY)
    taken = (409, "saga_key_in_use")
    assert await office.no("workspaces", client="globex", saga_key=KEY) == taken
    assert await office.no("projects", workspace_id=home["id"], name="P", saga_key=KEY) == taken
    assert await office.no("reservations", workspace_id=home["id"], quantity=1, saga_key=KEY) == taken
    assert await office.no(f"workspaces/{home['id']}/activate", saga_key=KEY) == taken
    assert office.effects() == [("workspace.create", "standing")]
    assert (await office.get("accounts/acme"))["available_seats"] == 100_000


async def test_what_is_done_twice_is_done_once(office):
    home = await office.workspace()
    first = await office.done(f"workspaces/{home}/activate", saga_key=KEY)
    assert first == await office.done(f"workspaces/{home}/activate", saga_key=KEY)
    assert first == await office.done(f"workspaces/{home}/activate")
    assert first["marks"] == {"activate": KEY}
    assert office.effects() == [("workspace.create", "standing"), ("workspace.activate", "standing")]


async def test_a_pending_or_active_workspace_is_abandoned_but_not_one_in_use(office):
    for active in (False, True):
        home = await office.workspace()
        if active:
            await office.done(f"workspaces/{home}/activate")
        assert (await office.done(f"workspaces/{home}/abandon"))["state"] == "abandoned"
        assert await office.no(f"workspaces/{home}/activate") == (409, "workspace_abandoned")
        assert await office.no("admins", workspace_id=home, email="a@acme.test") == (409, "workspace_abandoned")
    assert office.effects("workspace.create", "workspace.activate") == [
        ("workspace.create", "undone"), ("workspace.create", "undone"), ("workspace.activate", "undone"),
    ]  # fmt: skip
    used = await office.workspace()
    assert (await office.act(used, "use")).status_code == 200
    assert await office.no(f"workspaces/{used}/abandon") == (409, "workspace_in_use")
    assert (await office.get(f"workspaces/{used}"))["state"] == "provisioning"


async def test_a_month_after_it_was_abandoned_a_workspace_is_deleted_and_still_named(office):
    home = await office.workspace()
    await office.done(f"workspaces/{home}/abandon")
    office.world.advance(30 * 86_400 - 1)
    assert (await office.get(f"workspaces/{home}"))["state"] == "abandoned"
    office.world.advance(1)
    assert (await office.get(f"workspaces/{home}"))["state"] == "deleted"
    assert (await office.done(f"workspaces/{home}/abandon"))["state"] == "deleted"
    assert await office.no(f"workspaces/{home}/activate") == (409, "workspace_abandoned")


async def test_a_project_is_deleted_once_nothing_hangs_on_it(office):
    project = (await office.made("projects", workspace_id=await office.workspace(), name="Launch"))["id"]
    repository = await office.made("repositories", project_id=project, repository="git/launch")
    team = await office.made("teams", project_id=project, team="support")
    assert await office.no(f"projects/{project}/delete") == (409, "has_dependents")
    await office.done(f"repositories/{repository['id']}/detach")
    assert await office.no(f"projects/{project}/delete") == (409, "has_dependents")
    await office.done(f"teams/{team['id']}/remove")
    assert (await office.done(f"projects/{project}/delete"))["state"] == "removed"
    assert await office.no("teams", project_id=project, team="sales") == (409, "project_removed")
    assert ("project.create", "undone") in office.effects()


async def test_a_project_that_somebody_else_hung_something_on_stays(office):
    project = (await office.made("projects", workspace_id=await office.workspace(), name="Launch"))["id"]
    await office.act(project, "use")
    assert await office.no(f"projects/{project}/delete") == (409, "has_dependents")
    assert office.effects("project.create", "project.delete") == [("project.create", "standing")]


@pytest.mark.parametrize("record_first", [True, False])
async def test_an_effect_says_whether_a_record_dangles(office, record_first):
    home = await office.workspace()
    record = await office.made("records", workspace_id=home, title="Contract", path="/contract.pdf")
    file = await office.made("files", workspace_id=home, path="/contract.pdf", text="Größe")
    assert file["size"] == 7
    order = [f"records/{record['id']}", f"files/{file['id']}"]
    for each in order if record_first else reversed(order):
        await office.done(f"{each}/delete")
    [deleted] = office.world.effects(kind="file.delete")
    assert deleted.about["dangling"] is not record_first
    assert deleted.about["undoes"] == file["id"]


async def test_a_document_is_archived_before_it_is_deleted(office):
    path = "documents/doc_acme_draft"
    assert await office.no(f"{path}/delete") == (409, "not_archived")
    await office.done(f"{path}/archive", saga_key=KEY)
    assert (await office.done(f"{path}/restore"))["state"] == "live"
    late = await office.done(f"{path}/archive", saga_key=KEY)
    assert late["state"] == "live", "the first request, come late, does nothing again"
    assert office.effects() == [("document.archive", "undone"), ("document.restore", "standing")]
    await office.done(f"{path}/archive")
    assert (await office.done(f"{path}/delete"))["state"] == "removed"
    assert await office.no(f"{path}/restore") == (409, "document_removed")
    assert await office.no(f"{path}/archive") == (409, "document_removed")


async def test_an_invoice_is_whole_or_not_there(office):
    home = await office.workspace()
    lines = [{"product_id": "prod_seat", "quantity": 40, "unit_minor": 1250}]
    wrong = [*lines, {"product_id": "prod_none", "quantity": 1, "unit_minor": 1}]
    assert await office.no("invoices", workspace_id=home, currency="usd", lines=wrong) == (422, "unknown_product")
    assert await office.get("invoices") == {"data": [], "next_cursor": None}
    assert await office.no("invoices", workspace_id=home, currency="eur", lines=lines) == (422, "another_currency")
    assert office.effects("invoice.create") == []
    made = await office.made("invoices", workspace_id=home, currency="usd", lines=lines)
    assert (made["state"], made["total_minor"], made["lines"]) == ("draft", 50_000, lines)
    assert (await office.done(f"invoices/{made['id']}/void"))["state"] == "void"
    assert office.effects("invoice.create", "invoice.void") == [
        ("invoice.create", "undone"),
        ("invoice.void", "standing"),
    ]


async def test_invitations_may_succeed_in_part_and_are_not_sent_again(office):
    home, emails = await office.workspace(), [f"m{number}@acme.test" for number in range(4)]
    office.sandbox.faults.arm(FaultPlan(system="workspaces", operation="send", fault="partial:1"))
    made = await office.made("invitations", workspace_id=home, emails=emails, saga_key=KEY)
    assert made["invited"] == emails[:3]
    assert made["failed"] == [{"email": emails[3], "code": "mailbox_unavailable"}]
    assert await office.done("invitations", workspace_id=home, emails=emails, saga_key=KEY) == made
    [sent] = office.world.effects(kind="invitation.send")
    assert (sent.audience, sent.about["invited"]) == (["customer"], emails[:3])


async def test_where_nobody_is_reached_there_is_no_effect(office):
    home = await office.workspace()
    office.sandbox.faults.arm(FaultPlan(system="workspaces", operation="send", fault="partial:9"))
    assert (await office.made("invitations", workspace_id=home, emails=["a@acme.test"]))["invited"] == []
    assert office.effects("invitation.send") == []


async def test_what_people_cannot_do_is_said(office):
    home = await office.workspace()
    for ref, act, more in [
        (home, "dance", {}), ("ws_none", "use", {}), (home, "use", {"amount_minor": 5}), (home, "delete", {}),
        ("rsv_none", "expire", {}), ("pur_none", "use", {"amount_minor": 5}), ("ref_none", "fail_refund", {}),
        (home, "close", {"amount_minor": 5}),
    ]:  # fmt: skip
        response: httpx.Response = await office.act(ref, act, **more)
        assert response.status_code == 400, (ref, act)
    assert office.effects() == [("workspace.create", "standing")]


async def test_people_close_and_delete_and_nobodys_key_is_on_it(office):
    home = await office.workspace()
    file = await office.made("files", workspace_id=home, path="/a", text="")
    for ref, act in ((file["id"], "delete"), (home, "close")):
        assert (await office.act(ref, act)).status_code == 200
    theirs = office.world.effects()[2:]
    assert [(each.kind, each.key, each.about["by"]) for each in theirs] == [
        ("file.delete", None, "a person"), ("workspace.abandon", None, "a person"),
    ]  # fmt: skip
    assert (await office.get(f"files/{file['id']}"))["marks"] == {}
    assert (await office.done(f"files/{file['id']}/delete"))["state"] == "removed"
    assert len(office.world.effects()) == 4, "what is gone already is not undone once more"
