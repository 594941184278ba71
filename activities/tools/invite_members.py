"""The tool `invite_members`: everybody is invited in one request, after the pivot; nobody hears of it before.

One address can fail where the others do not: the result names both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import AfterValidator, Field

from activities.creation import Creation
from activities.mail_address import MailAddress
from activities.providers.workspaces import INDEX_LAG_S, PACE, Workspaces
from activities.reference import Reference
from saga.draft import CounterCall
from saga.errors import Refused
from saga.keys import OPEN_KEY
from saga.outcome import Receipt, Sighting
from saga.record import Typed
from saga.tool import Answers, Call, Tool

_LETTERS = 7_000
"""Characters of all addresses together, 35 each: with a code beside every one the answer still fits into the log."""


def _each_once(emails: list[str]) -> list[str]:
    if len(set(emails)) < len(emails):
        raise ValueError("each address once")
    if sum(map(len, emails)) > _LETTERS:
        raise ValueError(f"at most {_LETTERS} characters, all addresses together")
    return emails


Emails = Annotated[
    list[MailAddress],
    # 200 is the most that the service takes in one request.
    Field(min_length=1, max_length=200, description="everybody to invite, each once"),
    AfterValidator(_each_once),
]


class InviteArgs(Typed):
    """Into which workspace, and whom."""

    workspace_id: Annotated[Reference, Field(description="the workspace that create_workspace made")]
    emails: Emails


def _correction(args: InviteArgs) -> CounterCall | None:
    """A letter goes to one address. Where more were invited a person writes to them, knowing who has read it."""
    if len(args.emails) > 1:
        return None
    return CounterCall(
        tool="send_correction",
        args={
            "original_key": OPEN_KEY,
            "to": args.emails[0],
            "subject": "Your invitation",
            "text": (
                "We invited you to a workspace by mistake. You need not do anything; the link in that message does "
                "not work any more."
            ),
        },
    )


_INVITATION = Creation(kind="invitations", told=("invited", "failed"))


async def _perform(workspaces: Workspaces, call: Call[InviteArgs]) -> Receipt:
    """One request for all of them. Refused where it reached nobody: the key names that batch for ever."""
    receipt = await _INVITATION.perform(workspaces, call)
    if not receipt.result.get("invited"):
        raise Refused("nobody on the list could be invited", code="nobody_invited", remembered=True)
    return receipt


async def _find(workspaces: Workspaces, call: Call[InviteArgs]) -> Sequence[Sighting]:
    """The one batch of that key, with whom it reached; one that reached nobody has failed."""
    seen = await _INVITATION.find(workspaces, call)
    return [each if each.result.get("invited") else each.model_copy(update={"state": "failed"}) for each in seen]


INVITE_MEMBERS = Tool(
    name="invite_members",
    about=(
        "Invite members to a workspace that you created, all in one call. The invitations go out after a person has "
        "approved the run and the workspace is open."
    ),
    system="workspaces",
    args=InviteArgs,
    example={"workspace_id": "ws_1", "emails": ["ben@acme.test"]},
    tool_class="irreversible",
    # After what it announces: the workspace is open by then.
    tells=True,
    perform=_perform,
    find=_find,
    grade="key_and_lookup",
    pace=PACE,
    index_lag_s=INDEX_LAG_S,
    audience=lambda _: ("customer",),
    target=lambda args: f"invitations to {people(len(args.emails))} into workspace {args.workspace_id}",
    # A workspace's members are invited together, once in a run.
    identity=("workspace_id",),
    references={"workspace_id": "create_workspace"},
    owned=("workspace_id",),
    correct=_correction,
    gate=(
        "It reaches everybody on the list at once and nothing calls it back: whoever approves has seen the whole list."
    ),
    answers=Answers(
        pivot="It is queued: it runs only after a person has approved, and last.",
        undo="Nothing; send_correction for a single address, if a person decides that it is needed.",
        idempotent="There is no compensation; the same key again sends nothing to anybody.",
        unknown="By saga_key: the service lists the one batch that has it, with who was invited and who was not.",
        paged="The workspace team's lead, who knows the client.",
    ),
)


def people(count: int) -> str:
    """So many people, in words."""
    return "1 person" if count == 1 else f"{count} people"
