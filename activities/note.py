"""The door `note`: a value as it was when it was asked for, kept in history; run beside the workflow, it costs a line.

What changes at a reset (whether there was one) must not be branched on as it is: the kept history replays after it.
"""

from __future__ import annotations

from temporalio import activity


@activity.defn(name="note")
async def note(value: bool) -> bool:  # noqa: FBT001 - Temporal passes by position
    """The value."""
    return value
