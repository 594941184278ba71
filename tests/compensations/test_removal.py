"""Every counter-action that takes something out of a workspace again, against the sandbox."""

import pytest

from compensations.delete_project import DELETE_PROJECT
from saga.errors import NotSent, ProviderError, Refused, Unanswered
from tests.activities.outside import EXECUTION, KEY, OTHER_KEY, UNDO_KEY, Outside, call, look
from tests.activities.things import EACH, LOST, PROJECT, PUTS, Put

ON_A_PROJECT = pytest.mark.parametrize(
    "thing", [each for each in PUTS if each.inside == "projects"], ids=["repository", "team"]
)


def state(outside: Outside, thing: Put) -> str:
    """What became of the one that was put there under KEY."""
    (effect,) = [each for each in outside.effects(thing.effect) if each.key == KEY]
    return effect.state


@EACH
async def test_it_is_taken_away_under_the_counter_actions_key(outside: Outside, thing: Put):
    made = await thing.put(outside)
    assert await look(thing.counter, outside.workspaces("workspaces-read"), thing.undo(made)) == []
    receipt = await thing.counter.perform(outside.workspaces(), thing.undo(made))
    (undoing,) = outside.effects(thing.undoing)
    assert (state(outside, thing), undoing.key, undoing.about["undoes"]) == ("undone", UNDO_KEY, made.external_ref)
    assert (receipt.external_ref, receipt.execution) == (made.external_ref, EXECUTION)
    assert "already" not in receipt.result
    (seen,) = await look(thing.counter, outside.workspaces("workspaces-read"), thing.undo(made))
    assert (seen.state, "already" in seen.result) == ("standing", False)


@EACH
async def test_t29_again_is_once_under_whatever_key(outside: Outside, thing: Put):
    made = await thing.put(outside)
    for key in (UNDO_KEY, UNDO_KEY, OTHER_KEY):
        await thing.counter.perform(outside.workspaces(), thing.undo(made, key))
    assert len(outside.effects(thing.undoing)) == 1


@EACH
@LOST
async def test_a_lost_answer_is_unknown_and_found(outside: Outside, thing: Put, fault: str):
    made = await thing.put(outside)
    before = len(outside.sent("workspaces"))
    outside.arm("workspaces", thing.operation, fault)
    with pytest.raises(Unanswered):
        await thing.counter.perform(outside.workspaces(), thing.undo(made))
    assert len(outside.sent("workspaces")) == before + 1
    (seen,) = await look(thing.counter, outside.workspaces("workspaces-read"), thing.undo(made))
    assert (seen.state, "already" in seen.result, state(outside, thing)) == ("standing", False, "undone")


@EACH
@pytest.mark.parametrize("fault", ["before:503", "before:reset", "refuse:500"])
async def test_no_answer_and_nothing_done_is_unknown_and_not_found(outside: Outside, thing: Put, fault: str):
    made = await thing.put(outside)
    outside.arm("workspaces", thing.operation, fault)
    with pytest.raises(Unanswered):
        await thing.counter.perform(outside.workspaces(), thing.undo(made))
    assert state(outside, thing) == "standing"
    assert await look(thing.counter, outside.workspaces("workspaces-read"), thing.undo(made)) == []


@EACH
async def test_what_somebody_else_took_away_is_taken_away_already(outside: Outside, thing: Put):
    made = await thing.put(outside)
    await thing.taken_away(outside, made.external_ref)
    before = len(outside.sent("workspaces"))
    (seen,) = await look(thing.counter, outside.workspaces("workspaces-read"), thing.undo(made))
    assert (seen.state, seen.result["already"]) == ("standing", True)
    receipt = await thing.counter.perform(outside.workspaces(), thing.undo(made))
    assert (receipt.found, receipt.result["already"]) == (True, True)
    assert len(outside.sent("workspaces")) == before
    assert len(outside.effects(thing.undoing)) == 1


@EACH
async def test_what_the_service_does_not_know_is_taken_away_already(outside: Outside, thing: Put):
    made = (await thing.put(outside)).model_copy(update={"external_ref": "xxx_unknown"})
    (seen,) = await look(thing.counter, outside.workspaces("workspaces-read"), thing.undo(made))
    assert (seen.external_ref, seen.result["already"]) == ("xxx_unknown", True)
    assert (await thing.counter.perform(outside.workspaces(), thing.undo(made))).result["already"] is True
    assert state(outside, thing) == "standing"


