"""The person: decides on proposals as the plan says, and answers what a run asks after looking at the world."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

from temporalio.service import RPCError

from saga.row import Row
from workers import decisions
from workers.chaos.intruder import Intruder
from workers.chaos.plan import APPROVERS, Plan
from workers.chaos.view import Handle, View
from workers.exits import AnswerIsNo, CannotTell
from workers.ledger import LIVE
from workers.outside import Outside
from workers.sandbox.world import Effect

TRIES = 2
"""How often a step that failed is tried again before it is left as it is: what was armed is spent by then."""


class Person:
    """Everybody who may say something to one run."""

    def __init__(self, plan: Plan, outside: Outside, intruder: Intruder, did: Counter[str]) -> None:
        """Nobody has said anything."""
        self._plan, self._outside, self._intruder, self._did = plan, outside, intruder, did
        self._decided: set[str] = set()
        self._sent_back = False
        self._asked: Counter[tuple[int, str]] = Counter()
        self.digest = ""
        """Of the proposal last seen."""
        self.approved = False
        """An approval has been sent, and may have arrived."""
        self.waived: set[tuple[str, str]] = set()

    async def attend(self, handle: Handle, seen: View) -> None:
        """Decide on what waits, and answer what is asked. Asked again it finishes what did not arrive."""
        if seen.digest and seen.digest not in self._decided and self._plan.decision != "silence":
            await self.decide(handle, seen)
        for need in seen.status["needs_human"]:
            if need["step_idx"] is not None:
                await self._answer(handle, need, seen.rows[need["step_idx"]])

    async def decide(self, handle: Handle, seen: View) -> None:
        """Once on each proposal."""
        digest, decision = str(seen.digest), self._plan.decision
        await asyncio.sleep(self._plan.think_s)
        await self._intruder.beside(handle, digest)
        if decision == "quarrel":
            await self._quarrel(handle, digest)
        elif decision == "send_back" and not self._sent_back:
            await self._send_back(handle, seen)
        elif decision == "reject":
            await self._tell(handle, "reject", digest)
        else:
            self.approved = True
            await self._tell(handle, "approve", digest)
        self._decided.add(digest)
        self._did[f"decided: {decision}"] += 1

    async def cancel(self, handle: Handle, order: dict[str, Any]) -> None:
        """Say why, before Temporal's own cancel."""
        await self._update(handle, "cancel_run", order, str(order["keep"]))

    async def _tell(self, handle: Handle, decision: str, digest: str) -> None:
        payload = {"digest": digest, "by": self._plan.decider, "note": "as planned"}
        if self._plan.by_signal:
            await handle.signal(f"{decision}_pivot", payload)
        else:
            await self._update(handle, "decide_pivot", {"decision": decision, **payload}, digest)
        if "doubled" in self._plan.tricks:
            self._intruder.sent.append("doubled")
            await self._update(handle, "decide_pivot", {"decision": decision, **payload, "by": "vice"}, digest)

    async def _quarrel(self, handle: Handle, digest: str) -> None:
        self.approved = True
        await asyncio.gather(
            handle.signal("approve_pivot", {"digest": digest, "by": APPROVERS[0]}),
            handle.signal("reject_pivot", {"digest": digest, "by": APPROVERS[1]}),
        )

    async def _send_back(self, handle: Handle, seen: View) -> None:
        last = seen.proposal["commit"][-1]
        strike = [last["step_idx"]] if self._plan.strike else []
        payload = {"decision": "send_back", "digest": seen.digest, "by": self._plan.decider, "note": "not like this"}
        await self._update(handle, "decide_pivot", {**payload, "strike": strike}, str(seen.digest))
        self._sent_back = True

    async def _answer(self, handle: Handle, need: dict[str, Any], row: Row) -> None:
        half = need["half"]
        payload = {"step_idx": row.step_idx, "half": half, "by": self._plan.decider, "note": "looked"}
        place = (row.step_idx, half)
        if need["kind"] in ("unknown", "two_found"):
            found = await self._look(row, half)
            await self._update(handle, "resolve_step", {**payload, **found}, decisions.episode(row, half))
            self._did[f"answered: {need['kind']}, {'happened' if found['happened'] else 'did not'}"] += 1
            return
        if need["kind"] != "foreign_execution" and not self._plan.waives and self._asked[place] < TRIES:
            self._asked[place] += 1
            await self._update(handle, "retry_step", payload, f"{self._asked[place]}")
            self._did[f"answered: {need['kind']}, try again"] += 1
            return
        self.waived.add((row.tool, half))
        await self._update(handle, "waive_step", payload, decisions.episode(row, half))
        self._did[f"answered: {need['kind']}, waived"] += 1

    async def _look(self, row: Row, half: str) -> dict[str, Any]:
        """What the world shows, as a person would say it: that something happened, even where it was undone since."""
        effects = [each for each in await self._outside.effects(row.run_id) if each.key == row.idempotency_key]
        if half == "call":
            return {"happened": bool(effects), "external_ref": _ref(effects[0]) if effects else None}
        return {"happened": not any(each.state in LIVE for each in effects)}

    async def _update(self, handle: Handle, name: str, payload: dict[str, Any], *about: str) -> None:
        """What is refused came too late, or twice; what was not heard is sent again when the run next asks."""
        key = decisions.update_id(handle.id, name, *about, payload.get("decision"), payload["by"], payload.get("half"))
        try:
            await decisions.send(handle, name, payload, key=f"{key}-{payload.get('step_idx', '')}")
        except AnswerIsNo:
            self._did["said too late, or twice"] += 1
        except CannotTell:
            self._did["said to a run that did not answer"] += 1
            raise
        except RPCError:
            self._did["said to a run that did not answer"] += 1
            raise


def _ref(effect: Effect) -> str:
    """How a person would name it: a ticket by its key."""
    return str(effect.about.get("issue") or effect.ref)
