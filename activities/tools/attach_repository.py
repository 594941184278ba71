"""The tool `attach_repository`: a repository joined to a project; detached when the run is undone."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from activities.creation import Creation
from activities.providers.workspaces import INDEX_LAG_S, PACE
from activities.reference import Reference
from saga.draft import CounterCall
from saga.record import Typed
from saga.tool import Answers, Tool


def _bare(typed: Any) -> Any:
    # The well-known hosts take capital and small letters for one.
    return typed.strip().lower() if isinstance(typed, str) else typed


Repository = Annotated[
    str,
    BeforeValidator(_bare),
    # GitHub's limits are 39 and 100 characters, GitLab's 255 in all.
    Field(
        pattern=r"^[a-z0-9][a-z0-9._-]{0,99}/[a-z0-9._-]{1,100}$",
        description='owner and name, such as "acme/rollout"',
    ),
]


class RepositoryArgs(Typed):
    """What is joined to what."""

    project_id: Annotated[Reference, Field(description="the project that create_project made")]
    repository: Repository


_REPOSITORY = Creation(kind="repositories", told=("repository",))

ATTACH_REPOSITORY = Tool(
    name="attach_repository",
    about="Attach a repository to a project that you created. It stays where it is and is not changed.",
    system="workspaces",
    args=RepositoryArgs,
    example={"project_id": "prj_1", "repository": "acme/rollout"},
    tool_class="reversible",
    perform=_REPOSITORY.perform,
    find=_REPOSITORY.find,
    grade="key_and_lookup",
    pace=PACE,
    index_lag_s=INDEX_LAG_S,
    audience=lambda _: ("agent",),
    target=lambda args: f"the repository {args.repository} in project {args.project_id}",
    identity=("project_id", "repository"),
    references={"project_id": "create_project"},
    owned=("project_id",),
    compensate=lambda _, key: CounterCall(tool="detach_repository", args={"made_key": key}),
    answers=Answers(
        pivot="It runs before the pivot; it shows once the workspace does.",
        undo="detach_repository, before the project itself is deleted.",
        idempotent="One that is detached already, or gone with its project, is detached; again changes nothing.",
        unknown="By saga_key: the service lists the one attachment that has it.",
        paged="The workspace team's lead, who can detach it by hand.",
    ),
)
