"""How a run ended is read from the server: what a reviewer struck counts though nobody was told that it did."""

from tests.build import make_row
from tests.workers.test_consent import YES, update
from workers.chaos.ending import struck

ROWS = [make_row(0, tool="draft_email"), make_row(1, tool="send_draft")]
BACK = {**YES, "decision": "send_back", "strike": [1]}


def test_what_was_struck_is_what_the_run_has_heard():
    assert struck([update("decide_pivot", BACK)], ROWS) == {"send_draft"}


def test_what_never_reached_the_run_and_what_strikes_nothing_are_not():
    others = [update("decide_pivot", YES), update("decide_pivot", {**BACK, "strike": []}), update("cancel_run", BACK)]
    assert struck(others, ROWS) == struck([], ROWS) == frozenset()
