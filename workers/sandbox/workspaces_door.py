"""What people see of workspaces: the door, and the sales view. A pending or abandoned one is in neither."""

from sqlalchemy import Connection, exists, func, or_, select, update

from workers.sandbox.workspaces_error import Refusal
from workers.sandbox.workspaces_input import SignIn
from workers.sandbox.workspaces_schema import admins, members, reservations, workspaces
from workers.sandbox.world import Doc


def sign_in(connection: Connection, wish: SignIn) -> Doc:
    """Let somebody in: from then on the workspace is in use. Refusal 403 where it is not active, or not theirs."""
    ref, email = wish.workspace_id, wish.email
    state = connection.scalar(select(workspaces.c.state).where(workspaces.c.id == ref))
    if state != "active":
        raise Refusal(403, "not_active", f"The workspace {ref} is not active.")
    administers = exists().where(admins.c.workspace_id == ref, admins.c.email == email, admins.c.state == "live")
    belongs = exists().where(members.c.workspace_id == ref, members.c.email == email)
    if not connection.scalar(select(or_(administers, belongs))):
        raise Refusal(403, "not_a_member", f"{email} is nobody of {ref}.")
    connection.execute(update(workspaces).where(workspaces.c.id == ref).values(in_use=True))
    return {"workspace_id": ref, "email": email, "signed_in": True}


def sales(connection: Connection) -> list[Doc]:
    """The deals that are provisioned: {client, workspace_id, seats}, oldest first; confirmed seats only."""
    seats = select(func.coalesce(func.sum(reservations.c.quantity), 0)).where(
        reservations.c.workspace_id == workspaces.c.id, reservations.c.state == "confirmed"
    )
    deals = (
        select(workspaces.c.client, workspaces.c.id, seats.scalar_subquery())
        .where(workspaces.c.state == "active")
        .order_by(workspaces.c.seq)
    )
    return [
        {"client": client, "workspace_id": ref, "seats": int(count)} for client, ref, count in connection.execute(deals)
    ]
