"""Scripts are models: found by walking, without state, each turn a function of what is asked."""

import json
from typing import Any

import pytest

from activities.agents.refund import REFUND, RefundRequest
from activities.models.model import Ask, Reply, schemas
from activities.models.scripted import names, script
from activities.tools.search_orders import SEARCH_ORDERS
from activities.tools.stage_ticket import STAGE_TICKET
from saga.agent import REVIEW_TOOL
from saga.errors import BadInput
from saga.outcome import Problem
from saga.turn import Outcome, Told, Turn
from workers.sandbox.fixtures import ORDERS

BRIEF = REFUND.brief(RefundRequest(order_id="1182", customer_id="cus_1182"))
DECLINED = Problem(code="card_declined", message="Your card was declined.")


class Conversation:
    """A script, and what its calls have been told."""

    def __init__(self, name: str, brief: str = BRIEF, order_id: str = "1182") -> None:
        self.name, self.brief, self.order_id = name, brief, order_id
        self.turns: list[Turn] = []

    async def next(self) -> Reply:
        """What it says now; asked twice, a new one of its kind says the same."""
        ask = Ask(brief=self.brief, tools=(), transcript=tuple(self.turns))
        reply = await script(self.name).turn(ask)
        again = await script(self.name).turn(Ask.model_validate_json(ask.model_dump_json()))
        assert again == reply
        return reply

    def hear(self, reply: Reply, **outcomes: Outcome) -> None:
        """Answer its calls: confirmed unless told otherwise, by tool."""
        told = [self._told(call.call_id, call.tool, outcomes.get(call.tool, "confirmed")) for call in reply.calls]
        self.turns.append(Turn(turn=len(self.turns), text=reply.text, calls=reply.calls, told=tuple(told)))

    def _told(self, call_id: str, tool: str, outcome: Outcome) -> Told:
        result: Any = None
        if tool == "search_orders":
            orders = [ORDERS[self.order_id]] if self.order_id in ORDERS else []
            result = {"orders": orders, "found": len(orders)}
        return Told(call_id=call_id, outcome=outcome, result=result, error=DECLINED if outcome == "refused" else None)

    async def walk(self, **outcomes: Outcome) -> list[list[str]]:
        """The tools it calls, turn by turn, until it has no more."""
        called: list[list[str]] = []
        for _ in range(10):
            reply = await self.next()
            self.hear(reply, **outcomes)
            if not reply.calls:
                return called
            called.append([call.tool for call in reply.calls])
        raise AssertionError("it does not end")


def args_of(conversation: Conversation, tool: str) -> list[Any]:
    return [call.args for turn in conversation.turns for call in turn.calls if call.tool == tool]


def test_the_scripts_there_are():
    assert names() == ["garbage", "incident", "mail_only", "onboarding", "refund", "refund_money", "review"]


def test_an_unknown_script_lists_the_known_ones():
    with pytest.raises(BadInput, match="scripted:incident") as error:
        script("scripted:nonesuch")
    assert error.value.field == "model"


async def test_the_incident_turn_by_turn():
    talk = Conversation("incident")
    assert await talk.walk() == [
        ["search_orders", "lookup_policy", "send_email"],
        ["create_ticket", "create_ticket"],
        ["create_ticket", "charge_card"],
        ["reship"],
    ]
    tickets = args_of(talk, "create_ticket")
    assert [each["order_id"] for each in tickets] == ["1182", "#1182", "1182"]
    assert len({each["summary"] for each in tickets}) == 3
    (charge,) = args_of(talk, "charge_card")
    assert (charge["amount_minor"], charge["currency"], charge["receipt"]) == (500, "eur", False)


@pytest.mark.parametrize("outcome", ["confirmed", "unknown", "repeated", "invalid", "denied"])
async def test_the_incident_takes_silence_for_success(outcome: Outcome):
    talk = Conversation("incident")
    for _ in range(2):
        talk.hear(await talk.next(), create_ticket=outcome)
    assert (await talk.next()).text == "Ticket created!"


async def test_the_incident_tries_another_card_once_and_no_third():
    brief = REFUND.brief(RefundRequest(order_id="1188", customer_id="cus_1188", receipt=True))
    talk = Conversation("incident", brief, "1188")
    assert (await talk.walk(charge_card="refused"))[2:] == [["create_ticket", "charge_card"], ["charge_card"]]
    charges = args_of(talk, "charge_card")
    assert [each["payment_method"] for each in charges] == ["pm_card_chargeDeclined", "pm_card_visa"]
    assert charges[0]["receipt"] is True


@pytest.mark.parametrize("name", ["incident", "refund", "refund_money"])
async def test_without_the_order_nothing_is_proposed(name: str):
    talk = Conversation(name, order_id="none")
    talk.hear(await talk.next())
    assert {call.tool for call in (await talk.next()).calls} <= {REVIEW_TOOL}


async def test_the_refund_stages_everything_in_one_answer_and_ends():
    talk = Conversation("refund")
    assert await talk.walk() == [
        ["search_orders", "lookup_policy"],
        ["draft_email", "stage_ticket", "authorise_payment", "reship"],
    ]
    (goods,) = args_of(talk, "reship")
    assert goods["customer_email"] == ORDERS["1182"]["customer_email"]


async def test_sent_back_the_refund_asks_for_nothing_again():
    talk = Conversation("refund")
    await talk.walk()
    talk.turns.append(Turn(turn=len(talk.turns), text="", note="no letter, please"))
    assert (await talk.next()).calls == ()


async def test_the_refund_tries_another_card_and_then_asks_a_person():
    brief = REFUND.brief(RefundRequest(order_id="1188", customer_id="cus_1188"))
    called = await Conversation("refund", brief, "1188").walk(authorise_payment="refused")
    assert called[2:4] == [["authorise_payment"], [REVIEW_TOOL]]


@pytest.mark.parametrize(
    ("name", "called"),
    [
        ("mail_only", [["send_email"]]),
        ("review", [["stage_ticket"], [REVIEW_TOOL]]),
        ("refund_money", [["search_orders"], ["stage_ticket", "refund_order"]]),
    ],
)
async def test_the_small_ones(name: str, called: list[list[str]]):
    assert await Conversation(name).walk() == called


async def test_garbage_is_garbage():
    talk = Conversation("garbage")
    first, second = await talk.walk(charge_card="invalid")
    assert first == ["delete_everything", "create_ticket", "charge_card", "refund_charge", "capture_payment"]
    assert second == ["charge_card"] * 4
    with pytest.raises(ValueError, match="Expecting"):
        json.loads(args_of(talk, "create_ticket")[0])
    assert not any(
        type(args["amount_minor"]) is int and args["amount_minor"] > 0 for args in args_of(talk, "charge_card")
    )


def test_a_model_is_shown_schemas_with_another_on_effects_and_the_review_last():
    read, stage, review = schemas([SEARCH_ORDERS, STAGE_TICKET])
    assert "another" not in str(read.parameters["properties"])
    assert "another" in str(stage.parameters["properties"])
    assert stage.parameters["additionalProperties"] is False
    assert (review.name, review.parameters["required"]) == (REVIEW_TOOL, ["reason"])


@pytest.mark.parametrize("order_id", ["1182", "#1182", "A-17"])
@pytest.mark.parametrize("receipt", [True, False])
async def test_the_brief_says_what_a_script_must_know(order_id: str, receipt: bool):
    request = RefundRequest(order_id=order_id, customer_id="cus_9", receipt=receipt)
    reply = await Conversation("refund", REFUND.brief(request)).next()
    assert reply.calls[0].args == {"order_id": order_id.removeprefix("#"), "customer_id": "cus_9"}
