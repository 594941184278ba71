"""The tool `delete_document`: the commit half of `archive_document`. The document is gone, and nobody gets it back."""

from __future__ import annotations

from collections.abc import Sequence

from activities.document import DocumentId, archived_by, document
from activities.providers.thing import Thing
from activities.providers.workspaces import INDEX_LAG_S, PACE, Workspaces
from activities.reference import StepKey
from saga.errors import Refused, Unanswered
from saga.outcome import Receipt, Sighting
from saga.record import Typed
from saga.tool import Answers, Call, Tool


class DeleteArgs(Typed):
    """Which document, and the key of the step that archived it."""

    archive_key: StepKey
    document_id: DocumentId


async def _perform(workspaces: Workspaces, call: Call[DeleteArgs]) -> Receipt:
    """Read it, and delete it only as this run has archived it: since it was approved, somebody may want it again."""
    args = call.args
    found = await document(workspaces, args.document_id)
    if found is None or found.state == "removed":
        return _deleted(found, call).receipt().model_copy(update={"found": True})
    if found.state != "archived" or not archived_by(found, args.archive_key):
        raise Refused("the document was brought back since this run archived it", code="restored_since")
    gone = await workspaces.act("documents", found.id, "delete", call.tags)
    if gone.state != "removed":
        raise Unanswered(f"the document is {gone.state} still", code="not_deleted")
    return _deleted(gone, call).receipt()


async def _find(workspaces: Workspaces, call: Call[DeleteArgs]) -> Sequence[Sighting]:
    """Told by the document's state: deleted by anyone is deleted, and so is one that nobody knows any more."""
    found = await document(workspaces, call.args.document_id)
    return [_deleted(found, call)] if found is None or found.state == "removed" else []


def _deleted(found: Thing | None, call: Call[DeleteArgs]) -> Sighting:
    """`already` where it was not this step's doing."""
    if found is None:
        return Sighting(external_ref=call.args.document_id, state="standing", result={"gone": True, "already": True})
    return found.sighting("standing", **({} if found.marks.get("delete") == call.key else {"already": True}))


DELETE_DOCUMENT = Tool(
    name="delete_document",
    about="Delete the archived document for good.",
    system="workspaces",
    args=DeleteArgs,
    example={"archive_key": "0" * 32, "document_id": "doc_acme_draft"},
    tool_class="irreversible",
    perform=_perform,
    find=_find,
    grade="key_and_lookup",
    pace=PACE,
    index_lag_s=INDEX_LAG_S,
    audience=lambda _: ("support_team",),
    target=lambda args: f"the document {args.document_id}, for good",
    identity=("document_id",),
    gate="No message brings a document back, and nobody is told by a deletion: whoever approves sees which one goes.",
    answers=Answers(
        pivot="It is the pivot's own: it runs only after a person has approved.",
        undo="Nothing; until the approval restore_document brings the document back.",
        idempotent="There is no compensation; what is deleted cannot be deleted twice.",
        unknown="By reading the document: it is deleted or it is not, and reading has no lag.",
        paged="The support lead; what a client has sent us can be asked for once more.",
    ),
)
