"""A newcomer as a script of the agent `onboarding` reads it: the client, its people, and what its steps came to."""

from __future__ import annotations

import re
from typing import Any

from activities.models.model import Ask
from activities.models.reading import Reading

_TASK = re.compile(
    r"client (?P<client>[\w-]+): admin (?P<admin>\S+); (?P<seats>\d+) seats; members (?P<members>[^\n]+)\.\n"
)


class Newcomer(Reading):
    """One ask of the agent `onboarding`, read; of another agent's brief nothing is understood but the turns."""

    def __init__(self, ask: Ask) -> None:
        """Which client, and who of it."""
        super().__init__(ask)
        task = _TASK.search(ask.brief)
        self.client = task["client"] if task else ""
        self.admin = task["admin"] if task else ""
        self.seats = int(task["seats"]) if task else 0
        self.members = task["members"].split(", ") if task else []

    def account(self) -> dict[str, Any] | None:
        """The client's account as it was read; None where it could not be."""
        answers = self.answers("lookup_account")
        return answers[-1][1].result if answers else None

    def ref(self, tool: str) -> str | None:
        """The reference of what that tool has made; None where it has made nothing."""
        refs = [told.external_ref for _, told in self.answers(tool) if told.external_ref]
        return refs[-1] if refs else None
