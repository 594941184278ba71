"""Every fault at the lookups of counter-actions whose answers were lost: one undo, and no second."""

import pytest

from tests.matrix.house import KIT, KNOWN

pytestmark = pytest.mark.timeout(300)  # some twenty runs each


@pytest.mark.saga_faults(KIT, known=KNOWN, only=lambda each: each.verb == "compensation" and each.lookup)
def test_an_undo_that_cannot_be_seen_is_not_done_twice(saga_cell):
    saga_cell.run()
