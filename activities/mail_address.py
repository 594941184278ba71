"""A mail address as every tool takes it: bare, without blanks around it, in lower case."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field


def _bare(typed: Any) -> Any:
    return typed.strip().lower() if isinstance(typed, str) else typed


MailAddress = Annotated[
    str,
    BeforeValidator(_bare),
    Field(
        # One address, nothing that a header could be made of. 254 is the longest that SMTP carries (RFC 5321).
        pattern=r"^[^@\s<>,;:\"]+@[^@\s<>,;:\"]+\.[^@\s<>,;:\".]+$",
        max_length=254,
        description="one bare mail address",
    ),
]
"""Upper and lower case are one mailbox everywhere in practice, though RFC 5321 lets the part before the @ differ."""
