"""A holding: one thing that the world must hold at the end of a story, as a person writes it down beforehand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from saga.money import Money
from workers.sandbox.world import Effect, EffectState

UNDOES: Mapping[str, str] = {
    "charge.cancel": "charge.authorise",
    "charge.refund": "charge.capture",
    "ticket.transition": "ticket.create",
    "ticket.delete": "ticket.create",
    "mail.delete": "mail.draft",
    "goods.release": "goods.reserve",
    "workspace.abandon": "workspace.create",
    "admin.revoke": "admin.assign",
    "project.delete": "project.create",
    "repository.detach": "repository.attach",
    "team.remove": "team.invite",
    "file.delete": "file.upload",
    "record.delete": "record.create",
    "document.restore": "document.archive",
    "invoice.void": "invoice.create",
    "seats.release": "seats.reserve",
    "seats.refund": "seats.purchase",
}
"""Kind of an effect that can take another back → the kind of that other. An intent's hold and its capture have one
reference, so the reference alone does not tell which of them is meant."""

IRREVERSIBLE = frozenset({"mail.send", "parcel.send", "sms.send", "webhook.send", "invitation.send", "document.delete"})
"""What nothing takes back, whoever did it."""


@dataclass(frozen=True, kw_only=True)
class Holding:
    """`count` effects of one kind, in one state. What is not given (amount, `about`) may be anything."""

    kind: str
    """`<noun>.<verb>`, as the sandbox names it."""
    state: EffectState = "standing"
    count: int = 1
    amount_minor: int | None = None
    currency: str | None = None
    undoes: bool = False
    """It takes something of this run back. (Money given back for an order's own payment does not.)"""
    about: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def fits(self, effect: Effect) -> bool:
        """Whether that effect is of this kind, in whatever state it is."""
        return (
            effect.kind == self.kind
            and self.amount_minor in (None, effect.amount_minor)
            and self.currency in (None, effect.currency)
            and all(effect.about.get(name) == value for name, value in self.about.items())
        )


def target_of(effect: Effect, effects: list[Effect]) -> Effect | None:
    """The effect that this one takes back; None where it takes back none that the world's ledger has."""
    undone, kind = effect.about.get("undoes"), UNDOES.get(effect.kind)
    if undone is None or kind is None:
        return None
    return next((each for each in effects if each.kind == kind and each.ref == undone), None)


def said(effect: Effect) -> str:
    """An effect in a sentence: ``charge.capture pi_1 (5.00 EUR)``."""
    if effect.amount_minor is None or not effect.currency:
        return f"{effect.kind} {effect.ref}"
    money = Money(amount_minor=effect.amount_minor, currency=effect.currency.lower())
    return f"{effect.kind} {effect.ref} ({money})"
