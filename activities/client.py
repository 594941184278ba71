"""A client's short name as every tool takes it: it stands in addresses and in what people read."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

Client = Annotated[
    str,
    # It goes into addresses unescaped. 41 characters are what a host name's part leaves room for.
    Field(pattern=r"^[a-z][a-z0-9-]{1,40}$", description='the client\'s short name, such as "acme"'),
]
"""Small letters, digits and dashes. "Acme" is refused, not guessed at: it may be another client's name."""
