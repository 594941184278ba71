"""`Retry-After` in both its forms, and what is neither."""

import time
from email.utils import formatdate

import pytest

from activities.providers.retry_after import LONGEST_S, retry_after_s


@pytest.mark.parametrize(
    ("header", "low", "high"),
    [
        ("7", 7, 7),
        ("0", 0, 0),
        ("86400", LONGEST_S, LONGEST_S),
        (formatdate(time.time() + 90, usegmt=True), 1, 90),
        (formatdate(time.time() - 90, usegmt=True), 0, 0),
        (formatdate(time.time() + 86_400, usegmt=True), LONGEST_S, LONGEST_S),
    ],
)
def test_seconds_and_dates_are_read_and_bounded(header: str, low: float, high: float):
    wish = retry_after_s({"Retry-After": header})
    assert wish is not None
    assert low <= wish <= high


@pytest.mark.parametrize("headers", [{}, *({"retry-after": text} for text in ("soon", "-3", "1.5", "", "32 Foo 2026"))])
def test_nonsense_is_no_wish(headers: dict[str, str]):
    assert retry_after_s(headers) is None
