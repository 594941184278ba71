"""A ticket as Jira tells it, and the labels by which it is ours.

Jira takes no idempotency key: the key travels as a label, and labels have no spaces and match only as a whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from saga.keys import run_tag
from saga.outcome import Sighting
from saga.record import Json
from saga.tool import Tags

_EXECUTION_DIGITS = 12
"""Of the first execution's run id: enough to tell executions of one workflow id apart, short enough for a label."""
_EXECUTION = "saga-exec-"


def key_label(key: str) -> str:
    """The label of a half's key."""
    return f"saga-{key}"


def labels_of(tags: Tags) -> list[str]:
    """What every ticket of ours carries. `saga` alone is there because JQL cannot search by a label's beginning."""
    execution = _EXECUTION + tags.execution[:_EXECUTION_DIGITS]
    return ["saga", key_label(tags.key), f"saga-run-{run_tag(tags.run_id)}", execution]


@dataclass(frozen=True, kw_only=True)
class Ticket:
    """A ticket as it stands. `key` changes when it is moved to another project, `id` never does."""

    id: str
    key: str
    status: str
    category: str
    """Of its status: new, indeterminate or done. Names of statuses differ between projects, these three do not."""
    labels: tuple[str, ...]

    @classmethod
    def parse(cls, raw: Mapping[str, Any]) -> Ticket:
        """From Jira's JSON of an issue. KeyError or TypeError where it is none."""
        fields = raw["fields"]
        status = fields["status"]
        return cls(
            id=str(raw["id"]),
            key=str(raw["key"]),
            status=str(status["name"]),
            category=str(status["statusCategory"]["key"]),
            labels=tuple(str(label) for label in fields.get("labels") or ()),
        )

    @property
    def closed(self) -> bool:
        """Whether it is in a done state, whatever that is called."""
        return self.category == "done"

    def carries(self, key: str) -> bool:
        """Whether this half left its mark on it. Jira ignores the case of labels."""
        return key_label(key) in {label.casefold() for label in self.labels}

    def owner(self, tags: Tags) -> str | None:
        """The execution that its label names: whole where it is ours, else the label's 12 digits; None without one."""
        named = [label.removeprefix(_EXECUTION) for label in self.labels if label.startswith(_EXECUTION)]
        if tags.execution[:_EXECUTION_DIGITS] in named:
            return tags.execution
        return named[0] if named else None

    def result(self, **more: Any) -> Json:
        """What stays in the row: the ticket by both its names, and its state."""
        return {"ticket": self.key, "id": self.id, "status": self.status, **more}

    def sighting(self, tags: Tags) -> Sighting:
        """The ticket as an effect: undone once somebody has closed it."""
        return Sighting(
            external_ref=self.key,
            state="undone" if self.closed else "standing",
            result=self.result(),
            execution=self.owner(tags),
        )
