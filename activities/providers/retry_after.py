"""`Retry-After`: how long a service asks to be left alone, in seconds or as an HTTP date."""

from __future__ import annotations

import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

LONGEST_S = 300.0
"""More than five minutes is longer than a half is tried at all; the rest is the reconciler's to wait."""


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Seconds from now, 0 to LONGEST_S; None where the header is missing or makes no sense."""
    said = next((value for name, value in headers.items() if name.lower() == "retry-after"), "").strip()
    if said.isascii() and said.isdigit():
        return min(float(said), LONGEST_S)
    try:
        return min(max(parsedate_to_datetime(said).timestamp() - time.time(), 0.0), LONGEST_S)
    except ValueError:
        return None
