"""The counter-action `detach_repository`: the repository stays, and the project has it no more."""

from __future__ import annotations

from activities.providers.workspaces import INDEX_LAG_S, PACE
from compensations.removal import Removal, RemovalArgs
from saga.tool import CounterTool

_TAKEN = Removal(kind="repositories", action="detach")

DETACH_REPOSITORY = CounterTool(
    name="detach_repository",
    system="workspaces",
    args=RemovalArgs,
    perform=_TAKEN.perform,
    find=_TAKEN.find,
    grade="key_and_lookup",
    index_lag_s=INDEX_LAG_S,
    pace=PACE,
)
