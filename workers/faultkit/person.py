"""The person of a matrix: where a run waits for somebody, looks into the world and says what is there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from workers.faultkit.laboratory import Handle, Laboratory
from workers.faultkit.laws import UNDONE, Broken
from workers.faultkit.world import Effect, Wired

WHO = "bob"
ENOUGH = 3
"""Asked the same so often, with nothing left to mend, a person takes it upon themselves."""


class Person:
    """Answers truthfully, by key; mends what strikes before anything is tried again; lets through what is gated."""

    def __init__(self, lab: Laboratory) -> None:
        """Looks into the laboratory's world, never into the log alone."""
        self._lab = lab
        self.asked: list[tuple[str, str]] = []
        """Kind and words of what was asked, in order."""

    async def answer(self, handle: Handle, need: Mapping[str, Any]) -> None:
        """Settle one need, as its kind allows."""
        self.asked.append((need["kind"], need["what"]))
        where = {"step_idx": need["step_idx"], "half": need["half"], "by": WHO, "note": "looked"}
        if isinstance(self._lab.outside, Wired):
            await self._lab.outside.mend()
        if need["kind"] == "gate":
            order = {"step_idx": need["step_idx"], "decision": "approve", "digest": need["digest"], "by": WHO}
            await handle.execute_update("decide_gate", order)
            return
        if need["kind"] == "unknown":
            await handle.execute_update("resolve_step", {**where, **await self._truth(handle, need)})
            return
        if self.asked.count(self.asked[-1]) >= ENOUGH:
            await handle.execute_update("waive_step", where)
            return
        if need["kind"] == "two_found":
            await self._heal(handle, need)
        elif need["kind"] not in ("undo_failed", "commit_failed"):
            raise Broken(f"a person was asked what nobody here can answer: {dict(need)}")
        await handle.execute_update("retry_step", where)

    async def _truth(self, handle: Handle, need: Mapping[str, Any]) -> dict[str, Any]:
        found = [each for each in await self._under(handle, need) if each["state"] != "failed"]
        refs = [each["ref"] for each in found]
        return {"happened": bool(found), "external_ref": refs[0] if refs else None}

    async def _heal(self, handle: Handle, need: Mapping[str, Any]) -> None:
        """Take away by hand what is one too many."""
        found = [each for each in await self._under(handle, need) if each["state"] not in UNDONE]
        if not isinstance(self._lab.outside, Wired):
            raise Broken(f"two effects of one key, and nobody who could take one away: {found}")
        for each in found[1:]:
            await self._lab.outside.heal(each)

    async def _under(self, handle: Handle, need: Mapping[str, Any]) -> Sequence[Effect]:
        row = (await self._lab.rows(handle))[need["step_idx"]]
        key = row["compensation"]["idempotency_key"] if need["half"] == "compensation" else row["idempotency_key"]
        return await self._lab.effects(key=key)
