"""A thing of the workspace service: a workspace, a member's admin rights, a project, seats set aside, a refund.

They all have an id, a state, the key, run and execution that made them, and who acted on them by which key.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from pydantic import JsonValue

from saga.errors import Refused, Unanswered
from saga.money import Money
from saga.outcome import Receipt, Sighting
from saga.record import Json
from saga.tool import Tags

Kind = Literal[
    "workspaces",
    "admins",
    "invitations",
    "projects",
    "repositories",
    "teams",
    "files",
    "records",
    "documents",
    "invoices",
    "reservations",
    "purchases",
    "refunds",
]
"""As the service's addresses have it."""

State = Literal["standing", "undone", "pending", "failed"]

_STATES: Mapping[str, State] = {
    **dict.fromkeys(("provisioning", "active", "live", "archived", "sent", "draft", "held", "paid"), "standing"),
    "confirmed": "standing",  # of seats and of a refund alike
    **dict.fromkeys(("abandoned", "deleted", "removed", "void", "released", "expired", "refunded"), "undone"),
    "requested": "pending",
    "failed": "failed",
}
"""What a state means to whoever made the thing. One that the service may add one day is undecided: pending."""
_OWN = ("id", "state", "saga_key", "saga_run", "saga_execution", "created_at", "marks")


@dataclass(frozen=True, kw_only=True)
class Thing:
    """One thing as the service shows it."""

    id: str
    kind: Kind
    state: str
    """The service's own word."""
    execution: str | None
    """Of the run that made it."""
    key: str | None
    """That made it, for ever; None where no run of ours did."""
    marks: Mapping[str, str]
    """Action → the key under which it was done."""
    fields: Json
    """What else there is to it, by kind."""
    created_at: float = 0.0

    @classmethod
    def parse(cls, kind: Kind, said: Mapping[str, Any]) -> Thing:
        """From the service's JSON. Unanswered where it is none: a body without an id is no answer."""
        try:
            return cls(
                id=_text(said["id"]),
                kind=kind,
                state=_text(said["state"]),
                execution=said.get("saga_execution"),
                key=said.get("saga_key"),
                marks={str(action): str(key) for action, key in (said.get("marks") or {}).items()},
                fields={name: value for name, value in said.items() if name not in _OWN},
                created_at=float(said.get("created_at") or 0.0),
            )
        except (KeyError, TypeError, ValueError, AttributeError):
            raise Unanswered(f"the answer is none of the {kind}", code="no_answer") from None

    @property
    def noun(self) -> str:
        """What one of its kind is called."""
        return f"{self.kind[:-3]}y" if self.kind.endswith("ies") else self.kind[:-1]

    @property
    def meaning(self) -> State:
        """Its state, as whoever made it must take it."""
        return _STATES.get(self.state, "pending")

    @property
    def holds_until(self) -> datetime | None:
        """When the service lets go of it by itself."""
        expires_at = self.fields.get("expires_at")
        if self.state != "held" or not isinstance(expires_at, int | float):
            return None
        return datetime.fromtimestamp(expires_at, UTC)

    def carries(self, key: str) -> bool:
        """Whether it was made, or acted on, under that key."""
        return key == self.key or key in self.marks.values()

    def number(self, field: str) -> int:
        """A whole number among its fields. Unanswered where there is none."""
        value = self.fields.get(field)
        if isinstance(value, bool) or not isinstance(value, int):
            raise Unanswered(f"the {self.noun}'s {field} is no whole number", code="no_answer")
        return value

    def text(self, field: str) -> str:
        """A text among its fields. Unanswered where there is none."""
        value = self.fields.get(field)
        if not isinstance(value, str) or not value:
            raise Unanswered(f"the {self.noun}'s {field} is no text", code="no_answer")
        return value

    def sighting(self, state: State | None = None, /, **result: JsonValue) -> Sighting:
        """As a lookup saw it; `state` where the half that looks takes it otherwise than its maker."""
        return Sighting(
            external_ref=self.id,
            state=state or self.meaning,
            result={self.noun: self.id, "state": self.state, **result},
            execution=self.execution,
            holds_until=self.holds_until,
        )

    def receipt(self, **result: JsonValue) -> Receipt:
        """As the service's answer to a request that is done."""
        return self.sighting(**result).receipt()

    def made(self, tags: Tags, **result: JsonValue) -> Receipt:
        """The answer to a creating request. Refused where what this key names for ever has been undone since.

        Another execution's is handed on as it is: the door says whose it is.
        """
        if self.meaning in ("undone", "failed") and self.execution in (None, tags.execution):
            raise Refused(f"the {self.noun} is {self.state}", code=f"{self.noun}_{self.state}", remembered=True)
        return self.receipt(**result)


@dataclass(frozen=True, kw_only=True)
class Account:
    """A client's account: what it pays in, what a seat costs it, and whether it has anything to pay with."""

    client: str
    currency: str
    seat_price_minor: int
    has_payment_method: bool

    @classmethod
    def parse(cls, said: Mapping[str, Any]) -> Account:
        """From the service's JSON. Unanswered where it is none."""
        try:
            return cls(
                client=_text(said["client"]),
                currency=_text(said["currency"]),
                seat_price_minor=int(said["seat_price_minor"]),
                has_payment_method=bool(said["has_payment_method"]),
            )
        except (KeyError, TypeError, ValueError):
            raise Unanswered("the answer is no account", code="no_answer") from None

    @property
    def seat_price(self) -> Money:
        """What one seat costs."""
        return Money(amount_minor=self.seat_price_minor, currency=self.currency)


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError("not a text")
    return value
