"""A telephone number as every tool takes it: E.164, with the + and the country, and nothing that only people read."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

_BETWEEN = re.compile(r"[ \u00a0().\-/]")


def _bare(typed: Any) -> Any:
    return _BETWEEN.sub("", typed) if isinstance(typed, str) else typed


PhoneNumber = Annotated[
    str,
    BeforeValidator(_bare),
    Field(
        # ITU-T E.164: at most 15 digits, the first of the country's code, none of which begins with 0. Fewer than
        # seven are no subscriber's anywhere. ASCII digits only: a pattern's \d takes those of every script.
        pattern=r"^\+[1-9][0-9]{6,14}$",
        description="a telephone number with + and the country's code, such as +4915112345678",
    ),
]
"""A number without its country is refused, not guessed at: it is somebody's somewhere else."""
