"""The counter-action `delete_draft`: a draft that was never sent is thrown away; one that is gone already is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from activities.providers.mail import INDEX_LAG_S, KEY_LIFE_S, PACE, Mail
from saga.errors import NotSent, Refused
from saga.outcome import Receipt, Sighting
from saga.record import Typed
from saga.tool import Call, CounterTool


class DeleteDraftArgs(Typed):
    """Which draft, by the key of the step that wrote it."""

    draft_key: Annotated[str, Field(min_length=1, max_length=64)]


async def _perform(mail: Mail, call: Call[DeleteDraftArgs]) -> Receipt:
    """One request. A draft that was sent is Refused (`draft_already_sent`): there is nothing left to delete."""
    ref = _ref(call)
    try:
        await mail.delete_draft(ref, call.tags)
    except Refused as refusal:
        if refusal.code != "not_found":
            raise
        return Receipt(external_ref=ref, result={"already": True}, execution=call.tags.execution)
    return Receipt(external_ref=ref, execution=call.tags.execution)


async def _find(mail: Mail, call: Call[DeleteDraftArgs]) -> Sequence[Sighting]:
    """Told by the draft itself, read by id; thrown away by anyone is thrown away."""
    ref = _ref(call)
    if await mail.draft(ref) is not None:
        return []
    return [Sighting(external_ref=ref, state="standing", result={"already": True})]


def _ref(call: Call[DeleteDraftArgs]) -> str:
    ref = call.external_ref or call.ref_of(call.args.draft_key)
    if ref is None:
        raise NotSent("the draft to delete is not known yet", code="no_reference", lasting=True)
    return ref


DELETE_DRAFT = CounterTool(
    name="delete_draft",
    system="mail",
    args=DeleteDraftArgs,
    perform=_perform,
    find=_find,
    grade="key_and_lookup",
    index_lag_s=INDEX_LAG_S,
    key_life_s=KEY_LIFE_S,
    pace=PACE,
)
