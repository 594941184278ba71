"""The outside world of a registry, as whoever runs the fault kit supplies it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

Effect = Mapping[str, Any]
"""One thing done to the world: `system`, `kind`, `key` (the idempotency key it was asked under, or None), `run`,
`execution`, `ref`, `state` (standing | undone | pending | failed | expired), `amount_minor`, `currency`, `audience`,
`at` (epoch seconds). A counter-action is an effect of its own; what it takes back is `undone` from then on."""


class World(Protocol):
    """What the doors talk to, and what can be seen of it from outside."""

    @property
    def writers(self) -> Mapping[str, Any]:
        """Provider by system name, each able to write."""
        ...

    @property
    def readers(self) -> Mapping[str, Any]:
        """Provider by system name, each with a credential that only reads."""
        ...

    async def effects(self) -> Sequence[Effect]:
        """Every effect that there is, oldest first, whoever asked for it. Never taken from the saga log."""
        ...

    async def clear(self) -> None:
        """Forget every effect, key and fault: the next run finds the world as the first one did."""
        ...

    def set_clock(self, now: float) -> None:
        """Time was skipped to `now` (epoch seconds): let pass what that ends, holds and lags."""
        ...


@runtime_checkable
class Wired(World, Protocol):
    """A world that can also break on the wire, between our client and the service."""

    async def calls(self) -> Sequence[Mapping[str, Any]]:
        """Every request received, in order: `system`, `operation`, `method`, `key`, `fault` (what struck it)."""
        ...

    async def arm(self, system: str, operation: str, fault: str, times: int) -> None:
        """Let `fault` strike the next `times` requests of that operation."""
        ...

    def strikes(self, fault: str, system: str, operation: str) -> bool:
        """Whether that fault can strike that operation at all (a part of a bulk call, where there is one)."""
        ...

    async def mend(self) -> None:
        """No fault strikes any more."""
        ...

    async def heal(self, effect: Effect) -> None:
        """What a person does about an effect that is one too many: takes it away by hand."""
        ...
