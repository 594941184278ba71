"""`Retry-After` in both its forms, and what is neither."""

import time
from email.utils import formatdate

import pytest

from activities.providers.retry_after import LONGEST_S, retry_after_s


@pytest.mark.parametrize(("header", "wait"), [("7", 7), ("0", 0), ("86400", LONGEST_S)])
def test_seconds_are_read_and_bounded(header: str, wait: float):
    """T15."""
    assert retry_after_s({"Retry-After": header}) == wait


@pytest.mark.parametrize(("ahead_s", "low", "high"), [(90, 1, 90), (-90, 0, 0), (86_400, LONGEST_S, LONGEST_S)])
def test_dates_are_read_and_bounded(ahead_s: int, low: float, high: float):
    """T15."""
    wish = retry_after_s({"Retry-After": formatdate(time.time() + ahead_s, usegmt=True)})
    assert wish is not None
    assert low <= wish <= high


@pytest.mark.parametrize("headers", [{}, *({"retry-after": text} for text in ("soon", "-3", "1.5", "", "32 Foo 2026"))])
def test_nonsense_is_no_wish(headers: dict[str, str]):
    """T15."""
    assert retry_after_s(headers) is None
