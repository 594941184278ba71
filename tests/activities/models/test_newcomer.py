"""The script `onboarding`, turn by turn: what others stand on comes first, and the money last."""

from __future__ import annotations

from typing import Any

from activities.agents.onboarding import ONBOARDING, OnboardingRequest
from activities.models.model import Ask, Reply
from activities.models.scripted import script
from saga.agent import REVIEW_TOOL
from saga.turn import Outcome, Told, Turn

MEMBERS = ["ben@acme.test", "cho@acme.test"]
REQUEST = OnboardingRequest(client="acme", admin="ada@acme.test", members=MEMBERS, seats=2)
ACCOUNT: dict[str, Any] = {"client": "acme", "currency": "usd", "seat_price_minor": 1250}


class Talk:
    """The script, and what its calls have been told: each confirmed, with a reference, unless said otherwise."""

    def __init__(self, account: dict[str, Any] | None = ACCOUNT, **outcomes: Outcome) -> None:
        self.turns: list[Turn] = []
        self._account, self._outcomes = account, outcomes

    async def next(self) -> Reply:
        reply = await script("onboarding").turn(
            Ask(brief=ONBOARDING.brief(REQUEST), tools=(), transcript=tuple(self.turns))
        )
        told = tuple(self._told(call.call_id, call.tool) for call in reply.calls)
        self.turns.append(Turn(turn=len(self.turns), text=reply.text, calls=reply.calls, told=told))
        return reply

    async def walk(self) -> list[list[str]]:
        called: list[list[str]] = []
        while (reply := await self.next()).calls:
            called.append([call.tool for call in reply.calls])
        return called

    def args(self, tool: str) -> Any:
        (found,) = [call.args for turn in self.turns for call in turn.calls if call.tool == tool]
        return found

    def _told(self, call_id: str, tool: str) -> Told:
        outcome = self._outcomes.get(tool, "confirmed")
        if tool == "lookup_account":
            return Told(call_id=call_id, outcome=outcome, result=self._account)
        return Told(call_id=call_id, outcome=outcome, external_ref=f"{tool}-1" if outcome == "confirmed" else None)


async def test_what_others_stand_on_comes_first_and_the_money_last() -> None:
    talk = Talk()
    assert await talk.walk() == [
        ["lookup_account"],
        ["create_workspace"],
        ["assign_admin", "reserve_seats", "create_project", "create_record", "invite_members"],
        ["attach_repository", "invite_team", "upload_file", "notify_webhook", "purchase_seats"],
    ]
    assert talk.args("invite_members") == {"workspace_id": "create_workspace-1", "emails": MEMBERS}
    assert talk.args("create_record")["path"] == talk.args("upload_file")["path"]
    assert talk.args("purchase_seats") == {
        "reservation_id": "reserve_seats-1",
        "quantity": 2,
        "amount_minor": 2500,
        "currency": "usd",
    }


async def test_without_the_account_a_person_is_asked_and_nothing_is_made() -> None:
    assert await Talk(account=None).walk() == [["lookup_account"], [REVIEW_TOOL]]


async def test_without_the_workspace_nothing_is_put_into_one() -> None:
    assert await Talk(create_workspace="denied").walk() == [["lookup_account"], ["create_workspace"]]


async def test_sent_back_it_asks_for_nothing_again() -> None:
    talk = Talk()
    await talk.walk()
    talk.turns.append(Turn(turn=len(talk.turns), text="", note="no webhook, please"))
    assert (await talk.next()).calls == ()
