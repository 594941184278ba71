"""The kinds of thing that the workspace service has, and what can be done to each."""

from typing import Any

from sqlalchemy import ColumnElement, Connection, RowMapping, Table, exists, insert, or_, select

from workers.sandbox import workspaces_input as wishes
from workers.sandbox.database import insert_once
from workers.sandbox.workspaces_account import account, open_pool
from workers.sandbox.workspaces_effects import Signed
from workers.sandbox.workspaces_error import Refusal, invalid
from workers.sandbox.workspaces_schema import (
    admins,
    documents,
    files,
    invitations,
    invoice_lines,
    invoices,
    members,
    products,
    projects,
    records,
    repositories,
    teams,
    workspaces,
)
from workers.sandbox.workspaces_thing import Action, Kind
from workers.sandbox.world import Doc

OPEN = ("provisioning", "active")
"""The states of a workspace in which something can be put into it."""


def workspace_of(connection: Connection, ref: str) -> RowMapping:
    """The workspace that something is to be put into. Refusal where there is none, or none any more."""
    row = connection.execute(select(workspaces).where(workspaces.c.id == ref)).mappings().first()
    if row is None:
        raise invalid("workspace_id", f"there is no workspace {ref!r}.")
    if row["state"] not in OPEN:
        raise Refusal(409, "workspace_abandoned", f"The workspace {ref} is {row['state']}.")
    return row


def _in_workspace(connection: Connection, wish: wishes.OfWorkspace, _signed: Signed) -> Doc:
    workspace_of(connection, wish.workspace_id)
    return wish.model_dump()


def _on_project(connection: Connection, wish: wishes.OfProject, _signed: Signed) -> Doc:
    state = connection.scalar(select(projects.c.state).where(projects.c.id == wish.project_id))
    if state is None:
        raise invalid("project_id", f"there is no project {wish.project_id!r}.")
    if state != "live":
        raise Refusal(409, "project_removed", f"The project {wish.project_id} is {state}.")
    return wish.model_dump()


def _file(connection: Connection, wish: wishes.NewFile, signed: Signed) -> Doc:
    return {**_in_workspace(connection, wish, signed), "size": len(wish.text.encode())}


def _invoice(connection: Connection, wish: wishes.NewInvoice, _signed: Signed) -> Doc:
    own = account(connection, workspace_of(connection, wish.workspace_id)["client"])
    if wish.currency != own["currency"]:
        message = f"currency: {own['client']} is billed in {own['currency']}."
        raise Refusal(422, "another_currency", message)
    total = sum(line.quantity * line.unit_minor for line in wish.lines)
    return {"workspace_id": wish.workspace_id, "currency": wish.currency, "total_minor": total}


def _write_lines(connection: Connection, row: RowMapping, wish: wishes.NewInvoice) -> None:
    """In the transaction of the invoice: a line that cannot be written lets none be."""
    for number, line in enumerate(wish.lines):
        if connection.scalar(select(products.c.id).where(products.c.id == line.product_id)) is None:
            message = f"lines.{number}.product_id: there is no product {line.product_id!r}."
            raise Refusal(422, "unknown_product", message)
        connection.execute(insert(invoice_lines).values(invoice_id=row["id"], line=number, **line.model_dump()))


def _lines(connection: Connection, row: RowMapping) -> Doc:
    lines = select(invoice_lines).where(invoice_lines.c.invoice_id == row["id"]).order_by(invoice_lines.c.line)
    shown = ("product_id", "quantity", "unit_minor")
    return {"lines": [{name: line[name] for name in shown} for line in connection.execute(lines).mappings()]}


def deliver(wish: wishes.NewInvitation, partial: int) -> Doc:
    """Whom a mail reaches; the last `partial` of them it does not."""
    reached = max(len(wish.emails) - partial, 0)
    failed = [{"email": email, "code": "mailbox_unavailable"} for email in wish.emails[reached:]]
    return {"invited": wish.emails[:reached], "failed": failed}


def _members(connection: Connection, row: RowMapping, _wish: wishes.NewInvitation) -> None:
    for email in row["invited"]:
        own = {"invitation_id": row["id"], "email": email, "workspace_id": row["workspace_id"]}
        insert_once(connection, members, own)


def _pool(connection: Connection, row: RowMapping, _wish: wishes.NewWorkspace) -> None:
    open_pool(connection, row["client"])


def _is_used(table: Table) -> ColumnElement[bool]:
    return table.c.in_use


def _has_dependents(table: Table) -> ColumnElement[bool]:
    hangs = (exists().where(each.c.project_id == table.c.id, each.c.state == "live") for each in (repositories, teams))
    return or_(table.c.in_use, *hangs)


