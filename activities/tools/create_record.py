"""The tool `create_record`: an entry that points at a file by its path, there already or still to come."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from activities.creation import Creation
from activities.providers.workspaces import INDEX_LAG_S, PACE
from activities.reference import Reference
from activities.tools.create_project import Title
from activities.tools.upload_file import FilePath, file_name
from saga.draft import CounterCall
from saga.record import Typed
from saga.tool import Answers, Tool


class RecordArgs(Typed):
    """What is entered, and which file it speaks of."""

    workspace_id: Annotated[Reference, Field(description="the workspace that create_workspace made")]
    title: Title
    path: FilePath


_RECORD = Creation(kind="records", told=("title", "path"))

CREATE_RECORD = Tool(
    name="create_record",
    about=(
        "Enter a file in the records of a workspace that you created, by the file's path. The file itself may be "
        "uploaded before or afterwards."
    ),
    system="workspaces",
    args=RecordArgs,
    example={"workspace_id": "ws_1", "title": "Terms of the rollout", "path": "/contracts/acme.txt"},
    tool_class="reversible",
    perform=_RECORD.perform,
    find=_RECORD.find,
    grade="key_and_lookup",
    pace=PACE,
    index_lag_s=INDEX_LAG_S,
    audience=lambda _: ("agent",),
    target=lambda args: f'the record "{args.title}" of {args.path} in workspace {args.workspace_id}',
    # One file is entered once, under whatever title.
    identity=("workspace_id", "path"),
    references={"workspace_id": "create_workspace"},
    owned=("workspace_id",),
    # Not an argument that carries a reference: when the record is made the file may have none yet.
    points_at=lambda args: (file_name(args.workspace_id, args.path),),
    compensate=lambda _, key: CounterCall(tool="delete_record", args={"made_key": key}),
    answers=Answers(
        pivot="It runs before the pivot; it shows once the workspace does.",
        undo="delete_record, before the file that it points at is deleted, though that came later.",
        idempotent="A record that is gone already is deleted; deleting it again changes nothing.",
        unknown="By saga_key: the service lists the one record that has it.",
        paged="The workspace team's lead, who can delete the record by hand.",
    ),
)
