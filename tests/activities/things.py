"""The tools that put something into a workspace, each with what must be there first and what it leaves behind."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from activities.providers.thing import Kind, Thing
from activities.tools.assign_admin import ASSIGN_ADMIN
from activities.tools.attach_repository import ATTACH_REPOSITORY
from activities.tools.create_invoice import CREATE_INVOICE
from activities.tools.create_project import CREATE_PROJECT
from activities.tools.create_record import CREATE_RECORD
from activities.tools.invite_team import INVITE_TEAM
from activities.tools.upload_file import UPLOAD_FILE
from compensations.delete_file import DELETE_FILE
from compensations.delete_project import DELETE_PROJECT
from compensations.delete_record import DELETE_RECORD
from compensations.detach_repository import DETACH_REPOSITORY
from compensations.removal import RemovalArgs
from compensations.remove_team import REMOVE_TEAM
from compensations.revoke_admin import REVOKE_ADMIN
from compensations.void_invoice import VOID_INVOICE
from saga.outcome import Receipt
from saga.tool import Call, CounterTool, Tags, Tool
from tests.activities.outside import EXECUTION, KEY, UNDO_KEY, Outside, call

STRANGER = "d" * 32
"""The key of a step of some other run."""
LOST = pytest.mark.parametrize("fault", ["after:reset", "after:504", "after:html200"])
"""One of each kind: no answer, a gateway's, and one that is none. The client's own tests have all of them."""


@dataclass(frozen=True, kw_only=True)
class Put:
    """One tool with its counter-action."""

    tool: Tool[Any]
    counter: CounterTool[Any]
    kind: Kind
    effect: str
    undoing: str
    action: str
    operation: str = "delete"
    """Of the taking away, as a fault is armed for it."""
    inside: Kind = "workspaces"
    changes: dict[str, Any] = field(default_factory=dict[str, Any])
    """Arguments that make it another thing."""

    async def asked(self, outside: Outside, key: str = KEY, *, execution: str = EXECUTION, **changes: Any) -> Call[Any]:
        """The tool's example, as a half, with what it goes into made before."""
        held = "project_id" if self.inside == "projects" else "workspace_id"
        args = {**self.tool.example, **changes, held: (await surroundings(outside, self.inside)).id}
        return call(self.tool.args.model_validate(args), key, execution=execution)

    async def put(self, outside: Outside) -> Receipt:
        """Done, under KEY."""
        return await self.tool.perform(outside.workspaces(), await self.asked(outside))

    def undo(self, made: Receipt | None, key: str = UNDO_KEY, **more: Any) -> Call[RemovalArgs]:
        """The half that takes it away; of a step without a reference where `made` is None."""
        args = RemovalArgs(made_key=KEY)
        return call(args, key, ref=made.external_ref if made else None, result=made.result if made else None, **more)

    async def taken_away(self, outside: Outside, ref: str) -> None:
        """By somebody else's step."""
        await outside.workspaces().act(self.kind, ref, self.action, tags(STRANGER))


def tags(key: str) -> Tags:
    """Of a step of another run."""
    return Tags(key=key, run_id="another-run", step_idx=0, execution="another-execution")


async def surroundings(outside: Outside, kind: Kind) -> Thing:
    """A workspace, or a project in it; the same one each time."""
    workspaces = outside.workspaces()
    made = await workspaces.make("workspaces", tags("e" * 32), client="acme")
    if kind == "projects":
        return await workspaces.make("projects", tags("f" * 32), workspace_id=made.id, name="Around it")
    return made


PUTS = (
    Put(
        tool=ASSIGN_ADMIN,
        counter=REVOKE_ADMIN,
        kind="admins",
        effect="admin.assign",
        undoing="admin.revoke",
        action="revoke",
        changes={"email": "ben@acme.test"},
    ),
    Put(
        tool=CREATE_PROJECT,
        counter=DELETE_PROJECT,
        kind="projects",
        effect="project.create",
        undoing="project.delete",
        action="delete",
        changes={"name": "Another"},
    ),
    Put(
        tool=ATTACH_REPOSITORY,
        counter=DETACH_REPOSITORY,
        kind="repositories",
        effect="repository.attach",
        undoing="repository.detach",
        action="detach",
        inside="projects",
        changes={"repository": "acme/another"},
    ),
    Put(
        tool=INVITE_TEAM,
        counter=REMOVE_TEAM,
        kind="teams",
        effect="team.invite",
        undoing="team.remove",
        action="remove",
        inside="projects",
        changes={"team": "another"},
    ),
    Put(
        tool=UPLOAD_FILE,
        counter=DELETE_FILE,
        kind="files",
        effect="file.upload",
        undoing="file.delete",
        action="delete",
        changes={"text": "Other terms."},
    ),
    Put(
        tool=CREATE_RECORD,
        counter=DELETE_RECORD,
        kind="records",
        effect="record.create",
        undoing="record.delete",
        action="delete",
        changes={"title": "Another"},
    ),
    Put(
        tool=CREATE_INVOICE,
        counter=VOID_INVOICE,
        kind="invoices",
        effect="invoice.create",
        undoing="invoice.void",
        action="void",
        operation="cancel",
        changes={"lines": [{"product_id": "prod_seat", "quantity": 41, "unit_minor": 1250}]},
    ),
)
PROJECT = next(each for each in PUTS if each.tool is CREATE_PROJECT)
EACH = pytest.mark.parametrize("thing", PUTS, ids=[each.tool.name for each in PUTS])
