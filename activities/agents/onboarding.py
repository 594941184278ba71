"""The agent `onboarding`: a new client gets a workspace, its seats and its people, all of it or nothing."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from activities.client import Client
from activities.mail_address import MailAddress
from saga.agent import Agent
from saga.record import Typed

MOST_MEMBERS = 200
"""One request invites them all; a larger client is taken on by hand."""


class OnboardingRequest(Typed):
    """What sales asks for."""

    client: Client
    admin: MailAddress
    members: Annotated[list[MailAddress], Field(min_length=1, max_length=MOST_MEMBERS)]
    seats: Annotated[int, Field(gt=0, le=10_000, description="how many, for as long as the contract runs")]

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        twice = sorted({each for each in self.members if self.members.count(each) > 1})
        if twice:
            raise ValueError(f"members: {twice[0]} is named twice")
        return self


def _brief(request: OnboardingRequest) -> str:
    return f"""You onboard the client {request.client}: admin {request.admin}; {request.seats} seats; members \
{", ".join(request.members)}.

Read the client's account first. Create the workspace, then with its id: the admin, the seats (reserve them, then \
purchase them with the reservation's id, at the account's price and in its currency), a project "welcome" with its \
repository and its team, the record of the contract and then the file that it points at, the invitations, and the \
webhook that tells the client's own systems.

What you stage, a person sees before anything of it is carried out; the harness carries it out, not you. If a call's \
outcome is "unknown" or "repeated", do not ask for it again in other words. If you cannot or should not decide \
something, call request_human_review and say why. When everything is staged, answer without a call."""


ONBOARDING = Agent(
    name="onboarding",
    request=OnboardingRequest,
    tools=(
        "lookup_account",
        "create_workspace",
        "assign_admin",
        "reserve_seats",
        "purchase_seats",
        "create_invoice",
        "create_project",
        "attach_repository",
        "invite_team",
        "upload_file",
        "create_record",
        "archive_document",
        "invite_members",
        "notify_webhook",
        "send_code",
    ),
    brief=_brief,
    subject=lambda request: request.client,
    pivot=(
        "The approval of the whole proposal: after it the seats are confirmed, the workspace opens, the members are "
        "invited and the client's systems are told."
    ),
    why_no_earlier=(
        "Nobody can sign in to a workspace that is pending, and nobody is told of it. Were it opened earlier, a client "
        "whose payment is refused afterwards would be working in it, and sales would see the deal as done."
    ),
    paged="The onboarding lead on duty.",
)
