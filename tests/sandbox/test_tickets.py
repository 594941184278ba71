"""The sandbox's Jira: what is created, who may, what people do to it, and what is lost on the way."""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import httpx
import pytest
from jira import JIRAError

from tests.sandbox.jira_desk import (
    CLOUD3,
    EXECUTION,
    KEY,
    KINDS,
    LABELS,
    READER,
    RUN,
    SERVER,
    UNDO_KEY,
    Desk,
    Kind,
    aside,
    found,
    new,
    refused,
    walk,
)
from workers.sandbox.app import Sandbox


@pytest.fixture
def desk(sandbox: Sandbox) -> Iterator[Desk]:
    with ExitStack() as clients:
        yield Desk(sandbox, clients)


@KINDS
async def test_a_ticket_is_created_found_read_edited_and_closed(desk: Desk, kind: Kind) -> None:
    def story() -> None:
        jira = desk.client(kind)
        assert jira._is_cloud is (kind != SERVER)
        key = new(jira, description=kind.text("The shade is cracked."), priority={"name": "High"})
        assert key == "SUP-1"
        issue = jira.issue(key)
        assert issue.fields.status.statusCategory.key == "new"
        assert issue.fields.labels == sorted(LABELS)
        assert issue.raw["fields"]["description"] == kind.text("The shade is cracked.")
        assert issue.fields.priority.name == "High"
        assert found(jira, f'labels = "saga-{KEY}"') == [key]
        assert found(jira, f'project = SUP AND labels = "saga-run-{RUN}"') == [key]
        issue.update(fields={"summary": "Lamp cracked"}, update={"labels": [{"add": "seen"}]})
        assert (issue.fields.summary, "seen" in issue.fields.labels) == ("Lamp cracked", True)
        update = {
            "labels": [{"add": f"saga-{UNDO_KEY}"}],
            "comment": [{"add": {"body": kind.text("Undone.")}}],
        }
        walk(jira, key, "Close", kind, fields={"resolution": {"name": "Cancelled"}}, update=update)
        issue = jira.issue(key, fields="status,resolution,comment")
        assert (issue.fields.status.name, str(issue.fields.resolution)) == ("Closed", "Cancelled")
        assert issue.raw["fields"]["comment"]["comments"][0]["body"] == kind.text("Undone.")
        assert set(issue.raw["fields"]) == {"status", "resolution", "comment"}
        assert found(jira, f'labels = "saga-{KEY}" AND statusCategory = Done') == [key]

    await aside(story)
    created, closed = desk.effects()
    assert (created.kind, created.key, created.run, created.execution) == (
        "ticket.create",
        KEY,
        RUN,
        EXECUTION,
    )
    assert (created.ref, created.state, created.audience) == ("SUP-1", "undone", ["support_team"])
    assert (closed.kind, closed.key, closed.run, closed.state) == (
        "ticket.transition",
        UNDO_KEY,
        RUN,
        "standing",
    )
    assert (closed.ref, closed.about["undoes"], closed.about["to"]) == ("SUP-1", "SUP-1", "Closed")


async def test_two_creations_are_two_tickets_whatever_their_key(desk: Desk) -> None:
    def story() -> None:
        jira = desk.client()
        assert (new(jira), new(jira)) == ("SUP-1", "SUP-2")
        assert found(jira, f'labels = "saga-{KEY}"') == ["SUP-2", "SUP-1"]

    await aside(story)
    assert [effect.key for effect in desk.effects("ticket.create")] == [KEY, KEY]


async def test_cloud_and_server_are_one_jira(desk: Desk) -> None:
    def story() -> None:
        key = new(desk.client(CLOUD3), description=CLOUD3.text("One\nTwo"))
        server = desk.client(SERVER)
        assert server.issue(key).fields.description == "One\nTwo"
        assert found(server, "labels = saga") == [key]

    await aside(story)


