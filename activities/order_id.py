"""An order's number as every tool takes it: "#1182" and " 1182" are "1182", so that they are one order."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field


def _bare(typed: Any) -> Any:
    return typed.strip().removeprefix("#").strip() if isinstance(typed, str) else typed


OrderId = Annotated[
    str,
    BeforeValidator(_bare),
    # It goes into metadata, headers and addresses unescaped. 64 characters are twice a UUID without dashes.
    Field(pattern=r"^[A-Za-z0-9_-]{1,64}$", description='the order\'s number, such as "1182"'),
]
"""Text; a number (1182) is refused like any other wrong type."""
