"""What does not fit a gate changes nothing and says why; the first decision counts; the page has what to paste."""

import asyncio
import json

import pytest
from temporalio.client import WorkflowUpdateFailedError

from tests.workflows.club import approve, rung, say
from tests.workflows.sight import needs, refusal
from workflows.options import RUNS

BELL = say("ring_bell", to="everybody")


async def decide(run, need, **more):
    order = {"step_idx": 1, "decision": "approve", "digest": need["digest"], "by": "bob", "note": "", **more}
    return await run.execute_update("decide_gate", order)


UNFIT = [
    ({"digest": "0123456789abcdef"}, "digest: is not the digest of what waits at step 1"),
    ({"digest": "yes"}, "digest: String should match pattern"),
    ({"digest": None}, "digest: Input should be a valid string"),
    ({"step_idx": 0}, "step_idx: step 0 open_room is CONFIRMED; it is not decided on by itself"),
    ({"step_idx": 7}, "step_idx: there are steps 0 to 1"),
    ({"step_idx": "1"}, "step_idx: Input should be a valid integer"),
    ({"step_idx": True}, "step_idx: Input should be a valid integer"),
    ({"step_idx": -1}, "step_idx: Input should be greater than or equal to 0"),
    ({"by": "ann"}, "by: who asked for the run may not approve it alone"),
    ({"by": ""}, "by: String should have at least 1 character"),
    ({"decision": "send_back"}, "decision: Input should be 'approve' or 'reject'"),
    ({"note": "x" * 4001}, "note: String should have at most 4000 characters"),
    ({"strike": [1]}, "strike: Extra inputs are not permitted"),
]


async def test_what_does_not_fit_changes_nothing_and_says_why(hall, plans):
    run = await hall.run(plans.make([say("open_room")], [BELL]))
    need = await needs(hall, run, "gate")
    rows = await hall.rows(run)
    for wrong, why in UNFIT:
        assert (await refusal(decide(run, need, **wrong))).startswith(why)
    for payloads in ([], [None], [need["digest"]], [{}, {}]):
        await refusal(run.execute_update("decide_gate", args=payloads))
    for update in ("retry_step", "waive_step"):
        order = {"step_idx": 1, "half": "call", "by": "bob"}
        assert "step 1" in await refusal(run.execute_update(update, order))
    pivot = {"decision": "approve", "digest": need["digest"], "by": "bob"}
    assert "nothing awaits approval" in await refusal(run.execute_update("decide_pivot", pivot))
    assert (rung(hall), await hall.rows(run)) == (0, rows)
    await decide(run, need)
    assert await hall.end(run) == "COMMITTED"
    assert rung(hall) == 1
    await hall.check(run)


async def test_only_those_on_the_list_may_approve(hall, plans):
    run = await hall.run(plans.make([say("open_room")], [BELL]), approvers=["ann", "carol"])
    need = await needs(hall, run, "gate")
    assert await refusal(decide(run, need)) == "by: bob is not an approver of this run (ann, carol)"
    await decide(run, need, by="ann")
    assert await hall.end(run) == "COMMITTED"
    assert (await hall.check(run))[1]["approved_by"]["by"] == "ann"


async def test_the_second_decision_is_told_that_the_first_has_won(hall, plans):
    """T20: the run goes on to the pivot, which is another matter, with a digest of its own."""
    run = await hall.run(plans.make([say("open_room")], [BELL], [say("send_card")]))
    need = await needs(hall, run, "gate")
    await approve(hall, run, 1)
    for decision in ("approve", "reject"):
        why = await refusal(decide(run, need, decision=decision, by="carol"))
        assert why == "already decided: approve by bob"
    assert (await hall.proposal(run))["digest"] != need["digest"]
    await hall.decide(run, "approve")
    assert await hall.end(run) == "COMMITTED"
    rows = await hall.check(run)
    assert [row["approved_by"] and row["approved_by"]["gate"] for row in rows] == [None, True, False]
    assert (await run.result())["commits"] == 1


async def test_approved_and_rejected_in_one_workflow_task_one_counts_and_the_other_is_told(hall, plans):
    """T20."""
    run = await hall.run(plans.make([say("open_room")], [BELL]))
    need = await needs(hall, run, "gate")
    await hall.end_work(RUNS)
    asked = [decide(run, need), decide(run, need, decision="reject", by="carol")]
    answers = asyncio.gather(*asked, return_exceptions=True)
    await asyncio.sleep(0.1)  # both are on their way
    await hall.begin_work(RUNS)
    refused = [isinstance(each, WorkflowUpdateFailedError) for each in await answers]
    assert sorted(refused) == [False, True]
    assert await hall.end(run) == "COMMITTED"
    assert rung(hall) == refused[1]
    await hall.check(run)


@pytest.mark.parametrize("decision", ["approve", "reject"])
async def test_after_a_cancel_it_is_too_late(hall, plans, decision):
    run = await hall.run(plans.make([say("open_room")], [BELL]))
    need = await needs(hall, run, "gate")
    hall.hall.armed.append(("undo room", "refuse", 3))
    await run.execute_update("cancel_run", {"by": "ann"})
    await needs(hall, run, "undo_failed")
    assert "the run has turned round" in await refusal(decide(run, need, decision=decision))
    await run.execute_update("retry_step", {"step_idx": 0, "half": "compensation", "by": "bob"})
    await run.cancel()
    await hall.end(run)
    assert rung(hall) == 0
    await hall.check(run)


async def test_the_page_has_the_payload_that_can_be_pasted(hall, plans):
    run = await hall.run(plans.make([say("open_room")], [say("ring_bell", to="``` # all")]))
    need = await needs(hall, run, "gate")
    page = (await run.query("__temporal_workflow_metadata")).current_details
    blocks = [json.loads(block.partition("```")[0]) for block in page.split("```json\n")[1:]]
    assert blocks[0] == need["call"]["args"]
    assert await run.execute_update("decide_gate", {**blocks[1], "by": "bob"})
    assert await hall.end(run) == "COMMITTED"
    await hall.check(run)
