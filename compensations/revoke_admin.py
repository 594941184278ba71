"""The counter-action `revoke_admin`: somebody may no longer run a workspace."""

from __future__ import annotations

from activities.providers.workspaces import INDEX_LAG_S, PACE
from compensations.removal import Removal, RemovalArgs
from saga.tool import CounterTool

_TAKEN = Removal(kind="admins", action="revoke")

REVOKE_ADMIN = CounterTool(
    name="revoke_admin",
    system="workspaces",
    args=RemovalArgs,
    perform=_TAKEN.perform,
    find=_TAKEN.find,
    grade="key_and_lookup",
    index_lag_s=INDEX_LAG_S,
    pace=PACE,
)
