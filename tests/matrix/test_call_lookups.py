"""Every fault at the lookups of calls whose answers were lost: no absence is concluded, and no second effect made."""

import pytest

from tests.matrix.house import KIT, KNOWN

pytestmark = pytest.mark.timeout(300)  # some twenty runs each


@pytest.mark.saga_faults(KIT, known=KNOWN, only=lambda each: each.verb == "call" and not each.queued and each.lookup)
def test_a_call_that_cannot_be_seen_is_not_taken_for_absent(saga_cell):
    saga_cell.run()
