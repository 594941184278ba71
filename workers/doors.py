"""The doors behind each task queue, with no more credentials than the queue needs: one list for every worker."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from activities.admit import Admit
from activities.find import Find
from activities.models.model import Model
from activities.note import note
from activities.perform import Perform
from activities.propose import Propose
from activities.read import Read
from compensations.door import Compensate
from saga.registry import Registry

Doors = Sequence[Callable[..., Any]]
Credentials = Mapping[str, Any]
"""Provider by system name."""


def for_runs(registry: Registry, model_of: Callable[[str], Model], *, inject: bool = False) -> Doors:
    """Beside the workflows, with no provider at all. `inject`: a run may ask for faults."""
    return (
        Admit(registry, model_of, inject=inject).admit,
        Propose(registry, model_of).propose,
        # The quick pure tools, as local activities: they talk to nobody.
        Read(registry, {}).read,
        note,
    )


def for_tools(registry: Registry, writers: Credentials, *, inject: bool = False) -> Doors:
    """What may write."""
    return (
        Perform(registry, writers, inject=inject).perform,
        Compensate(registry, writers, inject=inject).compensate,
    )


def for_lookups(registry: Registry, readers: Credentials, *, inject: bool = False) -> Doors:
    """What can only read."""
    return (Find(registry, readers, inject=inject).find, Read(registry, readers).read)
