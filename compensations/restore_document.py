"""The counter-action `restore_document`: what the step archived is where it was.

One that is back already is brought back, whoever did it; one that somebody has deleted for good is a person's matter.
"""

from __future__ import annotations

from collections.abc import Sequence

from activities.document import DocumentId, archived_by, document
from activities.providers.thing import Thing
from activities.providers.workspaces import INDEX_LAG_S, PACE, Workspaces
from activities.reference import StepKey
from saga.errors import Refused, Unanswered
from saga.outcome import Receipt, Sighting
from saga.record import Typed
from saga.tool import Call, CounterTool


class RestoreArgs(Typed):
    """Which document, and the key of the step that archived it."""

    archive_key: StepKey
    document_id: DocumentId


async def _perform(workspaces: Workspaces, call: Call[RestoreArgs]) -> Receipt:
    """Read it, and bring it back only if this run's archiving is what hides it."""
    found = await document(workspaces, call.args.document_id)
    if found is None or found.state == "removed":
        raise Refused("somebody has deleted the document for good", code="document_removed")
    if _is_back(found, call):
        return _restored(found, call).receipt().model_copy(update={"found": True})
    back = await workspaces.act("documents", found.id, "restore", call.tags)
    if back.state != "live":
        raise Unanswered(f"the document is {back.state} still", code="not_restored")
    return _restored(back, call).receipt()


async def _find(workspaces: Workspaces, call: Call[RestoreArgs]) -> Sequence[Sighting]:
    """Told by the document's state, whoever changed it."""
    found = await document(workspaces, call.args.document_id)
    if found is None or found.state == "removed" or not _is_back(found, call):
        return []
    return [_restored(found, call)]


def _is_back(found: Thing, call: Call[RestoreArgs]) -> bool:
    """Live; or archived anew by somebody else, which is theirs to keep."""
    return found.state == "live" or not archived_by(found, call.args.archive_key)


def _restored(found: Thing, call: Call[RestoreArgs]) -> Sighting:
    ours = found.marks.get("restore") == call.key
    return found.sighting("standing", **({} if ours else {"already": True}))


RESTORE_DOCUMENT = CounterTool(
    name="restore_document",
    system="workspaces",
    args=RestoreArgs,
    perform=_perform,
    find=_find,
    grade="key_and_lookup",
    index_lag_s=INDEX_LAG_S,
    pace=PACE,
)
