"""The door `find`: asks the real system, by key, with a credential that cannot write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from temporalio import activity
from temporalio.exceptions import ApplicationError, ApplicationErrorCategory

from activities import injection
from activities.pulse import pulse
from activities.sending import build_call
from saga.doors import FindOrder
from saga.errors import BadInput, ProviderError, Unanswered
from saga.outcome import Finding, Sighting
from saga.registry import Registry
from saga.tool import CounterTool, Tool
from saga.tool import Find as Look

LOOKUP_FAILED = "LookupFailed"
"""Failure type: the look could not be made. Never an absence."""


class Find:
    """Holds credentials that can only read."""

    def __init__(self, registry: Registry, readers: Mapping[str, Any], *, inject: bool = False) -> None:
        """`readers`: provider by system name. `inject`: fail where a run asked for it."""
        self._registry, self._readers, self._inject = registry, readers, inject

    @activity.defn(name="find")
    async def find(self, order: FindOrder) -> Finding:
        """What this one look saw. Raises ApplicationError LOOKUP_FAILED, which Temporal retries."""
        row = order.row
        counter = row.compensation.tool if row.compensation else ""
        try:
            half = self._registry.half(row.tool, order.half, counter)
            if half.find is None:
                return Finding(kind="undecided", note="nothing can be looked up here; a person must say")
            async with pulse():
                sightings = await self._look(half, half.find, order)
        except BadInput as problem:
            return Finding(kind="undecided", note=str(problem))
        except ProviderError as error:
            raise _failure(error.message, error.code) from None
        except Exception as error:  # noqa: BLE001 - its words may hold anything, and go into history
            activity.logger.exception("unrecognised error in a lookup of %s", row.tool)
            raise _failure(f"unrecognised {type(error).__name__}", "unrecognised") from None
        return judge(sightings, row.execution)

    async def _look(self, half: Tool[Any] | CounterTool[Any], look: Look, order: FindOrder) -> Sequence[Sighting]:
        info, call = activity.info(), build_call(half, order, order.half)
        fault = injection.struck(order.faults if self._inject else (), info.attempt)
        if fault == "down":
            raise Unanswered("the look failed on purpose", code=injection.INJECTED)
        if fault == "lag" and info.started_time < order.row.updated_at + timedelta(seconds=half.index_lag_s or 0):
            return ()
        return await look(self._readers[half.system], call)


def _failure(message: str, code: str) -> ApplicationError:
    return ApplicationError(message, code, type=LOOKUP_FAILED, category=ApplicationErrorCategory.BENIGN)


def judge(sightings: Sequence[Sighting], execution: str) -> Finding:
    """What the sightings of one key amount to."""
    refs = tuple(each.external_ref for each in sightings)
    foreign = next((each for each in sightings if each.execution not in (None, execution)), None)
    if foreign is not None:
        return Finding(
            kind="foreign", refs=refs, note=f"{foreign.external_ref} belongs to another execution of this id"
        )
    if not sightings:
        return Finding(kind="absent")
    left = [each for each in sightings if each.state != "undone"] or sightings[:1]  # a healed duplicate is none
    if len(left) > 1:
        refs = tuple(each.external_ref for each in left)
        return Finding(kind="two", refs=refs, note=f"{len(left)} effects carry one key: {', '.join(refs)}")
    only = left[0]
    kind = {"pending": "pending", "failed": "failed"}.get(only.state, "found")
    return Finding.model_validate(
        {"kind": kind, "receipt": only.receipt(), "standing": only.state == "standing", "refs": refs}
    )
