"""What a step's effect is called by: the id that the service gave it, or the key of the step that made it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

Reference = Annotated[str, Field(pattern=r"^[a-z]{2,4}_[A-Za-z0-9]{1,60}$", description="the id that a step gave")]
"""`ws_…`, `prj_…`, `rsv_…`: they go into addresses."""

StepKey = Annotated[str, Field(min_length=1, max_length=64, description="the key of the step that made it")]
"""Ours are 32 hex digits; `{key}` stands there until the step has one."""
