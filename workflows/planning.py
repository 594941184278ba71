"""Planning: the turns of the model, each call of them dispatched and answered, until it has no more calls.

The transcript stands here for the model to read, and for nothing else.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

from temporalio import workflow
from temporalio.exceptions import ActivityError

with workflow.unsafe.imports_passed_through():
    from activities.propose import Propose
    from saga.doors import ProposeOrder
    from saga.draft import Draft, reach
    from saga.limits import over_limit
    from saga.outcome import Problem
    from saga.references import unfit
    from saga.request import Admitted
    from saga.row import Repeat, Row
    from saga.turn import (
        DraftItem,
        Item,
        NoItem,
        Proposed,
        ReadItem,
        ReviewItem,
        Told,
        Turn,
        shortened,
        told_of,
    )
    from workflows.checking import check
    from workflows.ending import CANCELLED, Ending
    from workflows.options import HEARTBEAT, MODEL_ATTEMPT, MODEL_LIMIT, MODEL_RETRY, RUNS
    from workflows.people import problem_text
    from workflows.reading import read
    from workflows.saga import Saga

_T = TypeVar("_T")

INVALID_IN_A_ROW = 4
"""The fourth call in a row whose arguments do not fit is a policy failure: a model that cannot be told."""


_Begun = Row | tuple[Told, Ending | None] | None
"""A call begun: a row to carry, an answer already there, or a read still to be made."""


class Planning:
    """The conversation of one run."""

    def __init__(self, saga: Saga, admitted: Admitted) -> None:
        """Nothing has been said yet."""
        self._saga, self._admitted = saga, admitted
        self.turns: list[Turn] = []
        self.reordered = 0
        self._early = 0
        self._invalid = 0
        self._answered_upto = 0

    async def plan(self) -> Ending:
        """Turn after turn, until an answer without calls, a call for a person, or trouble."""
        while True:
            if not self._saga.forward:
                return CANCELLED
            if len(self.turns) >= self._admitted.limits.max_model_calls:
                return Ending(kind="policy", why=f"{len(self.turns)} model calls, the limit")
            try:
                proposed = await self._unless_turned(self._propose())
            except ActivityError as error:
                return Ending(kind="permanent", why=f"the model gave no answer: {error.cause}"[:300])
            if proposed is None or not self._saga.forward:
                return CANCELLED
            told, ending = await self._dispatch(proposed.items)
            turn = Turn(turn=len(self.turns), text=proposed.text, calls=proposed.calls, told=tuple(told))
            self.turns.append(turn)
            self._answered_upto = len(self._saga.log)
            if ending is not None:
                return ending
            if not proposed.calls:
                return Ending(why=proposed.text)

    def send_back(self, note: str) -> None:
        """What a reviewer says to the model, as a turn of its own."""
        self.turns.append(Turn(turn=len(self.turns), text="", note=note or "sent back"))

    def transcript(self, upto: int | None = None) -> tuple[Turn, ...]:
        """The turns below `upto` as the model is given them."""
        return shortened(self.turns[:upto])

    async def _unless_turned(self, asking: Coroutine[Any, Any, _T]) -> _T | None:
        """What `asking` comes to; None where the run turns round first. Asking has no effect, so it may be dropped."""
        task = asyncio.create_task(asking)
        await workflow.wait_condition(lambda: task.done() or not self._saga.forward)
        if task.done():
            return task.result()
        # Dropped, but heard: a failure that nobody asks for is logged as an error at every replay.
        task.add_done_callback(lambda dropped: dropped.cancelled() or dropped.exception())
        task.cancel()
        return None

    async def _propose(self) -> Proposed:
        admitted = self._admitted
        return await workflow.execute_activity_method(
            Propose.propose,
            ProposeOrder(agent=admitted.agent, model=admitted.model, request=admitted.request, turn=len(self.turns)),
            task_queue=RUNS,
            start_to_close_timeout=MODEL_ATTEMPT,
            heartbeat_timeout=HEARTBEAT,
            schedule_to_close_timeout=MODEL_LIMIT,
            retry_policy=MODEL_RETRY,
            summary=f"turn {len(self.turns)}: ask {admitted.model}",
        )

    async def _dispatch(self, items: Sequence[Item]) -> tuple[list[Told], Ending | None]:
        drafts = [item.draft for item in items if isinstance(item, DraftItem)]
        if len(drafts) > 1 and self._side_by_side(drafts):
            return await self._all_at_once(items)
        told: list[Told] = []
        for proposed in items:
            item = await self._fitting(proposed)
            if not self._saga.forward:
                return told, CANCELLED
            answer, ending = await self._go(item, self._begin(item))
            told.append(answer)
            if ending is not None:
                return told, ending
            if not self._saga.forward:
                return told, CANCELLED
        return told, None

    @staticmethod
    def _side_by_side(drafts: Sequence[Draft]) -> bool:
        """All say they are independent, all are of different tools; none can name a result it has not seen.

        What a person must decide on by itself never runs beside others: at that moment nothing is open.
        """
        tools = {draft.tool for draft in drafts}
        return all(draft.facts.independent and not draft.gated for draft in drafts) and len(tools) == len(drafts)

    async def _all_at_once(self, items: Sequence[Item]) -> tuple[list[Told], Ending | None]:
        """Rows in the order given before the first is sent; then all, and all are heard before anything is decided."""
        items = await asyncio.gather(*(self._fitting(item) for item in items))
        if not self._saga.forward:
            return [], CANCELLED
        begun = [self._begin(item) for item in items]
        pairs = await asyncio.gather(*(self._go(item, done) for item, done in zip(items, begun, strict=True)))
        endings = [ending for _, ending in pairs if ending is not None]
        endings.sort(key=lambda ending: ending.kind is None)  # trouble before a call for a person
        return [told for told, _ in pairs], endings[0] if endings else None

    async def _fitting(self, item: Item) -> Item:
        """The call; a no in its place where it is a new step whose arguments do not fit this run, or the world."""
        if not isinstance(item, DraftItem) or self._old(item.draft):
            return item
        given = {told.step_idx for turn in self.turns for told in turn.told if told.step_idx is not None}
        problem = unfit(self._saga.log, item.draft, given)
        if problem is None and item.draft.facts.checked:
            problem = await self._unless_turned(check(item.draft))
        return NoItem(call_id=item.call_id, outcome="invalid", error=problem) if problem else item

    def _old(self, draft: Draft) -> Row | None:
        """The step that it is again; None where it is a new one."""
        old = self._saga.log.old_step(draft, answered_upto=self._answered_upto)
        return None if draft.another else old

    async def _go(self, item: Item, begun: _Begun) -> tuple[Told, Ending | None]:
        if isinstance(begun, Row):
            return await self._carry(item.call_id, begun)
        if begun is not None:
            return begun
        assert isinstance(item, ReadItem)  # noqa: S101 - _begin leaves only reads open
        told = await self._unless_turned(read(item))
        if told is None:
            problem = Problem(code="cancelled", message="the run turned round")
            told = Told(call_id=item.call_id, outcome="refused", error=problem)
        return told, None

    def _begin(self, item: Item) -> _Begun:
        """What can be said of a call without sending anything; a Row that must now be carried; None for a read."""
        self._invalid = self._invalid + 1 if isinstance(item, NoItem) and item.outcome == "invalid" else 0
        if isinstance(item, ReadItem):
            return None
        if isinstance(item, ReviewItem):
            told = Told(call_id=item.call_id, outcome="queued", result={"waits_for": "a person"})
            return told, Ending(review=True, why=item.reason)
        if isinstance(item, NoItem):
            self._early += item.error.code == "commit_half"
            told = Told(call_id=item.call_id, outcome=item.outcome, error=item.error)
            if self._invalid >= INVALID_IN_A_ROW:
                why = f"{self._invalid} calls in a row whose arguments do not fit"
                return told, Ending(kind="policy", why=why)
            return told, None
        return self._begin_draft(item)

    def _begin_draft(self, item: DraftItem) -> Row | tuple[Told, Ending | None]:
        log, draft = self._saga.log, item.draft
        old = self._old(draft)
        if old is not None:
            return self._repeat(item, old), None
        stands = log.old_step(draft, answered_upto=self._answered_upto) is not None  # and another one is asked for
        if stands and draft.facts.rules < 1 and draft.facts.commits is not None and reach(draft.audience) > 1:
            return self._deny(item, "another", "a second one of this needs a run of its own"), None
        limit = over_limit(self._admitted.limits, log, draft)
        if limit:
            return self._deny(item, "limit", limit), Ending(kind="policy", why=limit)
        draft = draft.model_copy(update={"another": stands and reach(draft.audience) > 1})
        row = self._saga.write(draft)
        if row.status == "QUEUED" and not draft.gated:
            self._early += 1
            return Told(call_id=item.call_id, outcome="queued", step_idx=row.step_idx), None
        self.reordered, self._early = self.reordered + self._early, 0
        return row

    async def _carry(self, call_id: str, row: Row) -> tuple[Told, Ending | None]:
        if row.status == "QUEUED":
            ending, row = await self._saga.gate(row.step_idx), self._saga.log[row.step_idx]
            if ending is not None:
                return told_of(call_id, row), ending
            if row.status == "CANCELLED":
                problem = Problem(code="gate_rejected", message=row.how)
                return told_of(call_id, row).model_copy(update={"outcome": "denied", "error": problem}), None
        row = await self._saga.call(row.step_idx)
        told = told_of(call_id, row)
        if row.waived or row.status == "CONFIRMED":
            return told, None
        correctable = row.status == "FAILED" and row.error and row.error.code in row.facts.correctable
        if correctable:
            return told, None
        why = f"step {row.step_idx} {row.tool} did not happen: {problem_text(row.error) or 'not there'}"
        return told, Ending(kind="permanent" if self._saga.forward else "cancelled", why=why)

    def _repeat(self, item: DraftItem, old: Row) -> Told:
        note = Repeat(turn=len(self.turns), args=item.draft.args)
        row = self._saga.log.put(old.repeat(note, workflow.now()))
        return told_of(item.call_id, row).model_copy(update={"outcome": "repeated"})

    def _deny(self, item: DraftItem, code: str, message: str) -> Told:
        return Told(call_id=item.call_id, outcome="denied", error=Problem(code=code, message=message))
