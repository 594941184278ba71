"""The counter-action `release_seats`: seats that were set aside go back into the pool.

What is released, has expired or is unknown holds nothing any more, whoever did it.
"""

from __future__ import annotations

from activities.providers.workspaces import INDEX_LAG_S, PACE
from compensations.removal import Removal, RemovalArgs
from saga.tool import CounterTool

_TAKEN = Removal(kind="reservations", action="release")

RELEASE_SEATS = CounterTool(
    name="release_seats",
    system="workspaces",
    args=RemovalArgs,
    perform=_TAKEN.perform,
    find=_TAKEN.find,
    grade="key_and_lookup",
    index_lag_s=INDEX_LAG_S,
    pace=PACE,
)
