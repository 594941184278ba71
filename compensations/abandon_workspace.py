"""The counter-action `abandon_workspace`: a workspace is put out of reach; a clean-up deletes it later.

One that somebody has begun to use stays (`workspace_in_use`): what is in it is theirs, and a person decides.
"""

from __future__ import annotations

from activities.providers.workspaces import INDEX_LAG_S, PACE
from compensations.removal import Removal, RemovalArgs
from saga.tool import CounterTool

_TAKEN = Removal(kind="workspaces", action="abandon")

ABANDON_WORKSPACE = CounterTool(
    name="abandon_workspace",
    system="workspaces",
    args=RemovalArgs,
    perform=_TAKEN.perform,
    find=_TAKEN.find,
    grade="key_and_lookup",
    index_lag_s=INDEX_LAG_S,
    pace=PACE,
)
