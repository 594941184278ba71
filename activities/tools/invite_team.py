"""The tool `invite_team`: a team of our own people put on a project; removed when the run is undone."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from activities.creation import Creation
from activities.providers.workspaces import INDEX_LAG_S, PACE
from activities.reference import Reference
from saga.draft import CounterCall
from saga.record import Typed
from saga.tool import Answers, Tool

Team = Annotated[
    str,
    # As a client's short name: it is another one of the house's slugs.
    Field(pattern=r"^[a-z][a-z0-9-]{1,40}$", description='the team\'s short name, such as "field-support"'),
]


class TeamArgs(Typed):
    """Who is put on what."""

    project_id: Annotated[Reference, Field(description="the project that create_project made")]
    team: Team


_TEAM = Creation(kind="teams", told=("team",))

INVITE_TEAM = Tool(
    name="invite_team",
    about="Put a team on a project that you created. Its people see the project in their list at once.",
    system="workspaces",
    args=TeamArgs,
    example={"project_id": "prj_1", "team": "field-support"},
    # Removed, it is gone from their list; that it was there they may have seen.
    tool_class="compensatable",
    perform=_TEAM.perform,
    find=_TEAM.find,
    grade="key_and_lookup",
    pace=PACE,
    index_lag_s=INDEX_LAG_S,
    audience=lambda _: ("support_team",),
    target=lambda args: f"the team {args.team} on project {args.project_id}",
    identity=("project_id", "team"),
    references={"project_id": "create_project"},
    owned=("project_id",),
    compensate=lambda _, key: CounterCall(tool="remove_team", args={"made_key": key}),
    answers=Answers(
        pivot="It may run before the pivot, since it can be taken back; the team has seen it then.",
        undo="remove_team, before the project itself is deleted.",
        idempotent="A team that is off the project already is removed; removing it again changes nothing.",
        unknown="By saga_key: the service lists the one invitation of a team that has it.",
        paged="The team's lead, who can leave the project by hand.",
    ),
)
