"""The tool `create_workspace`: a workspace that nobody can sign in to yet; activated after the pivot.

Until then neither its members nor the sales view know of it.
"""

from __future__ import annotations

from activities.client import Client
from activities.creation import Creation
from activities.providers.workspaces import INDEX_LAG_S, PACE
from saga.draft import CounterCall
from saga.record import Typed
from saga.tool import Answers, Tool


class WorkspaceArgs(Typed):
    """Whose workspace."""

    client: Client


_WORKSPACE = Creation(kind="workspaces", told=("client",))

CREATE_WORKSPACE = Tool(
    name="create_workspace",
    about=(
        "Create the client's workspace, pending: nobody can sign in and sales does not see it before a person has "
        "approved the run. Its external_ref is the workspace_id that the other tools ask for."
    ),
    system="workspaces",
    args=WorkspaceArgs,
    example={"client": "acme"},
    tool_class="reversible",
    perform=_WORKSPACE.perform,
    find=_WORKSPACE.find,
    grade="key_and_lookup",
    pace=PACE,
    index_lag_s=INDEX_LAG_S,
    audience=lambda _: ("agent",),
    target=lambda args: f"the workspace of {args.client}",
    # A client is given one workspace in a run.
    identity=("client",),
    compensate=lambda _, key: CounterCall(tool="abandon_workspace", args={"made_key": key}),
    commits="activate_workspace",
    commit_args=lambda args, key: {"workspace_key": key, "client": args.client},
    # What a person still has to take out of it is in it.
    undo_waits=True,
    answers=Answers(
        pivot="It runs before the pivot; activate_workspace, its other half, after it.",
        undo="abandon_workspace: it is put out of reach, and a clean-up deletes it a month later.",
        idempotent="A workspace that is abandoned or deleted already is undone; abandoning it again changes nothing.",
        unknown="By saga_key: the service lists the one workspace that has it.",
        paged="The workspace team's lead; one that somebody has begun to use is theirs to decide on.",
    ),
)
