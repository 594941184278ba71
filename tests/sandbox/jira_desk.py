"""How the tests of tickets ask the sandbox: with the real `jira` package, as Cloud v2, v3, and as Server."""

import asyncio
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from jira import JIRA, JIRAError

from workers.sandbox.app import Sandbox
from workers.sandbox.faults import FaultPlan, OperationName
from workers.sandbox.stamp import hashed
from workers.sandbox.world import Effect

AGENT = ("agent@sandbox.test", "jira-write-token")
READER = ("reader@sandbox.test", "jira-read-token")
KEY, UNDO_KEY = "a" * 32, "b" * 32
RUN = hashed("run-1182")
EXECUTION = "0192aa-bbccd"
LABELS = ["saga", f"saga-{KEY}", f"saga-run-{RUN}", f"saga-exec-{EXECUTION}"]


@dataclass(frozen=True)
class Kind:
    """One of the three ways in which a Jira is asked."""

    path: str
    version: str

    def text(self, words: str) -> Any:
        """A description or comment as this version of the API takes it."""
        if self.version == "2":
            return words
        paragraph = {"type": "paragraph", "content": [{"type": "text", "text": words}]}
        return {"type": "doc", "version": 1, "content": [paragraph]}


CLOUD2, CLOUD3, SERVER = Kind("/jira", "2"), Kind("/jira", "3"), Kind("/jira-server", "2")
KINDS = pytest.mark.parametrize("kind", [CLOUD2, CLOUD3, SERVER], ids=["cloud-v2", "cloud-v3", "server"])


class Desk:
    """Synchronous clients of the sandbox, run in a thread so that the sandbox can answer."""

    def __init__(self, sandbox: Sandbox, clients: ExitStack) -> None:
        self.sandbox = sandbox
        self.clients = clients

    def client(self, kind: Kind = CLOUD2, login: tuple[str, str] = AGENT) -> JIRA:
        options: dict[str, Any] = {"rest_api_version": kind.version}
        url = f"{self.sandbox.url}{kind.path}"
        jira = JIRA(url, options=options, basic_auth=login, max_retries=0, timeout=10)
        self.clients.callback(jira.close)
        return jira

    def arm(self, operation: OperationName, fault: str, **more: Any) -> None:
        """Arm a fault of tickets."""
        self.sandbox.faults.arm(FaultPlan(system="tickets", operation=operation, fault=fault, **more))

    def act(self, ref: str, act: str) -> httpx.Response:
        plan = {"system": "tickets", "ref": ref, "act": act}
        return httpx.post(f"{self.sandbox.url}/world/acts", json=plan)

    def effects(self, kind: str | None = None) -> list[Effect]:
        return [effect for effect in self.sandbox.world.effects() if kind in (None, effect.kind)]


async def aside(work: Callable[[], None]) -> None:
    """Run a story of synchronous calls."""
    await asyncio.to_thread(work)


def new(jira: JIRA, **fields: Any) -> str:
    """A ticket with our labels, unless told otherwise; its key."""
    asked = {
        "project": {"key": "SUP"},
        "issuetype": {"name": "Task"},
        "summary": "Lamp broken",
        "labels": LABELS,
    }
    return jira.create_issue(fields={**asked, **fields}, prefetch=False).key


def draft(jira: JIRA) -> str:
    return new(jira, issuetype={"name": "Draft Request"})


def found(jira: JIRA, jql: str) -> list[str]:
    return [issue.key for issue in jira.search_issues(jql, maxResults=False, fields="labels")]


def way(jira: JIRA, key: str, name: str) -> str:
    return next(each["id"] for each in jira.transitions(key) if each["name"] == name)


def refused(work: Callable[[], Any]) -> tuple[int | None, dict[str, Any]]:
    """The status and Jira's error body of a call that must fail."""
    with pytest.raises(JIRAError) as error:
        work()
    response: Any = error.value.response
    return error.value.status_code, response.json()


def walk(jira: JIRA, key: str, transition: str, kind: Kind = CLOUD2, **body: Any) -> None:
    """POST a transition with `fields` and `update` as given."""
    url = f"{jira.server_url}/rest/api/{kind.version}/issue/{key}/transitions"
    session: Any = jira._session
    answer = session.post(url, json={"transition": {"id": way(jira, key, transition)}, **body})
    assert (answer.status_code, answer.text) == (204, "")
