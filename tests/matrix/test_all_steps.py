"""Plans of all that an agent can do: each half refused, timed out, delivered twice, and cancelled at each moment."""

import pytest

from tests.matrix.house import KIT, KNOWN

pytestmark = pytest.mark.timeout(300)  # some twenty runs each


@pytest.mark.saga_faults(KIT, known=KNOWN, only=lambda each: each.whole)
def test_in_a_plan_of_all_steps_no_half_is_lost_or_doubled(saga_cell):
    saga_cell.run()
