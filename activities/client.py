"""A client's short name as every tool takes it: "Acme " and "acme" are one client."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field


def _bare(typed: Any) -> Any:
    return typed.strip().lower() if isinstance(typed, str) else typed


ClientName = Annotated[
    str,
    BeforeValidator(_bare),
    # It goes into addresses unescaped: what a host name's label may be, and not much longer than one is read.
    Field(pattern=r"^[a-z][a-z0-9-]{1,40}$", description='the client\'s short name, such as "acme"'),
]
