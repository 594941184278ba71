"""A letter: what it says, and how the mail service shows it, as a draft or in its send log."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Literal

from saga.errors import Unanswered
from saga.outcome import Sighting
from saga.tool import Tags

_LOST = frozenset({"bounced", "failed", "suppressed"})
"""Last events after which nobody has read it (resend.com/docs: email events)."""


@dataclass(frozen=True, kw_only=True)
class Letter:
    """To one address, in plain text."""

    to: str
    subject: str
    text: str

    @property
    def digest(self) -> str:
        """16 hex digits of exactly these words to exactly this address."""
        return sha256(json.dumps([self.to, self.subject, self.text]).encode()).hexdigest()[:16]


@dataclass(frozen=True, kw_only=True)
class Mailed:
    """A draft, or an entry of the send log."""

    ref: str
    letter: Letter
    lost: bool
    """Nobody got it."""
    sent_as: str | None
    """Of a draft: the entry that it became, once it is sent."""
    sent: bool
    marks: Mapping[str, str]
    """Its headers, names in lower case."""

    @classmethod
    def of(cls, said: Mapping[str, Any]) -> Mailed:
        """Read the service's object. Unanswered where it is none: a body without an id is no answer."""
        try:
            ref = said["id"]
            if not isinstance(ref, str) or not ref:
                raise Unanswered("the answer is no letter", code="no_letter")
            to, subject, text = said.get("to") or [""], said.get("subject"), said.get("text")
            return cls(
                ref=ref,
                letter=Letter(to=", ".join(map(str, to)), subject=str(subject or ""), text=str(text or "")),
                lost=said.get("last_event") in _LOST,
                sent_as=said.get("message_id"),
                sent=said.get("state") != "draft",
                marks={str(name).lower(): str(value) for name, value in (said.get("headers") or {}).items()},
            )
        except (AttributeError, KeyError, TypeError):
            raise Unanswered("the answer is no letter", code="no_letter") from None

    def is_of(self, key: str) -> bool:
        """Whether it was written, or sent, under that key."""
        return self.marks.get("x-saga-key") == key

    def sighting(self) -> Sighting:
        """As a lookup saw it."""
        return Sighting(
            external_ref=self.ref,
            state="failed" if self.lost else "standing",
            result={"to": self.letter.to},
            execution=self.marks.get("x-saga-execution"),
        )


def marks(tags: Tags) -> dict[str, str]:
    """The headers that every letter of ours carries. The same at every attempt."""
    return {"X-Saga-Key": tags.key, "X-Saga-Run": tags.run_id, "X-Saga-Execution": tags.execution}


Kind = Literal["drafts", "log"]
"""The two lists of a mail service."""
