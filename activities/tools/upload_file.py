"""The tool `upload_file`: a file in a workspace, called by its path; deleted when the run is undone."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from activities.creation import Creation
from activities.providers.workspaces import INDEX_LAG_S, PACE
from activities.reference import Reference
from saga.draft import CounterCall
from saga.record import Typed
from saga.tool import Answers, Tool


def _from_the_top(typed: Any) -> Any:
    """A step that names a path and one that points at it must mean one file, with or without the slash in front."""
    return f"/{typed.strip().removeprefix('/')}" if isinstance(typed, str) else typed


FilePath = Annotated[
    str,
    BeforeValidator(_from_the_top),
    Field(
        # Every part begins with a letter, a digit or an underscore: no "..", nothing hidden, no empty part.
        pattern=r"^(/[A-Za-z0-9_][A-Za-z0-9_. -]*)+$",
        max_length=200,  # half a screen line more than people type; the row that keeps it stays small
        description='where in the workspace, such as "/contracts/acme.pdf"',
    ),
]


class FileArgs(Typed):
    """What is put where."""

    workspace_id: Annotated[Reference, Field(description="the workspace that create_workspace made")]
    path: FilePath
    text: Annotated[str, Field(min_length=1, max_length=4_000)]
    """The row that keeps it should stay about a kilobyte; 4,000 characters are a page."""


def file_name(workspace_id: str, path: str) -> str:
    """What other steps call that file by, before or after it is there."""
    return f"file:{workspace_id}:{path}"


_FILE = Creation(kind="files", told=("path", "size"))

UPLOAD_FILE = Tool(
    name="upload_file",
    about=("Put a file into a workspace that you created. A record may point at its path before or after it is there."),
    system="workspaces",
    args=FileArgs,
    example={"workspace_id": "ws_1", "path": "/contracts/acme.txt", "text": "Terms of the rollout."},
    tool_class="reversible",
    perform=_FILE.perform,
    find=_FILE.find,
    grade="key_and_lookup",
    pace=PACE,
    index_lag_s=INDEX_LAG_S,
    audience=lambda _: ("agent",),
    target=lambda args: f"the file {args.path} in workspace {args.workspace_id}",
    # One path is one file, whatever stands in it.
    identity=("workspace_id", "path"),
    references={"workspace_id": "create_workspace"},
    owned=("workspace_id",),
    names=lambda args: (file_name(args.workspace_id, args.path),),
    compensate=lambda _, key: CounterCall(tool="delete_file", args={"made_key": key}),
    answers=Answers(
        pivot="It runs before the pivot; it shows once the workspace does.",
        undo="delete_file, after every record that points at the file, also one that was there before it.",
        idempotent="A file that is gone already is deleted; deleting it again changes nothing.",
        unknown="By saga_key: the service lists the one file that has it.",
        paged="The workspace team's lead, who can delete the file by hand.",
    ),
)
