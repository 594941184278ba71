"""The tool `archive_document`: a document taken out of sight; deleted for good after the pivot, else brought back."""

from __future__ import annotations

from collections.abc import Sequence

from activities.document import DocumentId, archived_by, document
from activities.providers.thing import Thing
from activities.providers.workspaces import INDEX_LAG_S, PACE, Workspaces
from saga.draft import CounterCall
from saga.errors import BadInput, Refused
from saga.outcome import Receipt, Sighting
from saga.record import Typed
from saga.tool import Answers, Call, Tool


class ArchiveArgs(Typed):
    """Which document."""

    document_id: DocumentId


async def _check(workspaces: Workspaces, args: ArchiveArgs) -> None:
    """Not whether it is archived: a model that asks twice is to hear of the first time, not that it typed badly."""
    found = await document(workspaces, args.document_id)
    if found is None or found.state == "removed":
        raise BadInput("document_id", "the id of a document that is there")


async def _perform(workspaces: Workspaces, call: Call[ArchiveArgs]) -> Receipt:
    """Read it, and archive it only if it is live: what somebody else archived is not ours to bring back later."""
    found = await document(workspaces, call.args.document_id)
    if found is None:
        raise Refused("there is no such document", code="unknown_document")
    if found.state == "live" and not archived_by(found, call.key):
        found = await workspaces.act("documents", found.id, "archive", call.tags)
    return _archived(found, call.key)


def _archived(found: Thing, key: str) -> Receipt:
    if not archived_by(found, key):
        by = "deleted" if found.state == "removed" else "archived"
        raise Refused(f"somebody else has {by} the document", code=f"{by}_elsewhere")
    if found.state == "live":
        # This key has archived it once; doing it again would be a second time.
        raise Refused("the document was brought back since", code="restored_since", remembered=True)
    return found.receipt()


async def _find(workspaces: Workspaces, call: Call[ArchiveArgs]) -> Sequence[Sighting]:
    """Told by the document's own mark, read by its id; undone once it is live again."""
    found = await document(workspaces, call.args.document_id)
    if found is None or not archived_by(found, call.key):
        return []
    return [found.sighting("undone" if found.state == "live" else "standing")]


ARCHIVE_DOCUMENT = Tool(
    name="archive_document",
    about=(
        "Take a document out of sight. After a person has approved the run it is deleted for good by itself; until "
        "then it can be brought back."
    ),
    system="workspaces",
    args=ArchiveArgs,
    example={"document_id": "doc_acme_draft"},
    tool_class="reversible",
    perform=_perform,
    find=_find,
    check=_check,
    grade="key_and_lookup",
    pace=PACE,
    index_lag_s=INDEX_LAG_S,
    # It is gone from the team's list at once.
    audience=lambda _: ("support_team",),
    target=lambda args: f"the document {args.document_id}",
    identity=("document_id",),
    compensate=lambda args, key: CounterCall(
        tool="restore_document", args={"archive_key": key, "document_id": args.document_id}
    ),
    commits="delete_document",
    commit_args=lambda args, key: {"archive_key": key, "document_id": args.document_id},
    answers=Answers(
        pivot="It runs before the pivot; delete_document, its other half, after it.",
        undo="restore_document: it is where it was, with all that was in it.",
        idempotent="restore_document reads it first, and brings back only what this step has archived.",
        unknown="By reading the document: archived with this step's key as its mark, or not.",
        paged="The support lead, who can bring a document back by hand as long as it is not deleted.",
    ),
)