@EACH
async def test_a_404_counts_only_if_it_is_gone(outside: Outside, thing: Put):
    made = await thing.put(outside)
    outside.arm("workspaces", thing.operation, "refuse:404")
    with pytest.raises(Refused):
        await thing.counter.perform(outside.workspaces(), thing.undo(made))
    assert state(outside, thing) == "standing"


@EACH
async def test_without_a_reference_it_is_found_by_key_or_not_at_all(outside: Outside, thing: Put):
    with pytest.raises(NotSent):
        await thing.counter.perform(outside.workspaces(), thing.undo(None))
    await thing.put(outside)
    await thing.counter.perform(outside.workspaces(), thing.undo(None))
    assert state(outside, thing) == "undone"


@EACH
async def test_a_reference_to_what_the_step_did_not_make_takes_nothing_away(outside: Outside, thing: Put):
    other = await thing.tool.perform(outside.workspaces(), await thing.asked(outside, OTHER_KEY, **thing.changes))
    with pytest.raises(NotSent) as error:
        await thing.counter.perform(outside.workspaces(), thing.undo(other))
    assert error.value.lasting
    assert outside.effects(thing.undoing) == []


@EACH
@pytest.mark.parametrize("fault", ["before:503", "after:blank200", "after:html200", "refuse:401"])
async def test_a_look_that_fails_is_an_error_and_never_an_absence(outside: Outside, thing: Put, fault: str):
    made = await thing.put(outside)
    await thing.counter.perform(outside.workspaces(), thing.undo(made))
    outside.arm("workspaces", "read", fault)
    with pytest.raises(ProviderError):
        await look(thing.counter, outside.workspaces("workspaces-read"), thing.undo(made))


@ON_A_PROJECT
async def test_a_project_goes_after_what_hangs_on_it_and_not_before(outside: Outside, thing: Put):
    project = await PROJECT.put(outside)
    hanging = await thing.asked(outside)
    hanging_args = hanging.args.model_copy(update={"project_id": project.external_ref})
    made = await thing.tool.perform(outside.workspaces(), call(hanging_args, OTHER_KEY))
    undo = PROJECT.undo(project)
    with pytest.raises(Refused) as error:
        await DELETE_PROJECT.perform(outside.workspaces(), undo)
    assert error.value.code == "has_dependents"
    assert (state(outside, PROJECT), outside.effects("project.delete")) == ("standing", [])
    assert await look(DELETE_PROJECT, outside.workspaces("workspaces-read"), undo) == []
    await thing.taken_away(outside, made.external_ref)
    await DELETE_PROJECT.perform(outside.workspaces(), undo)
    assert state(outside, PROJECT) == "undone"


async def test_a_project_that_somebody_else_uses_stays_for_a_person(outside: Outside):
    project = await PROJECT.put(outside)
    await outside.act("workspaces", project.external_ref, "use")
    with pytest.raises(Refused) as error:
        await DELETE_PROJECT.perform(outside.workspaces(), PROJECT.undo(project))
    assert (error.value.code, state(outside, PROJECT)) == ("has_dependents", "standing")


@pytest.mark.parametrize("record_first", [True, False])
async def test_a_file_that_goes_before_its_record_leaves_it_dangling(outside: Outside, record_first: bool):
    """Why a record names its file, though it may have come first."""
    record, file = (next(each for each in PUTS if each.kind == kind) for kind in ("records", "files"))
    entry = await record.tool.perform(outside.workspaces(), await record.asked(outside, OTHER_KEY))
    made = await file.put(outside)
    if record_first:
        await record.taken_away(outside, entry.external_ref)
    await file.counter.perform(outside.workspaces(), file.undo(made))
    (effect,) = outside.effects("file.delete")
    assert effect.about["dangling"] is not record_first


@pytest.mark.parametrize("kind", ["projects", "files", "records"])
async def test_what_a_person_deleted_by_hand_is_gone_already(outside: Outside, kind: str):
    thing = next(each for each in PUTS if each.kind == kind)
    made = await thing.put(outside)
    await outside.act("workspaces", made.external_ref, "delete")
    receipt = await thing.counter.perform(outside.workspaces(), thing.undo(made))
    assert receipt.result["already"] is True
    assert [each.key for each in outside.effects(thing.undoing)] in ([], [None])
