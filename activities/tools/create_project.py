"""The tool `create_project`: a project in a workspace; deleted when the run is undone, after what hangs on it."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from activities.creation import Creation
from activities.providers.workspaces import INDEX_LAG_S, PACE
from activities.reference import Reference
from saga.draft import CounterCall
from saga.record import Typed
from saga.tool import Answers, Tool


def _on_one_line(typed: Any) -> Any:
    return " ".join(typed.split()) if isinstance(typed, str) else typed


Title = Annotated[str, BeforeValidator(_on_one_line), Field(min_length=1, max_length=100)]
"""What something is called in a list: one line, and no longer than a list shows."""


class ProjectArgs(Typed):
    """Where, and what it is called."""

    workspace_id: Annotated[Reference, Field(description="the workspace that create_workspace made")]
    name: Title


_PROJECT = Creation(kind="projects", told=("name",))

CREATE_PROJECT = Tool(
    name="create_project",
    about=(
        "Create a project in a workspace that you created. Repositories and teams are attached to it afterwards, by "
        "its external_ref."
    ),
    system="workspaces",
    args=ProjectArgs,
    example={"workspace_id": "ws_1", "name": "Rollout"},
    tool_class="reversible",
    perform=_PROJECT.perform,
    find=_PROJECT.find,
    grade="key_and_lookup",
    pace=PACE,
    index_lag_s=INDEX_LAG_S,
    # The workspace is not in use yet; nobody is told of a project in it.
    audience=lambda _: ("agent",),
    target=lambda args: f'the project "{args.name}" in workspace {args.workspace_id}',
    # A workspace may have many projects, of one name one.
    identity=("workspace_id", "name"),
    references={"workspace_id": "create_workspace"},
    owned=("workspace_id",),
    compensate=lambda _, key: CounterCall(tool="delete_project", args={"made_key": key}),
    # The service deletes no project on which something hangs: trying before the rest is gone gets a no for sure.
    undo_waits=True,
    answers=Answers(
        pivot="It runs before the pivot; the workspace around it becomes visible after it.",
        undo="delete_project, once whatever hangs on the project is gone.",
        idempotent="A project that is gone already is deleted; deleting it again changes nothing.",
        unknown="By saga_key: the service lists the one project that has it.",
        paged="The workspace team's lead, who sees what hangs on the project and can delete both by hand.",
    ),
)
