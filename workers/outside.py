"""The outside of the demo: the sandbox's own `/world`, to look at and to break on purpose."""

from __future__ import annotations

import asyncio
import time
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlencode

import httpx
from pydantic import TypeAdapter

from saga.keys import run_tag
from workers.exits import CannotTell
from workers.sandbox.world import Effect

LOOK_EVERY_S = 0.05
"""A look costs the sandbox a millisecond or two; what is waited for is to be met while it lasts."""
ANSWER_S = 10.0
"""It is on this machine and answers in milliseconds; ten seconds are for a machine that is very busy."""

JIRA_READER = ("reader@sandbox.test", "jira-read-token")
"""The sandbox's login that only reads; nobody's secret."""

_EFFECTS = TypeAdapter(list[Effect])


class Outside:
    """A client of one sandbox; `async with` it."""

    def __init__(self, url: str) -> None:
        """`url` without a slash at its end."""
        self._http = httpx.AsyncClient(base_url=url, timeout=ANSWER_S)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._http.aclose()

    async def effects(self, run_id: str | None = None) -> list[Effect]:
        """All effects, oldest first, or those that carry that run's name."""
        names = ["", run_tag(run_id)] if run_id else [""]
        paths = [f"/world/effects?run={name or run_id}" if run_id else "/world/effects" for name in names]
        found = [each for path in paths for each in _EFFECTS.validate_python(await self._ask("GET", path))]
        return sorted(found, key=lambda each: each.at)

    async def calls(self, run_id: str | None = None) -> list[dict[str, Any]]:
        """The log of requests, oldest first: all of it, or the lines of that run."""
        found = await self._ask("GET", "/world/calls")
        names = {run_id, run_tag(run_id)} if run_id else set[str]()
        return [each for each in found if run_id is None or each["run"] in names]

    async def now(self) -> float:
        """Epoch seconds on the world's clock."""
        return float((await self._ask("GET", "/world/clock"))["now"])

    async def arm(self, system: str, operation: str, fault: str, *, run_id: str | None, **more: int) -> None:
        """Arm a fault that strikes that run and no other; None: everybody. `more`: `times`, `skip`."""
        whole = {"system": system, "operation": operation, "fault": fault, "run": run_id, **more}
        await self._ask("POST", "/world/faults", whole)

    async def disarm(self, **equals: str) -> None:
        """Disarm the faults of which those fields are so (`run`, `system`, `fault`); all, where none is given."""
        await self._ask("DELETE", f"/world/faults?{urlencode(equals)}")

    async def act(self, system: str, ref: str, act: str) -> bool:
        """What a person or a provider does to something; False where it cannot be done to it (any more)."""
        return await self._ask("POST", "/world/acts", {"system": system, "ref": ref, "act": act}, no=400) is not None

    async def comments(self, issue: str) -> list[str]:
        """What stands under a ticket, the oldest first, as anybody who may read Jira is told it."""
        path = f"/jira/rest/api/2/issue/{issue}/comment"
        found = await self._ask("GET", path, auth=JIRA_READER)
        return [str(each["body"]) for each in found["comments"]]

    async def until(self, run_id: str, kind: str, within_s: float) -> Effect:
        """The run's first effect of that kind, as soon as the world shows it; TimeoutError where it does not."""
        end = time.monotonic() + within_s
        while True:
            found = next((each for each in await self.effects(run_id) if each.kind == kind), None)
            if found is not None:
                return found
            if time.monotonic() > end:
                raise TimeoutError(f"no {kind} of {run_id} in the world within {within_s:.0f} s")
            await asyncio.sleep(LOOK_EVERY_S)

    async def _ask(
        self,
        method: str,
        path: str,
        body: dict[str, Any] | None = None,
        *,
        auth: tuple[str, str] | None = None,
        no: int | None = None,
    ) -> Any:
        """What it answers; None where its answer is the status `no`."""
        try:
            answer = await self._http.request(method, path, json=body, auth=auth)
            if answer.status_code == no:
                return None
            answer.raise_for_status()
            return answer.json()
        except httpx.HTTPError as error:
            raise CannotTell(f"the sandbox does not answer {path} ({type(error).__name__})") from None
