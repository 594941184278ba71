"""Plans: models that a test writes down turn by turn, and the calls on order 1182 that most of them make."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from activities.models.model import Ask, Reply
from workers.composition import model_of
from workers.faultkit import plan
from workers.faultkit.plan import Call

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


class Plan(plan.Plan):
    """The kit's model of written turns, that keeps what it was asked; a turn may also be a Reply, or an error."""

    def __init__(self, turns: Sequence[Any]) -> None:
        super().__init__(turns)
        self._written: Sequence[Turn] = turns
        self.asked: list[Ask] = []
        self.before: dict[int, Callable[[], Awaitable[Any]]] = {}
        """What happens elsewhere while the model thinks about that turn."""

    async def turn(self, ask: Ask) -> Reply:
        """The next of the turns; one that is an exception is a model that does not answer."""
        self.asked.append(ask)
        said = plan.said_so_far(ask)
        if said in self.before:
            await self.before[said]()
        turn = self._written[said] if said < len(self._written) else ()
        if isinstance(turn, Exception):
            raise turn
        return turn if isinstance(turn, Reply) else await super().turn(ask)

    @property
    def told(self) -> list[tuple[str, str, int | None]]:
        """What it was told last: of every call so far the tool, the outcome and the step."""
        calls = {call.call_id: call.tool for turn in self.asked[-1].transcript for call in turn.calls}
        answers = [told for turn in self.asked[-1].transcript for told in turn.told]
        return [(calls[each.call_id], each.outcome, each.step_idx) for each in answers]


class Plans(plan.Plans[Plan]):
    """The plans of one test, by the name under which a run asks for them, beside the models of every worker."""

    def __init__(self) -> None:
        super().__init__(model_of, Plan)
