"""Every fault at every counter-action, at every ending that turns a run back: undone once, whatever answered."""

import pytest

from tests.matrix.house import KIT, KNOWN

pytestmark = pytest.mark.timeout(300)  # some twenty runs each


def is_struck(each):
    return each.verb == "compensation" and not each.lookup and not each.whole


@pytest.mark.saga_faults(KIT, known=KNOWN, only=is_struck)
def test_an_undo_that_is_struck_is_done_once(saga_cell):
    saga_cell.run()
