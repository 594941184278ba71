"""The verification service: makes a code, sends it by SMS, and checks what is typed in. The code never comes near us.

It honours our key as a natural one: a verification has one `saga_key` for ever, and is found by it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from activities.providers.service import Service
from saga.draft import Pace
from saga.errors import NotSent, Unanswered
from saga.outcome import Receipt, Sighting
from saga.record import Json
from saga.tool import Tags

PACE = Pace(
    request_s=10,  # it puts a message into a queue: done within a second; ten times that is no longer slow but silent
    attempt_s=25,  # one request and no second one; the rest is for a worker that is busy
    patience_s=300,  # somebody waits with the telephone in their hand: after five minutes the code is of no use
    tries=3,  # the second is answered by key; a third outlives a short outage
)
INDEX_LAG_S = 5.0
"""Its lists are read from where it writes, so a new row shows at once; seconds more for one still being written."""

_PAGE = 100
_PAGES = 10
"""100 is its largest page; a thousand of one key is no answer to work with."""


@dataclass(frozen=True, kw_only=True)
class Verification:
    """A code that was sent to a number. What the code is only the service knows."""

    id: str
    state: str
    to: str
    purpose: str
    execution: str | None

    @classmethod
    def parse(cls, said: Mapping[str, Any]) -> Verification:
        """From the service's JSON, of which nothing else is kept. Unanswered where it is none."""
        ref, execution = said.get("id"), said.get("saga_execution")
        fields = {name: said.get(name) for name in ("state", "to", "purpose")}
        if not isinstance(ref, str) or not ref or not all(isinstance(each, str) for each in fields.values()):
            raise Unanswered("the verification service's answer is no verification", code="no_answer")
        return cls(id=ref, execution=str(execution) if execution else None, **{k: str(v) for k, v in fields.items()})

    def sighting(self) -> Sighting:
        """As an effect: what was sent stays sent, whatever became of the code."""
        result: Json = {"verification": self.id, "to": self.to, "purpose": self.purpose}
        return Sighting(external_ref=self.id, state="standing", result=result, execution=self.execution)

    def receipt(self) -> Receipt:
        """As the provider's answer."""
        return self.sighting().receipt()


class Sms:
    """The verification service, with one token: one that sends, or one that only reads."""

    def __init__(self, *, url: str, token: str, timeout_s: float) -> None:
        """`url` without `/sms`. Nothing is sent before the first call."""
        self._service = Service("verification service", url=url, token=token, timeout_s=timeout_s)

    async def close(self) -> None:
        """Let go of the connections."""
        await self._service.close()

    async def send(self, tags: Tags, *, to: str, purpose: str) -> Verification:
        """Have a code made and sent. The verification of this key where there is one, and no second message."""
        marks: Json = {"saga_key": tags.key, "saga_run": tags.run_id, "saga_execution": tags.execution}
        return Verification.parse(await self._service.post(_ALL, {**marks, "to": to, "purpose": purpose}))

    async def verification(self, reference: str) -> Verification | None:
        """The verification of this id; None where the service knows none."""
        try:
            said = await self._service.get(f"{_ALL}/{quote(reference, safe='')}")
        except NotSent as error:
            if (error.status, error.code) == (404, "not_found"):
                return None
            raise
        return _read(said)

    async def verifications(self, key: str) -> list[Verification]:
        """Every verification that carries this key, oldest first."""
        found: list[Json] = []
        asked: dict[str, Any] = {"saga_key": key, "limit": _PAGE}
        for _ in range(_PAGES):
            page = await self._service.get(_ALL, asked)
            data = page.get("data")
            if not isinstance(data, list):
                raise NotSent("the verification service answered no list", code="no_answer")
            # The filter is a hint; whose they are is decided here.
            found += [each for each in data if isinstance(each, dict) and each.get("saga_key") == key]
            asked["cursor"] = page.get("next_cursor")
            if not asked["cursor"]:
                break
        else:
            raise NotSent("the verification service's list does not end", code="too_many", lasting=True)
        if not found:
            # A token that is known gets the service's own "there is none"; any other is turned away here.
            await self.verification(key)
        return [_read(each) for each in reversed(found)]


_ALL = "/sms/v1/verifications"


def _read(said: Mapping[str, Any]) -> Verification:
    try:
        return Verification.parse(said)
    except Unanswered as error:
        raise NotSent(error.message, code=error.code) from None
