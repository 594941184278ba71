"""The counter-action `delete_file`: a file goes.

The service lets it go though a record points at it, which then dangles: the records go first, by `points_at`.
"""

from __future__ import annotations

from activities.providers.workspaces import INDEX_LAG_S, PACE
from compensations.removal import Removal, RemovalArgs
from saga.tool import CounterTool

_TAKEN = Removal(kind="files", action="delete")

DELETE_FILE = CounterTool(
    name="delete_file",
    system="workspaces",
    args=RemovalArgs,
    perform=_TAKEN.perform,
    find=_TAKEN.find,
    grade="key_and_lookup",
    index_lag_s=INDEX_LAG_S,
    pace=PACE,
)
