"""Tickets along their workflow: drafts, transitions, comments, and under which key each is an effect."""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from tests.sandbox.jira_desk import (
    KEY,
    KINDS,
    UNDO_KEY,
    Desk,
    Kind,
    aside,
    draft,
    found,
    new,
    refused,
    walk,
    way,
)
from workers.sandbox.app import Sandbox
from workers.sandbox.tickets_workflow import PROJECTS, STATUSES, Project


@pytest.fixture
def desk(sandbox: Sandbox) -> Iterator[Desk]:
    with ExitStack() as clients:
        yield Desk(sandbox, clients)


@KINDS
async def test_a_draft_is_outside_the_queue_until_it_is_published(desk: Desk, kind: Kind) -> None:
    def story() -> None:
        jira = desk.client(kind)
        key = draft(jira)
        status = jira.issue(key).fields.status
        assert (status.name, status.statusCategory.key) == ("Draft", "new")
        assert found(jira, "project = SUP AND status != Draft") == []
        walk(jira, key, "Publish", kind, update={"labels": [{"add": f"saga-{UNDO_KEY}"}]})
        assert found(jira, "project = SUP AND status != Draft") == [key]

    await aside(story)
    created, published = desk.effects()
    assert (created.state, created.audience) == ("standing", ["agent"])
    assert (published.kind, published.key, published.audience) == (
        "ticket.transition",
        UNDO_KEY,
        ["support_team"],
    )
    assert "undoes" not in published.about


async def test_a_draft_is_discarded_without_a_resolution_and_nobody_saw_it(desk: Desk) -> None:
    def story() -> None:
        jira = desk.client()
        jira.transition_issue(draft(jira), "Discard", comment=f"Discarded by saga-{UNDO_KEY}")

    await aside(story)
    created, discarded = desk.effects()
    assert (created.state, discarded.key, discarded.audience) == ("undone", UNDO_KEY, ["agent"])
    assert desk.effects("ticket.comment") == []


async def test_a_label_says_the_key_before_a_comment_does(desk: Desk) -> None:
    def story() -> None:
        jira = desk.client()
        update = {
            "comment": [{"add": {"body": f"Closed: this undoes saga-{KEY}"}}],
            "labels": [{"add": f"saga-{UNDO_KEY}:2"}],
        }
        walk(jira, new(jira), "Close", fields={"resolution": {"id": "10203"}}, update=update)

    await aside(story)
    assert desk.effects("ticket.transition")[0].key == f"{UNDO_KEY}:2"


@KINDS
async def test_a_transition_that_does_not_fit_is_refused(desk: Desk, kind: Kind) -> None:
    def story() -> None:
        jira = desk.client(kind)
        key = new(jira)

        def go(id_: str, **fields: Any) -> tuple[int | None, dict[str, Any]]:
            return refused(lambda: jira.transition_issue(key, id_, fields=fields))

        assert go("41") == (
            400,
            {"errorMessages": ["Transition id '41' is not valid for this issue."], "errors": {}},
        )
        assert go("31") == (400, {"errorMessages": [], "errors": {"resolution": "Resolution is required."}})
        assert go("31", resolution={"name": "Nope"})[1]["errors"] == {
            "resolution": "The resolution selected is invalid."
        }
        assert "resolution" in go("21", resolution={"name": "Done"})[1]["errors"]
        assert "summary" in go("31", resolution={"name": "Done"}, summary="x")[1]["errors"]
        jira.transition_issue(key, "31", fields={"resolution": {"name": "Done"}})
        assert go("31", resolution={"name": "Done"})[0] == 400
        assert refused(lambda: jira.transition_issue("SUP-77", "31"))[0] == 404

    await aside(story)
    assert len(desk.effects("ticket.transition")) == 1


async def test_transitions_say_what_they_need_and_where_they_lead(desk: Desk) -> None:
    def story() -> None:
        jira = desk.client()
        key = new(jira)
        listed = jira.transitions(key, expand="transitions.fields")
        close = next(each for each in listed if each["to"]["statusCategory"]["key"] == "done")
        assert close["name"] == "Close"
        assert [name for name, field in close["fields"].items() if field["required"]] == ["resolution"]
        assert close["fields"]["resolution"]["allowedValues"][0]["name"] == "Done"
        assert "fields" not in jira.transitions(key)[0]
        assert [each["id"] for each in jira.transitions(key, id="21")] == ["21"]
        statuses = [status for each in jira.issue_types_for_project("OPS") for status in each.raw["statuses"]]
        assert "done" in {status["statusCategory"]["key"] for status in statuses}

    await aside(story)


@KINDS
async def test_ops_is_closed_in_two_hops_the_second_of_which_takes_nothing(desk: Desk, kind: Kind) -> None:
    def story() -> None:
        jira = desk.client(kind)
        key = new(jira, project={"key": "OPS"})
        assert [each["to"]["statusCategory"]["key"] for each in jira.transitions(key)] == ["indeterminate"]
        walk(jira, key, "Submit for Review", kind, update={"labels": [{"add": f"saga-{UNDO_KEY}"}]})
        assert desk.effects("ticket.create")[0].state == "standing"
        hop = way(jira, key, "Sign Off")
        assert jira.transitions(key, id=hop, expand="transitions.fields")[0]["fields"] == {}
        for fields in ({"resolution": {"name": "Done"}}, {"labels": ["x"]}):
            assert refused(lambda f=fields: jira.transition_issue(key, hop, fields=f))[0] == 400
        assert refused(lambda: jira.transition_issue(key, hop, comment=kind.text("x")))[0] == 400
        jira.transition_issue(key, hop)
        assert jira.issue(key).fields.status.name == "Resolved"

    await aside(story)
    # Both hops are one effect of one key.
    assert [effect.key for effect in desk.effects("ticket.transition")] == [UNDO_KEY]
    assert desk.effects("ticket.create")[0].state == "undone"