@pytest.mark.parametrize(
    ("fields", "field", "message"),
    [
        ({"labels": ["two words"]}, "labels", "The label 'two words' contains spaces which is invalid."),
        ({"labels": "saga"}, "labels", "Expected a list of strings."),
        ({"labels": ["x" * 256]}, "labels", "exceeds the maximum length"),
        ({"summary": None}, "summary", "You must specify a summary of the issue."),
        ({"summary": "  "}, "summary", "You must specify a summary of the issue."),
        ({"summary": "x" * 256}, "summary", "Summary must be less than 255 characters."),
        ({"summary": "one\ntwo"}, "summary", "newline"),
        ({"project": {"key": "NOPE"}}, "project", "Specify a valid project ID or key"),
        ({"issuetype": {"name": "Bug"}}, "issuetype", "Specify a valid issue type"),
        (
            {"project": {"key": "OPS"}, "issuetype": {"name": "Draft Request"}},
            "issuetype",
            "valid issue type",
        ),
        ({"priority": {"name": "Yesterday"}}, "priority", "The priority selected is invalid."),
        ({"customfield_1": "x"}, "customfield_1", "cannot be set. It is not on the appropriate screen"),
        ({"resolution": {"name": "Done"}}, "resolution", "cannot be set"),
        ({"description": CLOUD3.text("x")}, "description", "Operation value must be a string"),
        ({"description": "x" * 32_768}, "description", "exceeds the allowed limit of 32,767"),
    ],
)
async def test_a_creation_that_does_not_fit_is_refused_by_field(
    desk: Desk, fields: dict[str, Any], field: str, message: str
) -> None:
    def story() -> None:
        status, body = refused(lambda: new(desk.client(), **fields))
        assert (status, body["errorMessages"], list(body["errors"])) == (400, [], [field])
        assert message in body["errors"][field]

    await aside(story)
    assert desk.effects() == []


async def test_v3_insists_on_documents(desk: Desk) -> None:
    def story() -> None:
        jira = desk.client(CLOUD3)
        wanted = "Operation value must be an Atlassian Document (see the Atlassian Document Format)"
        nothing: dict[str, Any] = {"type": "doc", "version": 1, "content": [{"text": "no type"}]}
        for description in ("plain words", nothing):
            status, body = refused(lambda given=description: new(jira, description=given))
            assert (status, body["errors"]) == (400, {"description": wanted})
        key = new(jira)
        status, body = refused(lambda: jira.add_comment(key, "plain words"))
        assert (status, body["errors"]) == (400, {"comment": "Comment body is not valid!"})

    await aside(story)


@KINDS
async def test_authentication_is_enforced(desk: Desk, kind: Kind) -> None:
    def story() -> None:
        key = new(desk.client(kind))
        for login in (("agent@sandbox.test", "jira-read-token"), ("stranger@sandbox.test", "x")):
            stranger = desk.client(kind, login)  # serverInfo is for everyone
            for call in (
                stranger.myself,
                lambda s=stranger: s.issue(key),
                lambda s=stranger: found(s, "labels = a"),
            ):
                assert refused(call)[0] == 401
        reader = desk.client(kind, READER)
        assert reader.myself()["displayName"] == "Sandbox reader"
        assert found(reader, "labels = saga") == [key]
        assert reader.transitions(key) == []
        issue = reader.issue(key)
        for write in (
            lambda: new(reader),
            lambda: reader.add_comment(key, kind.text("x")),
            lambda: reader.transition_issue(key, "31"),
            lambda: issue.update(fields={"summary": "x"}),
            issue.delete,
        ):
            status, body = refused(write)
            assert (status, body["errors"]) == (403, {})
            assert body["errorMessages"]

    await aside(story)
    assert len(desk.effects()) == 1


async def test_server_takes_a_personal_access_token_and_cloud_does_not(desk: Desk) -> None:
    def story() -> None:
        for path, status in (("/jira-server/rest/api/2", 200), ("/jira/rest/api/2", 401)):
            headers = {"Authorization": "Bearer jira-write-token"}
            assert httpx.get(f"{desk.sandbox.url}{path}/myself", headers=headers).status_code == status

    await aside(story)


