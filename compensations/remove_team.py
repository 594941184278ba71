"""The counter-action `remove_team`: a team is taken off a project."""

from __future__ import annotations

from activities.providers.workspaces import INDEX_LAG_S, PACE
from compensations.removal import Removal, RemovalArgs
from saga.tool import CounterTool

_TAKEN = Removal(kind="teams", action="remove")

REMOVE_TEAM = CounterTool(
    name="remove_team",
    system="workspaces",
    args=RemovalArgs,
    perform=_TAKEN.perform,
    find=_TAKEN.find,
    grade="key_and_lookup",
    index_lag_s=INDEX_LAG_S,
    pace=PACE,
)
