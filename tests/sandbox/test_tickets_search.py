"""Searching the sandbox's Jira: pages, refusals, an index that is behind, a login that has expired."""

from collections.abc import Iterator
from contextlib import ExitStack

import httpx
import pytest

from tests.sandbox.jira_desk import AGENT, KINDS, SERVER, Desk, Kind, aside, found, new, refused
from workers.sandbox.app import Sandbox


@pytest.fixture
def desk(sandbox: Sandbox) -> Iterator[Desk]:
    with ExitStack() as clients:
        yield Desk(sandbox, clients)


@KINDS
async def test_searches_page_through_everything(desk: Desk, kind: Kind) -> None:
    def story() -> None:
        jira = desk.client(kind)
        keys = [new(jira) for _ in range(7)]
        jira._options["default_batch_size"] = {type(jira.issue(keys[0])): 3}
        assert found(jira, "labels = saga ORDER BY key ASC") == keys
        if kind == SERVER:
            page = jira.search_issues("labels = saga ORDER BY key", startAt=5, maxResults=5)
            assert ([issue.key for issue in page], page.total) == (keys[5:], 7)
            return
        seen: list[str] = []
        token: str | None = None
        for size in (3, 3, 1):
            page = jira.enhanced_search_issues("labels = saga", maxResults=3, nextPageToken=token, fields="status")
            token = page.nextPageToken
            assert len(page) == size
            seen += [issue.key for issue in page]
        assert (token, seen) == (None, keys[::-1])
        status, body = refused(lambda: jira.enhanced_search_issues("labels = other", nextPageToken="bm8="))
        assert (status, body["errorMessages"]) == (
            400,
            ["The provided next page token is invalid or expired."],
        )

    await aside(story)


@KINDS
async def test_a_query_that_is_not_understood_is_an_error_not_an_empty_list(desk: Desk, kind: Kind) -> None:
    def story() -> None:
        jira = desk.client(kind)
        for jql in ("labels ~ saga", "label = saga", "project = NOPE", "labels = saga AND", "key = SUP-9"):
            status, body = refused(lambda jql=jql: found(jira, jql))
            assert (status, body["errors"]) == (400, {})
            assert body["errorMessages"]

    await aside(story)


async def test_cloud_wants_a_restriction_gives_only_ids_unasked_and_has_no_old_search(desk: Desk) -> None:
    def story() -> None:
        jira = desk.client()
        new(jira)
        assert "Unbounded" in refused(lambda: found(jira, "ORDER BY created"))[1]["errorMessages"][0]
        with httpx.Client(base_url=f"{desk.sandbox.url}/jira/rest/api/3", auth=AGENT) as http:
            bare = http.get("/search/jql", params={"jql": "labels = saga"}).json()
            assert bare == {"issues": [{"id": "10001"}], "isLast": True}
            posted = http.post("/search/jql", json={"jql": "labels = saga", "fields": ["key", "summary"]}).json()
            assert posted["issues"][0]["fields"] == {"summary": "Lamp broken"}
            assert http.get("/search", params={"jql": "labels = saga"}).status_code == 410
            assert httpx.get(f"{desk.sandbox.url}/jira-server/rest/api/3/myself", auth=AGENT).status_code == 404

    await aside(story)


@KINDS
async def test_a_search_lags_and_a_key_does_not(desk: Desk, kind: Kind) -> None:
    def story() -> None:
        jira, world = desk.client(kind), desk.sandbox.world
        old = new(jira)
        world.set_clock(world.now() + 100, frozen=True)
        desk.arm("search", "lag:30")
        young = new(jira)
        jira.issue(old).update(fields={"labels": ["altered"]})
        assert found(jira, "labels = saga") == [old]
        assert found(jira, "labels = altered") == []
        assert found(jira, f"key = {young}") == []
        assert jira.issue(young).key == young
        assert jira.issue(old).fields.labels == ["altered"]
        if kind != SERVER:
            fresh = jira.enhanced_search_issues("labels = saga", reconcileIssues=[10002])
            assert [issue.key for issue in fresh] == [young, old]
        jira.issue(young).delete()
        world.advance(29)
        assert found(jira, "labels = saga") == [old]
        world.advance(1)
        assert found(jira, "labels = saga") == []
        assert found(jira, "labels = altered") == [old]

    await aside(story)


async def test_a_deleted_ticket_is_still_in_an_index_that_is_behind(desk: Desk) -> None:
    def story() -> None:
        jira, world = desk.client(), desk.sandbox.world
        key = new(jira)
        world.set_clock(world.now() + 100, frozen=True)
        desk.arm("search", "lag:30")
        jira.issue(key).delete()
        assert found(jira, "labels = saga") == [key]
        assert refused(lambda: jira.issue(key))[0] == 404

    await aside(story)


@KINDS
@pytest.mark.parametrize("times", [None, 1])
async def test_an_expired_login_finds_nothing_and_only_myself_says_so(
    desk: Desk, kind: Kind, times: int | None
) -> None:
    def story() -> None:
        jira = desk.client(kind)
        key = new(jira)
        desk.arm("search", "blind", **({"times": times} if times else {}))
        assert found(jira, "labels = saga") == []
        assert refused(jira.myself)[0] == 401
        if times is None:
            assert found(jira, "labels = saga") == []
            desk.sandbox.faults.disarm()
        assert found(jira, "labels = saga") == [key]
        assert jira.myself()["active"] is True

    await aside(story)
