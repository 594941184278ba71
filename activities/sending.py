"""Sending one half of a step, once per attempt, and saying what became of it.

Returns only with an answer that counts. Whatever leaves the outcome open is raised, and the row becomes UNKNOWN.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from datetime import timedelta
from typing import Any, TypeVar

from pydantic import ValidationError
from temporalio import activity
from temporalio.exceptions import ApplicationError, ApplicationErrorCategory

from activities import injection
from activities.pulse import Trail, pulse
from saga.decision import first_problem
from saga.doors import FindOrder, SendOrder
from saga.errors import BadInput, NotSent, ProviderError, Refused, Unanswered
from saga.faults import Fault
from saga.outcome import Answer, How, Problem, Receipt, Sighting
from saga.row import Half, Row
from saga.tool import Call, CounterTool, Tags, Tool

NOT_SENT = "NotSent"
"""Failure type: no attempt of this activity can have had an effect."""
UNANSWERED = "Unanswered"
"""Failure type: nobody knows. Details: [requests that may have been sent, the provider remembers an error]."""

RESULT_LIMIT = 16_000
"""Bytes of a receipt: it stays in history, and a result over 2 MB would make Temporal run the effect again."""

NO_LONGER_FIT = "arguments_no_longer_fit"
"""Problem code: the tool of today does not take the arguments that were frozen into the row."""

_T = TypeVar("_T")


def build_call(half: Tool[Any] | CounterTool[Any], order: SendOrder | FindOrder, which: Half) -> Call[Any]:
    """The half as its tool's functions see it. BadInput: the tool no longer takes these arguments."""
    row = order.row
    counter = row.compensation if which == "compensation" else None
    args, key = (counter.args, counter.idempotency_key) if counter else (row.args, row.idempotency_key)
    try:
        typed = half.args.model_validate(args)
    except ValidationError as error:
        raise BadInput(*first_problem(error)) from None
    return Call(
        args=typed,
        tags=Tags(key=key, run_id=row.run_id, step_idx=row.step_idx, execution=row.execution),
        since=order.since.timestamp(),
        external_ref=row.external_ref,
        result=row.result or {},
        upstream=order.upstream,
    )


async def send(
    half: Tool[Any] | CounterTool[Any], provider: Any, order: SendOrder, which: Half, *, inject: bool = False
) -> Answer:
    """Send that half under its key; raises ApplicationError of type NOT_SENT or UNANSWERED where there is no answer.

    `inject`: fail where the order's faults say so.
    """
    attempt = Attempt(half, provider, order, which, order.faults if inject else ())
    async with pulse(attempt.trail):
        return await undisturbed(attempt.run())


