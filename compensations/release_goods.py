"""The counter-action `release_goods`: what was set aside goes back on the shelf.

A reservation that is released, expired or unknown holds nothing any more, whoever did it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from activities.providers.warehouse import INDEX_LAG_S, PACE, Warehouse
from activities.tools.reship import reserved
from saga.errors import Refused, Unanswered
from saga.outcome import Receipt, Sighting
from saga.record import Json, Typed
from saga.tool import Call, CounterTool

_GONE = ("released", "expired")


class ReleaseArgs(Typed):
    """Which reservation."""

    reservation_key: Annotated[str, Field(min_length=1, max_length=64)]
    """The key of the step that made it."""


async def _perform(warehouse: Warehouse, call: Call[ReleaseArgs]) -> Receipt:
    """One request: it changes nothing on what is released. Refused (`reservation_confirmed`): the parcel has left."""
    reference = await reserved(warehouse, call, call.args.reservation_key)
    try:
        found = await warehouse.release(reference, call.tags)
    except Refused as refused:
        if refused.status != 404:
            raise
        return Receipt(external_ref=reference, result={"gone": True, "already": True})
    if found.state not in _GONE:
        raise Unanswered(f"the reservation is {found.state} still", code="not_released")
    result: Json = {"reservation": found.id, "state": found.state}
    if found.state == "expired":
        result["already"] = True
    return Receipt(external_ref=reference, result=result, execution=found.execution)


async def _find(warehouse: Warehouse, call: Call[ReleaseArgs]) -> Sequence[Sighting]:
    """Told by the reservation's state, whoever changed it; one that is unknown by its id holds nothing."""
    reference = await reserved(warehouse, call, call.args.reservation_key)
    found = await warehouse.reservation(reference)
    if found is None:
        return [Sighting(external_ref=reference, state="standing", result={"gone": True})]
    if found.state not in _GONE:
        return []
    result: Json = {"reservation": found.id, "state": found.state}
    return [Sighting(external_ref=reference, state="standing", result=result, execution=found.execution)]


RELEASE_GOODS = CounterTool(
    name="release_goods",
    system="warehouse",
    args=ReleaseArgs,
    perform=_perform,
    find=_find,
    grade="key_and_lookup",
    index_lag_s=INDEX_LAG_S,
    pace=PACE,
)
