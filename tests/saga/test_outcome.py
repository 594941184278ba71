"""What a lookup saw, read as what the provider would have answered."""

import pytest

from saga.outcome import Sighting
from tests.build import EXECUTION, START


@pytest.mark.parametrize("state", ["standing", "undone", "pending", "failed"])
def test_a_sighting_says_what_the_lost_answer_would_have_said(state):
    seen = Sighting(external_ref="box-1", state=state, result={"shelf": "A1"}, execution=EXECUTION, holds_until=START)
    receipt = seen.receipt()
    assert (receipt.external_ref, receipt.result, receipt.execution) == ("box-1", {"shelf": "A1"}, EXECUTION)
    assert receipt.holds_until == START
    assert receipt.pending == (state == "pending")


def test_an_effect_that_names_no_owner_is_not_said_to_have_one():
    assert Sighting(external_ref="box-1", state="standing").receipt().execution is None
