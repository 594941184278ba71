"""The approval is of one thing, by who may, once, in time; what does not fit changes nothing and says why."""

import asyncio

from temporalio.client import WorkflowUpdateFailedError

from tests.workflows.sight import refusal, world
from workflows.options import RUNS

STAGED = ["mail.draft standing", "ticket.create standing", "charge.authorise standing", "goods.reserve standing"]


async def approve_at_last(lab, run, by="bob"):
    """Whatever was tried before, nothing has changed and the run can still be approved."""
    assert await world(lab) == STAGED
    assert (await run.query("status"))["phase"] == "AWAITING_APPROVAL"
    await lab.decide(run, "approve", by=by)
    assert await lab.end(run) == "COMMITTED"
    assert len(await lab.effects(kind="charge.capture")) == 1
    rows = await lab.check(run)
    assert {row["approved_by"]["by"] for row in rows if row["approved_by"]} == {by}


UNFIT = [
    ({"digest": "0123456789abcdef"}, "digest: is not the digest of what stands now"),
    ({"digest": "0123456789ABCDEF"}, "digest: String should match pattern"),
    ({"digest": None}, "digest: Input should be a valid string"),
    ({"by": "ann"}, "by: who asked for the run may not approve it alone"),
    ({"by": ""}, "by: String should have at least 1 character"),
    ({"by": " "}, "by: String should match pattern"),
    ({"by": 7}, "by: Input should be a valid string"),
    ({"by": "b" * 201}, "by: String should have at most 200 characters"),
    ({"decision": "yes"}, "decision: Input should be 'approve', 'reject' or 'send_back'"),
    ({"decision": None}, "decision: Input should be 'approve', 'reject' or 'send_back'"),
    ({"strike": [1]}, "strike: goes only with send_back"),
    ({"strike": [True]}, "strike.0: Input should be a valid integer"),
    ({"decision": "send_back", "strike": [0]}, "strike: 0 is not one of the commits [1, 3, 5, 7]"),
    ({"decision": "send_back", "strike": [-1]}, "strike.0: Input should be greater than or equal to 0"),
    ({"decision": "send_back", "strike": "1"}, "strike: Input should be a valid list"),
    ({"decision": "send_back", "by": "ann"}, "by: who asked for the run may not approve it alone"),
    ({"note": "x" * 4001}, "note: String should have at most 4000 characters"),
    ({"comment": "yes"}, "comment: Extra inputs are not permitted"),
]
ODD = [[], [None], [{}], [[]], ["approve"], [1], [{"by": "bob"}, {"by": "bob"}]]


async def test_a_decision_that_does_not_fit_is_refused_with_the_field_and_the_reason(lab):
    """T21."""
    run = await lab.start("run-b")
    fits = {"decision": "approve", "digest": (await lab.proposal(run))["digest"], "by": "bob"}
    for change, why in UNFIT:
        assert (await refusal(run.execute_update("decide_pivot", {**fits, **change}))).startswith(why)
    await approve_at_last(lab, run)


async def test_an_update_with_no_payload_a_null_or_two_is_refused_and_wedges_nothing(lab):
    """T21."""
    run = await lab.start("run-b")
    await lab.proposal(run)
    for name in ("decide_pivot", "resolve_step", "retry_step", "waive_step", "cancel_run"):
        for payloads in ODD:
            assert await refusal(run.execute_update(name, args=payloads)) != ""
    await approve_at_last(lab, run)


