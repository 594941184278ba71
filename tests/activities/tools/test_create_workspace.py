"""`create_workspace`, its commit half and its counter-action against the sandbox: pending until a person agreed."""

import httpx
import pytest

from activities.tools.activate_workspace import ACTIVATE_WORKSPACE, ActivateArgs
from activities.tools.create_workspace import CREATE_WORKSPACE, WorkspaceArgs
from compensations.abandon_workspace import ABANDON_WORKSPACE
from saga.errors import NotSent, Refused, Unanswered
from saga.outcome import Receipt
from saga.tool import Call
from tests.activities.outside import EXECUTION, RUN, UNDO_KEY, Outside, call, look
from tests.activities.seats import COMMIT_KEY, LOST, NEVER, READS, WORKSPACE_KEY, undoing, workspace

ARGS = WorkspaceArgs(client="acme")
MONTH_S = 30 * 86_400


def opening(made: Receipt | None = None) -> Call[ActivateArgs]:
    upstream = {WORKSPACE_KEY: made.external_ref} if made else {}
    return call(ActivateArgs(workspace_key=WORKSPACE_KEY, client="acme"), COMMIT_KEY, upstream=upstream)


async def sold(outside: Outside) -> list[str]:
    """The workspaces that the sales view shows."""
    headers = {"Authorization": f"Bearer {READS}"}
    async with httpx.AsyncClient(base_url=outside.sandbox.url, headers=headers) as client:
        said = (await client.get("/workspaces/v1/sales")).json()
    return [each["workspace_id"] for each in said["data"]]


async def test_it_is_pending_and_nobody_sees_it(outside: Outside):
    made = await workspace(outside)
    (effect,) = outside.effects()
    assert (effect.kind, effect.ref, effect.run, effect.execution) == (
        "workspace.create",
        made.external_ref,
        RUN,
        EXECUTION,
    )
    assert (effect.audience, made.execution) == (["agent"], EXECUTION)
    assert await sold(outside) == []
    assert (await workspace(outside)).external_ref == made.external_ref
    assert len(outside.effects()) == 1


async def test_activated_it_is_seen_and_once(outside: Outside):
    made = await workspace(outside)
    assert await look(ACTIVATE_WORKSPACE, outside.workspaces(READS), opening(made)) == []
    first = await ACTIVATE_WORKSPACE.perform(outside.workspaces(), opening(made))
    again = await ACTIVATE_WORKSPACE.perform(outside.workspaces(), opening(made))
    assert (first.external_ref, again.found, "already" in again.result) == (made.external_ref, True, False)
    assert [each.key for each in outside.effects("workspace.activate")] == [COMMIT_KEY]
    assert await sold(outside) == [made.external_ref]
    (seen,) = await look(ACTIVATE_WORKSPACE, outside.workspaces(READS), opening(made))
    assert (seen.state, seen.execution) == ("standing", EXECUTION)


@LOST
async def test_a_lost_answer_to_the_activation_is_unknown_and_found(outside: Outside, fault: str):
    made = await workspace(outside)
    outside.arm("workspaces", "confirm", fault)
    with pytest.raises(Unanswered):
        await ACTIVATE_WORKSPACE.perform(outside.workspaces(), opening(made))
    assert len(await look(ACTIVATE_WORKSPACE, outside.workspaces(READS), opening(made))) == 1
    assert outside.sent("workspaces") == ["create", "confirm"]


@NEVER
async def test_no_answer_and_nothing_done_is_unknown_and_found_absent(outside: Outside, fault: str):
    made = await workspace(outside)
    outside.arm("workspaces", "confirm", fault)
    with pytest.raises(Unanswered):
        await ACTIVATE_WORKSPACE.perform(outside.workspaces(), opening(made))
    if not fault.startswith("outage"):
        assert await look(ACTIVATE_WORKSPACE, outside.workspaces(READS), opening(made)) == []
    assert outside.effects("workspace.activate") == []


async def test_one_that_somebody_closed_is_never_activated(outside: Outside):
    made = await workspace(outside)
    await outside.act("workspaces", made.external_ref, "close")
    with pytest.raises(Refused) as error:
        await ACTIVATE_WORKSPACE.perform(outside.workspaces(), opening(made))
    assert (error.value.code, error.value.remembered) == ("workspace_abandoned", True)
    with pytest.raises(Refused) as error:
        await CREATE_WORKSPACE.perform(outside.workspaces(), call(ARGS, WORKSPACE_KEY))
    assert (error.value.code, error.value.remembered) == ("workspace_abandoned", True)
    assert await look(ACTIVATE_WORKSPACE, outside.workspaces(READS), opening(made)) == []
    assert await sold(outside) == []