async def test_people_close_move_and_delete_tickets(desk: Desk) -> None:
    def story() -> None:
        jira = desk.client()
        closed, moved, deleted = (new(jira) for _ in range(3))
        assert desk.act(closed, "close").json()["status"] == "Closed"
        assert desk.act(moved, "move").json()["key"] == "OPS-1"
        assert desk.act(deleted, "delete").status_code == 200
        assert jira.issue(closed).fields.status.statusCategory.key == "done"
        assert (jira.issue(moved).key, jira.issue("OPS-1").fields.project.key) == ("OPS-1", "OPS")
        assert refused(lambda: jira.issue(deleted))[0] == 404
        assert found(jira, "labels = saga") == ["OPS-1", closed]
        assert found(jira, f"key = {moved}") == ["OPS-1"]
        assert [each["name"] for each in jira.transitions(moved)] == ["Submit for Review"]
        assert desk.act(closed, "close").status_code == 400
        assert desk.act(deleted, "close").status_code == 400
        assert "allowed: close, move, delete" in desk.act(moved, "refund").json()["error"]

    await aside(story)
    assert [effect.state for effect in desk.effects()] == ["undone", "standing", "undone"]
    assert desk.effects("ticket.transition") == []


async def test_an_answer_lost_leaves_the_ticket_and_a_refusal_leaves_none(desk: Desk) -> None:
    def story() -> None:
        jira = desk.client()
        desk.arm("create", "after:504")
        with pytest.raises(JIRAError) as lost:
            new(jira)
        assert lost.value.status_code == 504
        assert found(jira, f'labels = "saga-{KEY}"') == ["SUP-1"]
        for status in (400, 401, 403, 404, 409, 500, 503):
            desk.arm("create", f"refuse:{status}")
            refusal = refused(lambda: new(jira))
            assert (refusal[0], set(refusal[1])) == (status, {"errorMessages", "errors"})
        desk.arm("create", "in_use")
        assert refused(lambda: new(jira))[0] == 409
        desk.arm("transition", "duplicate")
        status, body = refused(lambda: walk(jira, "SUP-1", "Close", fields={"resolution": {"name": "Done"}}))
        assert (status, body["errors"]) == (400, {})

    await aside(story)
    assert [effect.kind for effect in desk.effects()] == ["ticket.create", "ticket.transition"]


async def test_too_many_requests_say_when_to_come_back(desk: Desk) -> None:
    def story() -> None:
        jira = desk.client()
        desk.arm("create", "429:7")
        with pytest.raises(JIRAError) as error:
            new(jira)
        response: Any = error.value.response
        assert (response.status_code, response.headers["Retry-After"]) == (429, "7")
        assert response.json()["errorMessages"] == ["Rate limit exceeded."]

    await aside(story)


async def test_the_request_log_and_faults_of_one_run_know_whose_request_it_is(desk: Desk) -> None:
    def story() -> None:
        jira = desk.client()
        desk.arm("transition", "refuse:503", run="run-1182")
        desk.arm("search", "refuse:503", run="run-1182")
        mine, other = new(jira), new(jira, labels=["saga", f"saga-{UNDO_KEY}"])
        jira.transition_issue(other, "31", fields={"resolution": {"name": "Done"}})
        assert refused(lambda: jira.transition_issue(mine, "31", fields={"resolution": {"name": "Done"}}))[0] == 503
        assert found(jira, f'labels = "saga-{UNDO_KEY}"') == [other]
        assert refused(lambda: found(jira, f'labels = "saga-{KEY}"'))[0] == 503

    await aside(story)
    struck = [call for call in desk.sandbox.world.calls() if call["fault"]]
    assert [(call["operation"], call["run"]) for call in struck] == [("transition", RUN), ("search", RUN)]


async def test_reset_begins_a_new_jira(desk: Desk) -> None:
    def story() -> None:
        jira = desk.client()
        new(jira)
        assert httpx.post(f"{desk.sandbox.url}/world/reset").status_code == 200
        assert found(jira, "labels = saga") == []
        assert new(jira) == "SUP-1"

    await aside(story)