async def test_a_signal_that_does_not_fit_changes_nothing_and_is_written_on_the_page(lab):
    """T21."""
    run = await lab.start("run-b")
    digest = (await lab.proposal(run))["digest"]
    fits = {"digest": digest, "by": "bob"}
    for payloads in ([], [None], [fits, fits], ["x"], [{}], [{**fits, "decision": "approve"}], [{**fits, "by": "ann"}]):
        await run.signal("approve_pivot", args=payloads)
    await run.signal("approve_pivot", {**fits, "digest": "0123456789abcdef"})
    await run.signal("reject_pivot", {"digest": digest})
    await run.signal("approve", fits)
    await run.signal("finish", args=[None, None])
    refused = (await run.query("status"))["refused"]
    assert len(refused) == 11
    assert refused[0] == "signal approve_pivot: expected one JSON object, got 0 payloads"
    assert "may not approve it alone" in refused[6]
    assert refused[9] == "signal approve: there is no such signal; approve_pivot and reject_pivot are"
    await approve_at_last(lab, run)


async def test_a_flood_of_forged_signals_is_kept_short(lab):
    """T21."""
    run = await lab.start("run-b")
    await lab.proposal(run)
    for number in range(30):
        await run.signal(f"forged-{number}-{'x' * 400}")
    refused = (await run.query("status"))["refused"]
    assert len(refused) == 20
    assert all(len(text) <= 300 for text in refused)
    await approve_at_last(lab, run)


async def test_a_decision_that_comes_before_there_is_anything_to_decide_is_refused(lab):
    """T20."""
    await lab.fault("warehouse", "reserve", "before:503")
    run = await lab.start("run-b")
    decision = {"decision": "approve", "digest": "0123456789abcdef", "by": "bob"}
    assert "nothing awaits approval: the run is STAGING" in await refusal(run.execute_update("decide_pivot", decision))
    await run.signal("approve_pivot", {"digest": "0123456789abcdef", "by": "bob"})
    await lab.proposal(run)
    await approve_at_last(lab, run)


async def test_the_second_decision_is_told_that_the_first_has_won(lab):
    """T20."""
    run = await lab.start("run-b")
    digest = (await lab.proposal(run))["digest"]
    status = await run.execute_update("decide_pivot", {"decision": "approve", "digest": digest, "by": "bob"})
    assert status["phase"] == "AWAITING_APPROVAL"
    for decision in ("approve", "reject"):
        why = await refusal(run.execute_update("decide_pivot", {"decision": decision, "digest": digest, "by": "carol"}))
        assert "nothing awaits approval" in why or "already decided: approve by bob" in why
    assert await lab.end(run) == "COMMITTED"
    rows = await lab.check(run)
    assert {row["approved_by"]["by"] for row in rows if row["approved_by"]} == {"bob"}


async def test_approved_and_rejected_in_one_workflow_task_one_counts_and_the_other_is_told(lab):
    """T20."""
    run = await lab.start("run-b")
    digest = (await lab.proposal(run))["digest"]
    await lab.end_work(RUNS)
    decisions = [
        {"decision": "approve", "digest": digest, "by": "bob"},
        {"decision": "reject", "digest": digest, "by": "carol"},
    ]
    asked = [run.execute_update("decide_pivot", decision) for decision in decisions]
    answers = asyncio.gather(*asked, return_exceptions=True)
    await asyncio.sleep(0.1)  # both are on their way
    await lab.begin_work(RUNS)
    refused = [isinstance(each, WorkflowUpdateFailedError) for each in await answers]
    assert sorted(refused) == [False, True]
    end = await lab.end(run)
    assert end == ("RunUnwound" if refused[0] else "COMMITTED")
    assert len(await lab.effects(kind="charge.capture")) == (end == "COMMITTED")
    await lab.check(run)


async def test_only_those_on_the_list_may_approve_and_anybody_may_reject(lab):
    run = await lab.start("run-b", approvers=["carol", "dave"])
    why = await refusal(lab.decide(run, "approve", by="bob"))
    assert why == "by: bob is not an approver of this run (carol, dave)"
    assert await world(lab) == STAGED
    await lab.decide(run, "reject", by="ann")
    assert await lab.end(run) == "RunUnwound"
    await lab.check(run)


async def test_who_asked_may_approve_where_the_list_says_so(lab):
    run = await lab.start("run-b", approvers=["ann"])
    await lab.proposal(run)
    await approve_at_last(lab, run, by="ann")
