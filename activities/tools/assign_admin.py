"""The tool `assign_admin`: somebody who may run a workspace once it is open; revoked when the run is undone."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from activities.creation import Creation
from activities.mail_address import MailAddress
from activities.providers.workspaces import INDEX_LAG_S, PACE
from activities.reference import Reference
from saga.draft import CounterCall
from saga.record import Typed
from saga.tool import Answers, Tool


class AdminArgs(Typed):
    """Of which workspace, and who."""

    workspace_id: Annotated[Reference, Field(description="the workspace that create_workspace made")]
    email: MailAddress


_ADMIN = Creation(kind="admins", told=("workspace_id", "email"))

ASSIGN_ADMIN = Tool(
    name="assign_admin",
    about="Make somebody an admin of a workspace that you created. They are not told, and cannot sign in yet.",
    system="workspaces",
    args=AdminArgs,
    example={"workspace_id": "ws_1", "email": "ada@acme.test"},
    tool_class="reversible",
    perform=_ADMIN.perform,
    find=_ADMIN.find,
    grade="key_and_lookup",
    pace=PACE,
    index_lag_s=INDEX_LAG_S,
    # An entry in a workspace that nobody can enter; the service mails no one.
    audience=lambda _: ("agent",),
    target=lambda args: f"{args.email}, admin of workspace {args.workspace_id}",
    identity=("workspace_id", "email"),
    references={"workspace_id": "create_workspace"},
    owned=("workspace_id",),
    compensate=lambda _, key: CounterCall(tool="revoke_admin", args={"made_key": key}),
    answers=Answers(
        pivot="It runs before the pivot; it has an effect on anybody only once activate_workspace has run.",
        undo="revoke_admin: the rights go, and with the workspace closed they were never used.",
        idempotent="Rights that are revoked already are gone; revoking them again changes nothing.",
        unknown="By saga_key: the service lists the one assignment that has it.",
        paged="The workspace team's lead, who can revoke them by hand.",
    ),
)
