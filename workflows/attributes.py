"""The search attributes of a run, written only when one of them changes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from temporalio import workflow
from temporalio.common import SearchAttributeKey

PHASE = SearchAttributeKey.for_keyword("SagaPhase")
AGENT = SearchAttributeKey.for_keyword("SagaAgent")
SUBJECT = SearchAttributeKey.for_keyword("SagaSubject")
UNSETTLED = SearchAttributeKey.for_int("SagaUnsettled")
NEEDS_HUMAN = SearchAttributeKey.for_bool("SagaNeedsHuman")
IRREVERSIBLE = SearchAttributeKey.for_int("SagaIrreversibleBeforePivot")

ALL: tuple[SearchAttributeKey[Any], ...] = (PHASE, AGENT, SUBJECT, UNSETTLED, NEEDS_HUMAN, IRREVERSIBLE)


class Attributes:
    """What the server was last told."""

    def __init__(self) -> None:
        """Nothing yet."""
        self._told: dict[str, Any] = {}

    def tell(self, now: Mapping[SearchAttributeKey[Any], Any]) -> None:
        """Write what differs from last time: an upsert is two events, so never one per step."""
        changed = [key for key, value in now.items() if self._told.get(key.name) != value]
        if changed:
            workflow.upsert_search_attributes([key.value_set(now[key]) for key in changed])
            self._told.update({key.name: now[key] for key in changed})