async def test_a_reopened_ticket_stands_again_and_a_second_close_is_a_second_effect(desk: Desk) -> None:
    def story() -> None:
        jira = desk.client()
        key = new(jira)
        for number in (1, 2):
            update = {"comment": [{"add": {"body": f"saga-{UNDO_KEY}"}}]}
            walk(jira, key, "Close", fields={"resolution": {"name": "Done"}}, update=update)
            if number == 1:
                walk(jira, key, "Reopen")
                assert jira.issue(key).fields.resolution is None
                assert desk.effects("ticket.create")[0].state == "standing"

    await aside(story)
    assert [effect.key for effect in desk.effects("ticket.transition")] == [UNDO_KEY, None, UNDO_KEY]


async def test_a_key_put_on_before_counts_for_a_close_in_hops_that_say_none(desk: Desk) -> None:
    def story() -> None:
        jira = desk.client()
        key = new(jira, project={"key": "OPS"})
        jira.issue(key).add_field_value("labels", f"saga-{UNDO_KEY}")
        walk(jira, key, "Submit for Review")
        walk(jira, key, "Sign Off")
        walk(jira, key, "Pick Up Again")

    await aside(story)
    assert [effect.key for effect in desk.effects("ticket.transition")] == [UNDO_KEY, None]


async def test_a_deletion_takes_the_key_that_was_announced_by_a_label(desk: Desk) -> None:
    def story() -> None:
        jira = desk.client()
        key = draft(jira)
        issue = jira.issue(key)
        issue.add_field_value("labels", f"saga-{UNDO_KEY}")
        issue.delete()
        assert refused(lambda: jira.issue(key))[0] == 404
        assert refused(issue.delete)[0] == 404
        assert found(jira, "labels = saga") == []
        assert new(jira) == "SUP-2"

    await aside(story)
    created, deleted, _ = desk.effects()
    assert (created.state, deleted.kind, deleted.key, deleted.ref) == (
        "undone",
        "ticket.delete",
        UNDO_KEY,
        "SUP-1",
    )


async def test_a_deletion_that_was_refused_and_is_tried_under_another_key_takes_that_one(desk: Desk) -> None:
    def story() -> None:
        jira = desk.client()
        issue = jira.issue(draft(jira))
        issue.add_field_value("labels", f"saga-{UNDO_KEY}")
        desk.arm("delete", "refuse:422")
        assert refused(issue.delete)[0] == 422
        issue.add_field_value("labels", f"saga-{'a1' * 16}")
        issue.delete()

    await aside(story)
    assert [effect.key for effect in desk.effects("ticket.delete")] == ["a1" * 16]


@KINDS
async def test_comments_are_kept_in_order_and_carry_their_key(desk: Desk, kind: Kind) -> None:
    def story() -> None:
        jira = desk.client(kind)
        key = new(jira)
        jira.add_comment(key, kind.text(f"First (saga-{UNDO_KEY})"))
        second = jira.add_comment(key, kind.text("Second"))
        assert [each.raw["body"] for each in jira.comments(key)][1] == kind.text("Second")
        assert [each.id for each in jira.comments(key, order_by="-created", max_results=1)] == [second.id]
        assert jira.comment(key, second.id).raw["body"] == kind.text("Second")
        assert refused(lambda: jira.add_comment(key, kind.text("") if kind.version == "2" else {}))[0] == 400

    await aside(story)
    assert [effect.key for effect in desk.effects("ticket.comment")] == [UNDO_KEY, None]


async def test_a_moved_ticket_is_closed_under_either_key(desk: Desk) -> None:
    def story() -> None:
        jira = desk.client()
        key = new(jira)
        desk.act(key, "move")
        walk(jira, key, "Submit for Review", update={"labels": [{"add": f"saga-{UNDO_KEY}"}]})
        walk(jira, "OPS-1", "Sign Off")

    await aside(story)
    created, closed = desk.effects()
    assert (created.state, closed.ref, closed.about["issue"]) == ("undone", "SUP-1", "OPS-1")


@pytest.mark.parametrize("project", PROJECTS.values(), ids=PROJECTS)
def test_every_workflow_is_closed_in_itself_and_leads_to_a_done_category(project: Project) -> None:
    for ways in project.transitions.values():
        assert all(way.required <= way.screen and way.to in project.transitions for way in ways)
        assert len({way.id for way in ways}) == len(ways)
    for start in (*project.starts.values(), *project.arrives.values()):
        reached = {start}
        for _ in project.transitions:
            reached |= {way.to for status in reached for way in project.transitions[status]}
        assert "done" in {STATUSES[status].category for status in reached}