class Attempt:
    """One attempt of one half."""

    def __init__(
        self,
        half: Tool[Any] | CounterTool[Any],
        provider: Any,
        order: SendOrder,
        which: Half,
        faults: tuple[Fault, ...] = (),
    ) -> None:
        """Nothing is sent yet."""
        self._half, self._provider, self._order, self._faults = half, provider, order, faults
        self._which: Half = which
        info = activity.info()
        self._number = info.attempt
        self._clean = min(Trail.read().clean_upto, info.attempt - 1)
        # A key that may be forgotten by now protects nobody: what may have been sent under it is only looked for.
        forgotten = order.row.key_forgotten(which, info.started_time)
        self._honours_key = half.grade in ("key_and_lookup", "key") and not forgotten
        self._only_look = forgotten and (info.attempt > 1 or _tries(order.row, which) > 1)
        resent = order.scheduled_in != info.workflow_run_id  # pending at a reset, and sent again by the server itself
        # After a reset the thrown-away branch may have sent it. A later try counts: proof stands before it.
        self._reset = resent or order.after_reset
        self._unproven = resent or (order.after_reset and _tries(order.row, which) <= 1)
        self._fresh = self._clean == info.attempt - 1 and not self._unproven

    @property
    def trail(self) -> Trail:
        """What this attempt tells of itself and of those before it."""
        return Trail(attempt=self._number, clean_upto=self._clean)

    @property
    def _sent(self) -> int:
        return self._number - self._clean

    async def run(self) -> Answer:
        """Look first where something of this key may be there already, then send once."""
        try:
            call = self._call()
            seen = await self._look_first(call)
            if seen is not None:
                return seen
            async with asyncio.timeout(self._half.pace.attempt_s):  # absence is counted from here on
                receipt = await self._perform(call)
        except ProviderError as error:
            problem = error
        except Exception as error:  # noqa: BLE001 - an error that nobody recognises is unknown, never a failure
            activity.logger.exception("unrecognised error from %s", self._half.name)
            problem = Unanswered(f"unrecognised {type(error).__name__}", code="unrecognised")
        else:
            return self._answer(receipt, "answered" if self._fresh else "replayed")
        return self._outcome_of(problem)  # outside the except: nothing of a vendor's error goes into history as a cause

    async def _perform(self, call: Call[Any]) -> Receipt:
        fault = injection.struck(self._faults, _requests(self._order.row, self._which) + self._number)
        return await injection.send(fault, lambda: self._half.perform(self._provider, call))

    def _call(self) -> Call[Any]:
        try:
            return build_call(self._half, self._order, self._which)
        except BadInput as problem:
            text = str(problem)
        if self._fresh:
            raise Refused(text, code=NO_LONGER_FIT)
        raise Unanswered(text, code=NO_LONGER_FIT)  # says nothing of what was sent before

    async def _look_first(self, call: Call[Any]) -> Answer | None:
        """None: send. After a reset, or where an attempt may have landed at a provider that honours no key.

        An empty lookup proves nothing before the clock has passed, so without a key the half is left to the
        reconciler, which waits; the try that it then allows is sent.
        """
        if not self._reset and not self._only_look and (self._fresh or self._honours_key):
            return None
        if self._half.find is None and self._fresh:
            return None  # where nothing can be looked up, a try that follows another follows a person's word
        if self._half.find is None:
            raise Unanswered("an earlier attempt may have landed", code="may_have_landed")
        try:
            sightings = await self._half.find(self._provider, call)
        except ProviderError as error:
            raise Unanswered(error.message, code="lookup_failed") from None
        if not self._only_look and (self._nothing(sightings) or (self._fresh and not sightings)):
            return None
        if len(sightings) == 1 and sightings[0].state in ("standing", "pending"):
            return self._answer(sightings[0].receipt(), "looked_up")
        raise Unanswered("looked before sending: not clear", code="looked_first")

    def _nothing(self, sightings: Sequence[Sighting]) -> bool:
        """What was refused then (a declined card) is refused again: asked under its key, the provider says why."""
        refused = self._which == "call" and all(each.state == "failed" for each in sightings)
        return self._honours_key and (refused or not sightings)

    def _answer(self, receipt: Receipt, how: How) -> Answer:
        if receipt.found:
            how = "looked_up"
        if len(receipt.model_dump_json()) > RESULT_LIMIT:
            receipt = receipt.model_copy(update={"result": {"left_out": "larger than may be kept"}})
        foreign = receipt.execution is not None and receipt.execution != self._order.row.execution
        return Answer(
            kind="foreign" if foreign else "confirmed",
            attempts=self._sent - 1 if how == "looked_up" else self._sent,
            receipt=receipt,
            how=how,
            error=_foreign(self._order.row, receipt) if foreign else None,
        )

    def _outcome_of(self, error: ProviderError) -> Answer:
        """A refusal is an answer; everything else is raised.

        From the second attempt on neither a door shut in our face says anything of the first, nor a refusal that does
        not stand under our key (measured: a charge that landed and was lost, then a plain 400 to the same request).
        """
        problem = Problem(code=error.code or type(error).__name__.lower(), message=error.message)
        if isinstance(error, Refused) and (self._fresh or error.remembered):
            sent = self._sent - (error.code == NO_LONGER_FIT)
            return Answer(kind="refused", attempts=sent, error=problem, remembered=error.remembered)
        if isinstance(error, NotSent) and self._fresh:
            if error.lasting:
                return Answer(kind="refused", attempts=0, error=problem)
            Trail(attempt=self._number, clean_upto=self._number).leave()
            raise ApplicationError(
                problem.message,
                problem.code,
                type=NOT_SENT,
                next_retry_delay=timedelta(seconds=error.retry_after_s) if error.retry_after_s else None,
                category=ApplicationErrorCategory.BENIGN,
            )
        spent = self._sent >= self._half.pace.tries or not self._honours_key or error.remembered
        raise ApplicationError(
            problem.message,
            self._sent,
            "remembered" if error.remembered else problem.code,
            type=UNANSWERED,
            non_retryable=spent,
            category=ApplicationErrorCategory.BENIGN,
        )


def _tries(row: Row, which: Half) -> int:
    if which == "compensation":
        return row.compensation.tries if row.compensation else 0
    return row.tries


def _requests(row: Row, which: Half) -> int:
    """Requests of this half before this activity."""
    if which == "compensation":
        return row.compensation.attempts if row.compensation else 0
    return row.attempts


def _foreign(row: Row, receipt: Receipt) -> Problem:
    return Problem(
        code="foreign_execution",
        message=f"{receipt.external_ref} carries the key of step {row.step_idx} and another execution",
    )


async def undisturbed(work: Awaitable[_T]) -> _T:
    """Let `work` end whatever is cancelled around it: a request under way is not called back by dropping its answer."""
    task = asyncio.ensure_future(work)
    while True:
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if task.cancelled():
                raise
