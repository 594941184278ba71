"""A client's document at the workspace service: live, archived (nobody finds it), or deleted for good.

No step of ours makes one, so none is known by a key of ours: what was done to it is told by its state, and by whom by
the key that the service keeps of whoever did each thing last.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from activities.providers.thing import Thing
from activities.providers.workspaces import Workspaces

DocumentId = Annotated[str, Field(pattern=r"^doc_[A-Za-z0-9_]{1,60}$", description="the document's id")]
"""It goes into addresses; other than the ids of what a step makes, one may have a name in it."""


async def document(workspaces: Workspaces, document_id: str) -> Thing | None:
    """The document as it stands; None where the service knows none."""
    return await workspaces.one("documents", document_id)


def archived_by(thing: Thing, key: str) -> bool:
    """Whether that half was the last to archive it. Another one's mark in its place means that ours is over."""
    return thing.marks.get("archive") == key