async def test_activated_by_a_person_is_activated_and_says_so(outside: Outside):
    made = await workspace(outside)
    stranger = call(opening().args, "d" * 32, upstream={WORKSPACE_KEY: made.external_ref})
    await ACTIVATE_WORKSPACE.perform(outside.workspaces(), stranger)
    receipt = await ACTIVATE_WORKSPACE.perform(outside.workspaces(), opening(made))
    assert (receipt.found, receipt.result["already"]) == (True, True)
    assert len(outside.effects("workspace.activate")) == 1


async def test_without_a_reference_the_staged_one_is_found_by_its_key(outside: Outside):
    made = await workspace(outside)
    assert (await ACTIVATE_WORKSPACE.perform(outside.workspaces(), opening())).external_ref == made.external_ref


@pytest.mark.parametrize("activated", [False, True])
async def test_undone_it_is_out_of_reach_and_twice_is_once(outside: Outside, activated: bool):
    made = await workspace(outside)
    if activated:
        await ACTIVATE_WORKSPACE.perform(outside.workspaces(), opening(made))
    half = undoing(COMMIT_KEY if activated else WORKSPACE_KEY, made)
    assert await look(ABANDON_WORKSPACE, outside.workspaces(READS), half) == []
    first = await ABANDON_WORKSPACE.perform(outside.workspaces(), half)
    again = await ABANDON_WORKSPACE.perform(outside.workspaces(), half)
    assert (first.found, again.found, "already" in again.result) == (False, True, False)
    assert outside.standing() == ["workspace.abandon"]
    assert [each.key for each in outside.effects("workspace.abandon")] == [UNDO_KEY]
    assert await sold(outside) == []
    (seen,) = await look(ABANDON_WORKSPACE, outside.workspaces(READS), half)
    assert seen.state == "standing"


@pytest.mark.parametrize("later_s", [0, MONTH_S + 1])
async def test_abandoned_by_a_person_or_cleaned_up_it_is_undone(outside: Outside, later_s: int):
    made = await workspace(outside)
    await outside.act("workspaces", made.external_ref, "close")
    outside.advance(later_s)
    (seen,) = await look(ABANDON_WORKSPACE, outside.workspaces(READS), undoing(WORKSPACE_KEY, made))
    receipt = await ABANDON_WORKSPACE.perform(outside.workspaces(), undoing(WORKSPACE_KEY, made))
    assert (seen.result["already"], receipt.result["already"], receipt.found) == (True, True, True)
    assert receipt.result["state"] == ("deleted" if later_s else "abandoned")
    assert "cancel" not in outside.sent("workspaces")


async def test_one_that_somebody_uses_stays_and_is_a_persons_matter(outside: Outside):
    made = await workspace(outside)
    await outside.act("workspaces", made.external_ref, "use")
    with pytest.raises(Refused) as error:
        await ABANDON_WORKSPACE.perform(outside.workspaces(), undoing(WORKSPACE_KEY, made))
    assert error.value.code == "workspace_in_use"
    assert await look(ABANDON_WORKSPACE, outside.workspaces(READS), undoing(WORKSPACE_KEY, made)) == []
    assert outside.standing() == ["workspace.create"]


@LOST
async def test_a_lost_answer_to_the_undo_is_unknown_and_found(outside: Outside, fault: str):
    made = await workspace(outside)
    outside.arm("workspaces", "cancel", fault)
    with pytest.raises(Unanswered):
        await ABANDON_WORKSPACE.perform(outside.workspaces(), undoing(WORKSPACE_KEY, made))
    assert len(await look(ABANDON_WORKSPACE, outside.workspaces(READS), undoing(WORKSPACE_KEY, made))) == 1
    assert len(outside.effects("workspace.abandon")) == 1


async def test_a_workspace_of_another_step_is_left_alone(outside: Outside):
    made = await workspace(outside)
    with pytest.raises(NotSent) as error:
        await ABANDON_WORKSPACE.perform(outside.workspaces(), undoing("d" * 32, made))
    assert error.value.lasting
    assert outside.standing() == ["workspace.create"]
