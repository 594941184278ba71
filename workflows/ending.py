"""The ending of a plan."""

from __future__ import annotations

from saga.record import Record
from saga.recovery import Trouble


class Ending(Record):
    """Why planning stopped: the model is done, it wants a person, or there is trouble."""

    kind: Trouble | None = None
    why: str = ""
    review: bool = False


CANCELLED = Ending(kind="cancelled", why="cancelled")
"""The run turned round."""
