"""The counter-action `delete_project`: a project goes once nothing hangs on it.

The service says no (`has_dependents`) while something does; what somebody else put there, a person sees to.
"""

from __future__ import annotations

from activities.providers.workspaces import INDEX_LAG_S, PACE
from compensations.removal import Removal, RemovalArgs
from saga.tool import CounterTool

_TAKEN = Removal(kind="projects", action="delete")

DELETE_PROJECT = CounterTool(
    name="delete_project",
    system="workspaces",
    args=RemovalArgs,
    perform=_TAKEN.perform,
    find=_TAKEN.find,
    grade="key_and_lookup",
    index_lag_s=INDEX_LAG_S,
    pace=PACE,
)
