"""Every fault at every call before the approval, at every ending: done once, or never, and nothing is left of it."""

import pytest

from tests.matrix.house import KIT, KNOWN

pytestmark = pytest.mark.timeout(300)  # some twenty runs each


def is_struck(each):
    return each.verb == "call" and not each.queued and not each.lookup and not each.whole


@pytest.mark.saga_faults(KIT, known=KNOWN, only=is_struck)
def test_a_call_that_is_struck_happens_once_or_never(saga_cell):
    saga_cell.run()
