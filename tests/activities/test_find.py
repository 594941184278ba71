"""The door `find`: what one look by key says, and what it never says."""

from typing import Any

import pytest
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from activities.find import LOOKUP_FAILED, Find, judge
from saga.doors import FindOrder
from saga.draft import Grade
from saga.errors import NotSent, Refused, Unanswered
from saga.outcome import Finding, Sighting
from saga.row import Half, Row
from tests.activities.shelf import Shelf
from tests.build import (
    EXECUTION,
    OTHER_EXECUTION,
    START,
    at,
    make_counter,
    make_registry,
    make_row,
    make_tool,
)

ROW = make_row(0, "UNKNOWN")


async def look(shelf: Shelf, row: Row = ROW, half: Half = "call", grade: Grade = "key_and_lookup") -> Finding:
    """What `find` says of that half."""
    lookup: dict[str, Any] = {} if "lookup" in grade else {"find": None, "person_answers": "the storekeeper knows"}
    door = Find(make_registry(make_tool(grade=grade, **lookup), counters=[make_counter()]), {"shelf": shelf})
    return await ActivityEnvironment().run(door.find, FindOrder(row=row, half=half, since=START))


async def test_nothing_under_the_key_is_only_what_this_look_saw():
    finding = await look(Shelf())
    assert (finding.kind, finding.receipt, finding.standing) == ("absent", None, False)


async def test_one_effect_under_the_key_is_found_with_what_the_answer_would_have_said():
    (shelf := Shelf()).put(ROW.idempotency_key)
    finding = await look(shelf)
    assert finding.receipt
    assert (finding.kind, finding.standing, finding.receipt.external_ref) == ("found", True, "box-0")


async def test_an_effect_under_another_key_is_nobodys():
    (shelf := Shelf()).put("f" * 32)
    assert (await look(shelf)).kind == "absent"


async def test_two_effects_of_one_key_are_never_taken_for_one():
    shelf = Shelf()
    for _ in range(2):
        shelf.put(ROW.idempotency_key)
    finding = await look(shelf)
    assert (finding.kind, finding.refs, finding.receipt) == ("two", ("box-0", "box-1"), None)
    assert "box-0, box-1" in finding.note


@pytest.mark.parametrize(
    ("state", "kind", "standing"),
    [
        ("standing", "found", True),
        ("undone", "found", False),
        ("pending", "pending", False),
        ("failed", "failed", False),
    ],
)
async def test_an_effect_is_told_with_the_state_it_is_in(state, kind, standing):
    (shelf := Shelf()).put(ROW.idempotency_key, state=state)
    finding = await look(shelf)
    assert (finding.kind, finding.standing) == (kind, standing)


async def test_an_effect_of_another_execution_is_not_ours_and_hides_behind_none_of_ours():
    shelf = Shelf()
    shelf.put(ROW.idempotency_key, execution=OTHER_EXECUTION)
    assert (await look(shelf)).kind == "foreign"
    shelf.put(ROW.idempotency_key)
    finding = await look(shelf)
    assert (finding.kind, finding.receipt) == ("foreign", None)
    assert "box-0" in finding.note


async def test_an_effect_that_names_no_owner_is_taken_for_ours():
    (shelf := Shelf()).put(ROW.idempotency_key, execution=None)
    assert (await look(shelf)).kind == "found"


@pytest.mark.parametrize(
    "error",
    [Unanswered("reset", code="reset"), NotSent("login", status=401, lasting=True), Refused("no such search")],
    ids=["reset", "401", "refused"],
)
async def test_a_look_that_could_not_be_made_is_never_an_absence(error):
    shelf = Shelf()
    shelf.look_error = error
    with pytest.raises(ApplicationError) as caught:
        await look(shelf)
    assert (caught.value.type, caught.value.non_retryable) == (LOOKUP_FAILED, False)
    assert caught.value.__suppress_context__


async def test_a_look_that_breaks_tells_history_nothing_of_what_it_held():
    """T37."""
    shelf = Shelf()
    shelf.look_error = KeyError("Authorization: Bearer 4242")
    with pytest.raises(ApplicationError) as caught:
        await look(shelf)
    assert caught.value.type == LOOKUP_FAILED
    assert "4242" not in str(caught.value)


async def test_what_cannot_be_looked_up_is_undecided_and_nobody_is_asked():
    finding = await look(shelf := Shelf(), grade="key")
    assert (finding.kind, shelf.looked) == ("undecided", [])
    assert "a person" in finding.note


@pytest.mark.parametrize(
    ("row", "half", "says"),
    [
        (make_row(0, "UNKNOWN", tool="burn_box"), "call", "burn_box is not a tool"),
        (make_row(0, "UNKNOWN", args={"shelf": "A1", "colour": "red"}), "call", "colour"),
        (make_row(0, "CONFIRMED", undoable=False), "compensation", "is not a counter-action"),
    ],
    ids=["no such tool", "arguments no longer fit", "no counter-action"],
)
async def test_what_this_worker_cannot_ask_is_undecided_and_never_absent(row, half, says):
    finding = await look(shelf := Shelf(), row=row, half=half)
    assert (finding.kind, shelf.looked) == ("undecided", [])
    assert says in finding.note


async def test_a_counter_action_is_looked_for_under_its_own_key():
    row = make_row(0, "CONFIRMED").move_undo("INTENDED", at(1)).move_undo("UNKNOWN", at(2))
    shelf = Shelf()
    shelf.put(row.idempotency_key)
    assert (await look(shelf, row=row, half="compensation")).kind == "absent"
    assert row.compensation
    shelf.put(row.compensation.idempotency_key)
    assert (await look(shelf, row=row, half="compensation")).kind == "found"


async def test_looking_never_writes():
    """T10, T31."""
    shelf = Shelf()
    for _ in range(3):
        await look(shelf)
    assert (shelf.sent, shelf.boxes, len(shelf.looked)) == ([], [], 3)


def sighting(state: str = "standing", execution: str | None = EXECUTION) -> Sighting:
    return Sighting.model_validate({"external_ref": "box-0", "state": state, "execution": execution})


@pytest.mark.parametrize(
    ("seen", "kind"),
    [
        ([], "absent"),
        ([sighting()], "found"),
        ([sighting("undone"), sighting()], "found"),
        ([sighting(), sighting()], "two"),
        ([sighting("failed"), sighting("pending")], "two"),
        ([sighting(execution=OTHER_EXECUTION)], "foreign"),
        ([sighting(), sighting(execution=OTHER_EXECUTION)], "foreign"),
    ],
    ids=["none", "one", "one of two undone", "two", "neither stands", "foreign", "ours and foreign"],
)
def test_sightings_of_one_key_amount_to_one_thing(seen, kind):
    assert judge(seen, EXECUTION).kind == kind
