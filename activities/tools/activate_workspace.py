"""The tool `activate_workspace`: the commit half of `create_workspace`. From now on members can sign in."""

from __future__ import annotations

from activities.client import Client
from activities.completion import Completion
from activities.providers.workspaces import INDEX_LAG_S, PACE
from activities.reference import StepKey
from saga.draft import CounterCall
from saga.record import Typed
from saga.tool import Answers, Tool


class ActivateArgs(Typed):
    """Which workspace, by the key of the step that created it, and whose it is."""

    workspace_key: StepKey
    client: Client


_ACTIVATION = Completion(
    kind="workspaces",
    action="activate",
    done="active",
    over=("workspace_abandoned",),
    staged=lambda args: args.workspace_key,
    told=("client",),
)

ACTIVATE_WORKSPACE = Tool(
    name="activate_workspace",
    about="Open the workspace to its members.",
    system="workspaces",
    args=ActivateArgs,
    example={"workspace_key": "0" * 32, "client": "acme"},
    tool_class="compensatable",
    perform=_ACTIVATION.perform,
    find=_ACTIVATION.find,
    grade="key_and_lookup",
    pace=PACE,
    index_lag_s=INDEX_LAG_S,
    # Sales counts it as provisioned, and its admin can sign in.
    audience=lambda _: ("support_team", "customer"),
    target=lambda args: f"the workspace of {args.client}, opened to its members",
    identity=("workspace_key",),
    compensate=lambda _, key: CounterCall(tool="abandon_workspace", args={"made_key": key}),
    answers=Answers(
        pivot="It is the pivot's own: it runs only after a person has approved.",
        undo="abandon_workspace: it is put out of reach, unless somebody has begun to use it.",
        idempotent="A workspace that is abandoned or deleted already is undone; abandoning it again changes nothing.",
        unknown="By reading the workspace: it is active or it is not, and reading by id has no lag.",
        paged="The workspace team's lead; one that somebody has begun to use is theirs to decide on.",
    ),
)
