"""The outside as our providers meet it: the sandbox, what was asked of it, and providers that talk to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import httpx
from pydantic import BaseModel

from activities.providers.tickets import Desk, Tickets
from activities.providers.warehouse import Warehouse
from activities.providers.workspaces import Workspaces
from saga.outcome import Sighting
from saga.tool import Call, CounterTool, Tags, Tool, Upstream
from workers.sandbox.app import Sandbox
from workers.sandbox.faults import FaultPlan
from workers.sandbox.world import Effect

ArgsT = TypeVar("ArgsT", bound=BaseModel)

KEY, OTHER_KEY, UNDO_KEY = "a" * 32, "b" * 32, "c" * 32
RUN = "run-1182"
EXECUTION = "0192aabb-ccdd-7eef-8001-223344556677"

Jira = tuple[str, str]
"""(path, API version): a Jira as it may be asked."""
CLOUD2, CLOUD3, SERVER = ("/jira", "2"), ("/jira", "3"), ("/jira-server", "2")
AGENT, READER = ("agent@sandbox.test", "jira-write-token"), ("reader@sandbox.test", "jira-read-token")


def call(
    args: ArgsT,
    key: str = KEY,
    *,
    ref: str | None = None,
    upstream: Mapping[str, str] | None = None,
    execution: str = EXECUTION,
    result: Mapping[str, Any] | None = None,
) -> Call[ArgsT]:
    """A half as the door hands it over; `upstream`: forward key → external reference."""
    steps = [Upstream(tool="", key=each, external_ref=ref) for each, ref in (upstream or {}).items()]
    return Call(
        args=args,
        tags=Tags(key=key, run_id=RUN, step_idx=0, execution=execution),
        since=0.0,
        external_ref=ref,
        result=dict(result or {}),
        upstream=tuple(steps),
    )


async def look(half: Tool[Any] | CounterTool[Any], provider: Any, asked: Call[Any]) -> Sequence[Sighting]:
    """What the half's lookup sees."""
    assert half.find is not None
    return await half.find(provider, asked)


class Outside:
    """The sandbox, and the providers that were made for a test."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.sandbox = sandbox
        self._made: list[Any] = []

    def tickets(
        self,
        jira: Jira = CLOUD2,
        *,
        login: tuple[str, str] = AGENT,
        desk: Desk | None = None,
        timeout_s: float = 5,
        url: str | None = None,
    ) -> Tickets:
        """A Jira provider; what only reads gets `login=READER`."""
        path, api = jira
        user, token = login
        made = Tickets(
            url=url or self.sandbox.url + path, user=user, token=token, timeout_s=timeout_s, desk=desk, api=api
        )
        self._made.append(made)
        return made

    def warehouse(self, token: str = "warehouse-write", *, timeout_s: float = 5, url: str | None = None) -> Warehouse:
        """A warehouse provider."""
        made = Warehouse(url=url or self.sandbox.url, token=token, timeout_s=timeout_s)
        self._made.append(made)
        return made

    def workspaces(
        self, token: str = "workspaces-write", *, timeout_s: float = 5, url: str | None = None
    ) -> Workspaces:
        """The workspace service; what only reads gets `workspaces-read`."""
        made = Workspaces(url=url or self.sandbox.url, token=token, timeout_s=timeout_s)
        self._made.append(made)
        return made

    def arm(self, system: Any, operation: Any, fault: str, **more: Any) -> None:
        """Arm a fault."""
        self.sandbox.faults.arm(FaultPlan(system=system, operation=operation, fault=fault, **more))

    async def act(self, system: str, ref: str, act: str, **more: Any) -> None:
        """What a person does to it."""
        async with httpx.AsyncClient(base_url=self.sandbox.url) as client:
            answer = await client.post("/world/acts", json={"system": system, "ref": ref, "act": act, **more})
        assert answer.status_code == 200, answer.text

    def advance(self, seconds: float) -> None:
        """Move the world's clock on."""
        with self.sandbox.world.transaction():
            self.sandbox.world.set_clock(self.sandbox.world.now() + seconds)
        self.sandbox.expire()

    def effects(self, kind: str | None = None) -> list[Effect]:
        """What the world holds, of one kind or all."""
        return [each for each in self.sandbox.world.effects() if kind in (None, each.kind)]

    def standing(self) -> list[str]:
        """The kinds of what stands."""
        return [each.kind for each in self.sandbox.world.effects() if each.state == "standing"]

    def sent(self, system: str, method: str = "POST") -> list[str]:
        """The operations of the requests that this system received by this method, in order."""
        return [
            line["operation"]
            for line in self.sandbox.world.calls()
            if line["system"] == system and line["method"] == method
        ]

    async def close(self) -> None:
        """Let go of all connections."""
        for made in self._made:
            await made.close()