def _dangling(connection: Connection, row: RowMapping) -> Doc:
    points = exists().where(
        records.c.workspace_id == row["workspace_id"], records.c.path == row["path"], records.c.state == "live"
    )
    return {"dangling": bool(connection.scalar(select(points)))}


def _removal(made: str, effect: str, *audience: str, **more: Any) -> Action:
    return Action(
        operations=("delete",), takes=("live",), leaves="removed", effect=effect, audience=audience,
        undoes=(made,), **more,
    )  # fmt: skip


_GONE = {"abandoned": "workspace_abandoned", "deleted": "workspace_abandoned"}
WORKSPACES = Kind(
    name="workspaces", table=workspaces, prefix="ws", wish=wishes.NewWorkspace, born="provisioning",
    effect="workspace.create", audience=("agent",), inside=_pool,
    actions={
        "activate": Action(
            operations=("confirm",), takes=("provisioning",), leaves="active", effect="workspace.activate",
            audience=("customer",), refusals=_GONE,
        ),
        "abandon": Action(
            operations=("cancel",), takes=OPEN, leaves="abandoned", done=("deleted",), effect="workspace.abandon",
            audience=("agent",), undoes=("workspace.create", "workspace.activate"), unless=_is_used,
            refusals={"": "workspace_in_use"}, changes={"abandoned_at": lambda signed: signed.now},
        ),
    },
)  # fmt: skip
ADMINS = Kind(
    name="admins", table=admins, prefix="adm", wish=wishes.NewAdmin, values=_in_workspace, effect="admin.assign",
    audience=("agent",), actions={"revoke": _removal("admin.assign", "admin.revoke", "agent")},
)  # fmt: skip
INVITATIONS = Kind(
    name="invitations", table=invitations, prefix="inv", wish=wishes.NewInvitation, values=_in_workspace, born="sent",
    operations=("send", "create"), effect="invitation.send", audience=("customer",), inside=_members,
    is_seen=lambda row: bool(row["invited"]),
)  # fmt: skip
PROJECTS = Kind(
    name="projects", table=projects, prefix="prj", wish=wishes.NewProject, values=_in_workspace,
    effect="project.create", audience=("agent",),
    actions={
        "delete": _removal(
            "project.create", "project.delete", "agent", unless=_has_dependents, refusals={"": "has_dependents"}
        )
    },
)  # fmt: skip
REPOSITORIES = Kind(
    name="repositories", table=repositories, prefix="rep", wish=wishes.NewRepository, values=_on_project,
    effect="repository.attach", audience=("agent",),
    actions={"detach": _removal("repository.attach", "repository.detach", "agent")},
)  # fmt: skip
TEAMS = Kind(
    name="teams", table=teams, prefix="tea", wish=wishes.NewTeam, values=_on_project, effect="team.invite",
    audience=("support_team",), actions={"remove": _removal("team.invite", "team.remove", "support_team")},
)  # fmt: skip
FILES = Kind(
    name="files", table=files, prefix="fil", wish=wishes.NewFile, values=_file, effect="file.upload",
    audience=("agent",), actions={"delete": _removal("file.upload", "file.delete", "agent", about=_dangling)},
)  # fmt: skip
RECORDS = Kind(
    name="records", table=records, prefix="rec", wish=wishes.NewRecord, values=_in_workspace, effect="record.create",
    audience=("agent",), actions={"delete": _removal("record.create", "record.delete", "agent")},
)  # fmt: skip
_REMOVED = {"removed": "document_removed"}
DOCUMENTS = Kind(
    name="documents", table=documents, prefix="doc", wish=wishes.Wish, effect="", audience=(),
    actions={
        "archive": Action(
            operations=("update",), takes=("live",), leaves="archived", effect="document.archive",
            audience=("support_team",), refusals=_REMOVED,
        ),
        "restore": Action(
            operations=("update",), takes=("archived",), leaves="live", effect="document.restore",
            audience=("support_team",), undoes=("document.archive",), refusals=_REMOVED,
        ),
        "delete": Action(
            operations=("delete",), takes=("archived",), leaves="removed", effect="document.delete",
            audience=("support_team",), refusals={"live": "not_archived"},
        ),
    },
)  # fmt: skip
INVOICES = Kind(
    name="invoices", table=invoices, prefix="ivc", wish=wishes.NewInvoice, values=_invoice, born="draft",
    effect="invoice.create", audience=("finance",), inside=_write_lines, shows=_lines,
    actions={
        "void": Action(
            operations=("cancel",), takes=("draft",), leaves="void", effect="invoice.void", audience=("finance",),
            undoes=("invoice.create",),
        )
    },
)  # fmt: skip
