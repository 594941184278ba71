"""Every fault at what runs after the approval: not at all, or forward to its end."""

import pytest

from tests.matrix.house import KIT, KNOWN

pytestmark = pytest.mark.timeout(300)  # some twenty runs each


def is_struck(each):
    return (each.verb == "commit" or each.queued) and not each.whole


@pytest.mark.saga_faults(KIT, known=KNOWN, only=is_struck)
def test_after_the_approval_it_goes_forward_or_nothing_happened(saga_cell):
    saga_cell.run()
