"""Plans: models that a test writes down turn by turn, and the calls on order 1182 that most of them make."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from activities.models.model import Ask, Model, Reply
from saga.turn import ProposedCall
from workers.composition import model_of

Call = tuple[str, Any]
Turn = Sequence[Call] | Reply | Exception

ORDER = {"order_id": "1182"}
MARA = "mara.lindqvist@customers.test"


def ticket(words: str = "the lamp is cracked", order_id: str = "1182", **more: Any) -> Call:
    """A ticket that the team sees at once."""
    return "create_ticket", {"order_id": order_id, "summary": words, **more}


def draft_ticket(words: str = "the lamp is cracked", **more: Any) -> Call:
    """A ticket outside the team's queue."""
    return "stage_ticket", {**ORDER, "summary": words, **more}


def charge(amount_minor: Any = 500, card: str = "pm_card_visa", **more: Any) -> Call:
    """Money taken at once."""
    return "charge_card", {**_payment(amount_minor, card), **more}


def hold(amount_minor: Any = 500, card: str = "pm_card_visa", **more: Any) -> Call:
    """Money held until the approval."""
    return "authorise_payment", {**_payment(amount_minor, card), **more}


def draft(words: str = "We are sorry.", **more: Any) -> Call:
    """A letter kept as a draft."""
    return "draft_email", {**ORDER, "to": MARA, "subject": "Your order 1182", "body": words, **more}


def letter(words: str = "We are sorry.", **more: Any) -> Call:
    """A letter without a draft."""
    return "send_email", {**ORDER, "to": MARA, "subject": "Your order 1182", "body": words, **more}


def goods(**more: Any) -> Call:
    """The goods set aside."""
    return "reship", {**ORDER, "customer_email": MARA, "reason": "the shade is cracked", **more}


def review(reason: str = "I cannot decide this") -> Call:
    """A person is asked for."""
    return "request_human_review", {"reason": reason}


def _payment(amount_minor: Any, card: str) -> dict[str, Any]:
    return {
        **ORDER,
        "customer_id": "cus_1182",
        "amount_minor": amount_minor,
        "currency": "eur",
        "payment_method": card,
        "reason": "fee for sending it again",
    }


class Plan:
    """A model that makes these turns in order and then has no more calls; it keeps what it was asked."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        self._turns = turns
        self.asked: list[Ask] = []
        self.before: dict[int, Callable[[], Awaitable[Any]]] = {}
        """What happens elsewhere while the model thinks about that turn."""

    async def turn(self, ask: Ask) -> Reply:
        """The next of the turns; one that is an exception is a model that does not answer."""
        self.asked.append(ask)
        said = sum(not turn.note for turn in ask.transcript)
        if said in self.before:
            await self.before[said]()
        if said >= len(self._turns):
            return Reply(text="That is all.")
        turn = self._turns[said]
        if isinstance(turn, Exception):
            raise turn
        if isinstance(turn, Reply):
            return turn
        calls = [
            ProposedCall(call_id=f"turn{said}-call{place}", tool=tool, args=args)
            for place, (tool, args) in enumerate(turn)
        ]
        return Reply(text=f"turn {said}", calls=tuple(calls))

    @property
    def told(self) -> list[tuple[str, str, int | None]]:
        """What it was told last: of every call so far the tool, the outcome and the step."""
        calls = {call.call_id: call.tool for turn in self.asked[-1].transcript for call in turn.calls}
        answers = [told for turn in self.asked[-1].transcript for told in turn.told]
        return [(calls[each.call_id], each.outcome, each.step_idx) for each in answers]


class Plans:
    """The plans of one test, by the name under which a run asks for them."""

    def __init__(self) -> None:
        self._known: dict[str, Plan] = {}

    def make(self, *turns: Turn) -> str:
        """The name of a model that makes these turns."""
        name = f"plan:{len(self._known)}"
        self._known[name] = Plan(turns)
        return name

    def __getitem__(self, name: str) -> Plan:
        """The plan of that name."""
        return self._known[name]

    def model_of(self, name: str) -> Model:
        """The plan of that name, or the model that every worker knows by it."""
        return self._known[name] if name in self._known else model_of(name)
