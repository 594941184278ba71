"""A plot: what is asked of an agent, what goes wrong on purpose, and what the world must hold in the end."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from workers.holding import Holding
from workers.scene import Scene

Ends = Literal["COMMITTED", "UNWOUND"]
"""The run's last phase: Temporal closes it as Completed, or as Failed (RunUnwound)."""


@dataclass(frozen=True, kw_only=True)
class Plot:
    """One story. The run's id is `name` and the moment of the demo."""

    name: str
    title: str
    request: Mapping[str, Any]
    model: str
    agent: str = "refund"
    must_hold: tuple[Holding, ...]
    """All of it: an effect that is not named here is one too many."""
    ends: Ends
    script: Callable[[Scene], Awaitable[None]]
    """What happens around the run, from its start on. It may return before the run ends."""
    faults: tuple[tuple[str, str, str], ...] = ()
    """(system, operation, fault), armed for this run alone before it starts; each must strike."""
    order: tuple[str, ...] = ()
    """Kinds of effects in the order in which they must happen."""

    @property
    def payload(self) -> dict[str, Any]:
        """The RunRequest."""
        return {
            "agent": self.agent,
            "request": dict(self.request),
            "requested_by": "sam",
            "model": self.model,
            "approvers": ["lead"],
        }
