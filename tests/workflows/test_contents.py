"""A workspace filled with our own tools, on the sandbox: taken out again in the order of what refers to what."""

from collections.abc import AsyncIterator

import pytest

from tests.workflows.builder import (
    DOCUMENT,
    FILE,
    LINE,
    PROJECT,
    RECORD,
    REPOSITORY,
    TEAM,
    WORKSPACE,
    Site,
    invoice,
    site,
)
from tests.workflows.sight import statuses

ALL = (WORKSPACE, PROJECT, REPOSITORY, TEAM, RECORD, FILE, DOCUMENT, invoice())


@pytest.fixture
async def ground(tmp_path) -> AsyncIterator[Site]:
    async with site(tmp_path) as made:
        yield made


async def test_rejected_everything_is_out_again_and_nothing_ever_dangled(ground):
    run, _ = await ground.build(*ALL)
    await ground.decide(run, "reject")
    assert await ground.end(run) == "RunUnwound"
    done = await ground.done()
    undone = [each.split()[0] for each in done if each.split()[0] in UNDOINGS]
    assert sorted(undone) == sorted(UNDOINGS)
    for first, then in BEFORE:
        assert undone.index(first) < undone.index(then), undone
    (deleted,) = await ground.effects(kind="file.delete")
    assert deleted["about"]["dangling"] is False
    assert [each for each in done if each.split()[0] not in UNDOINGS and not each.endswith(" undone")] == []
    await ground.check(run)


UNDOINGS = [
    *("workspace.abandon", "project.delete", "repository.detach", "team.remove", "record.delete", "file.delete"),
    *("document.restore", "invoice.void"),
]
BEFORE = [
    *(("repository.detach", "project.delete"), ("team.remove", "project.delete")),
    *(("record.delete", "file.delete"), ("project.delete", "workspace.abandon")),
    *(("file.delete", "workspace.abandon"), ("record.delete", "workspace.abandon")),
    ("invoice.void", "workspace.abandon"),
]


async def test_approved_it_stands_and_the_document_is_gone_for_good(ground):
    run, _ = await ground.build(*ALL)
    proposal = await ground.proposal(run)
    assert {each["tool"] for each in proposal["commit"]} == {"activate_workspace", "delete_document"}
    assert await ground.effects(kind="document.delete") == []
    await ground.decide(run, "approve")
    assert await ground.end(run) == "COMMITTED"
    done = await ground.done()
    assert [each for each in done if not each.endswith(" standing")] == []
    assert [each for each in done if each.split()[0] in UNDOINGS] == []
    assert {"workspace.activate standing", "document.delete standing"} < set(done)
    await ground.check(run)


async def test_a_project_that_somebody_else_uses_is_a_persons_and_the_rest_is_out(ground):
    run, _ = await ground.build(WORKSPACE, PROJECT, REPOSITORY)
    await ground.proposal(run)
    await ground.act("workspaces", (await ground.refs(run))["create_project"], "use")
    await ground.decide(run, "reject")
    need = await ground.until(run, lambda status: status["needs_human"])
    (each,) = need["needs_human"]
    project = next(row["step_idx"] for row in await ground.rows(run) if row["tool"] == "create_project")
    assert (each["step_idx"], each["half"], each["kind"]) == (project, "compensation", "undo_failed")
    assert await ground.effects(kind="project.delete") == []
    assert len(await ground.effects(kind="repository.detach")) == 1
    waived = {"half": "compensation", "by": "bob", "note": "theirs now"}
    await run.execute_update("waive_step", {**waived, "step_idx": project})
    assert await ground.end(run) == "RunUnwound"
    assert {"project.create standing", "workspace.create undone"} < set(await ground.done())
    await ground.check(run)


async def test_a_project_waits_with_what_could_not_be_detached_from_it(ground):
    """Asked sooner, the service says no for sure, and a second person is called for nothing."""
    run, _ = await ground.build(WORKSPACE, PROJECT, REPOSITORY)
    await ground.proposal(run)
    await ground.fault("workspaces", "delete", "refuse:422", times=999)
    await ground.decide(run, "reject")
    need = await ground.until(run, lambda status: status["needs_human"])
    await ground.env.sleep(3600)
    asked = [each["path"] for each in await ground.calls(system="workspaces", operation="delete")]
    assert {each.rpartition("/")[2] for each in asked} == {"detach"}
    await ground.mend()
    (each,) = need["needs_human"]
    again = {"step_idx": each["step_idx"], "half": "compensation", "by": "bob"}
    await run.execute_update("retry_step", again)
    assert await ground.end(run) == "RunUnwound"
    assert {"repository.attach undone", "project.create undone"} < set(await ground.done())
    await ground.check(run)


async def test_a_refused_invoice_leaves_nothing_of_itself_and_the_run_ends_clean(ground):
    lines = [LINE, {**LINE, "product_id": "prod_nothing"}]
    run, _ = await ground.build(WORKSPACE, PROJECT, invoice(lines=lines))
    assert await ground.end(run) == "RunUnwound"
    assert await ground.effects(kind="invoice.create") == []
    assert statuses(await ground.check(run))[-1] == "create_invoice FAILED"
    assert "workspace.create undone" in await ground.done()


@pytest.mark.parametrize(
    ("call", "field"),
    [
        (invoice(currency="eur"), "currency"),
        (invoice(lines=[{**LINE, "unit_minor": 12.5}]), "lines.0.unit_minor"),
        (invoice(lines=[LINE, {**LINE, "quantity": 0}]), "lines.1.quantity"),
        (("create_project", {**PROJECT[1], "workspace_id": "ws_somebodyelses"}), "workspace_id"),
        (("archive_document", {"document_id": "doc_unknown"}), "document_id"),
        (("upload_file", {**FILE[1], "path": "/a/../b"}), "path"),
    ],
)
async def test_bad_input_names_its_field_and_gets_no_row(ground, call, field):
    run, model = await ground.build(WORKSPACE, call)
    await ground.decide(run, "reject")
    assert await ground.end(run) == "RunUnwound"
    told = {name: (outcome, wrong) for name, outcome, wrong in model.told}
    assert told[call[0]][0] == "invalid"
    assert told[call[0]][1].startswith(f"{field}:")
    assert [row["tool"] for row in await ground.check(run)] == ["create_workspace", "activate_workspace"]
