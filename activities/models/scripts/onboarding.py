"""The script `onboarding`: the plan as it should be. What others stand on comes first, and nobody is told early."""

from __future__ import annotations

from activities.models.model import Ask, Reply
from activities.models.newcomer import Newcomer

CONTRACT = "/contracts/2026.txt"


def play(ask: Ask) -> Reply:
    """Read; the workspace; what stands in it; what stands on that, the purchase among it; the end."""
    seen = Newcomer(ask)
    if seen.note:
        return seen.say("Understood. I leave out what you struck; the rest is ready as it stands.")
    if seen.asked("request_human_review"):
        return seen.say("I leave it to you.")
    if not seen.asked("lookup_account"):
        return seen.say("I read the account first.", ("lookup_account", {"client": seen.client}))
    if seen.account() is None:
        reason = f"the account of {seen.client} cannot be read"
        return seen.say("This is not mine to guess.", ("request_human_review", {"reason": reason}))
    if not seen.asked("create_workspace"):
        return seen.say("The workspace, pending.", ("create_workspace", {"client": seen.client}))
    workspace = seen.ref("create_workspace")
    if workspace is None:
        return seen.say(f"There is no workspace for {seen.client}.")
    if not seen.asked("reserve_seats"):
        return _in_workspace(seen, workspace)
    if not seen.asked("purchase_seats"):
        return _on_those(seen, workspace)
    return seen.say(f"Everything for {seen.client} is staged and waits for your approval.")


def _in_workspace(seen: Newcomer, workspace: str) -> Reply:
    """The record of the contract comes before the file that it points at."""
    here = {"workspace_id": workspace}
    return seen.say(
        "What stands in the workspace. Nobody can sign in to it yet, and nobody is told.",
        ("assign_admin", {**here, "email": seen.admin}),
        ("reserve_seats", {**here, "quantity": seen.seats}),
        ("create_project", {**here, "name": "welcome"}),
        ("create_record", {**here, "title": "Contract", "path": CONTRACT}),
        ("invite_members", {**here, "emails": seen.members}),
    )


def _on_those(seen: Newcomer, workspace: str) -> Reply:
    here, project = {"workspace_id": workspace}, {"project_id": seen.ref("create_project")}
    account = seen.account() or {}
    purchase = {
        "reservation_id": seen.ref("reserve_seats"),
        "quantity": seen.seats,
        "amount_minor": seen.seats * account["seat_price_minor"],
        "currency": account["currency"],
    }
    return seen.say(
        "What stands on those, and last the money.",
        ("attach_repository", {**project, "repository": f"{seen.client}/welcome"}),
        ("invite_team", {**project, "team": "customer-success"}),
        ("upload_file", {**here, "path": CONTRACT, "text": f"The contract of {seen.client}."}),
        ("notify_webhook", {**here, "client": seen.client, "event": "workspace.activated"}),
        ("purchase_seats", purchase),
    )
