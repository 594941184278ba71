"""Queries: the log in pages, the proposal only while it stands, the transcript never too large."""

import pytest
from temporalio.client import WorkflowQueryFailedError

from activities.models.model import Reply
from saga.turn import ProposedCall
from tests.workflows.plan import draft, goods, hold, ticket

LIMIT = 256_000


async def test_the_log_comes_in_pages_in_the_order_of_the_steps(lab):
    run = await lab.start("run-b")
    await lab.proposal(run)
    whole = await lab.rows(run)
    assert [row["step_idx"] for row in whole] == list(range(8))
    assert await run.query("saga_log", {"after": 5}) == whole[6:]
    assert await run.query("saga_log", {"limit": 2}) == whole[:2]
    assert await run.query("saga_log", {"after": 1, "limit": 3}) == whole[2:5]
    assert await run.query("saga_log", {"after": 7}) == []
    assert await run.query("saga_log", None) == whole
    await lab.decide(run, "reject")
    await lab.end(run)
    await lab.check(run)


async def test_a_row_has_every_field_that_was_promised(lab, plans):
    run = await lab.start("run-1", plans.make([hold()]))
    await lab.proposal(run)
    row, commit_half = await lab.rows(run)
    promised = (
        "run_id step_idx tool tool_class target idempotency_key args status external_ref result error compensation "
        "correction audience depends_on attempts approved_by repeats waived execution facts created_at updated_at"
    )
    assert list(row)[:23] == promised.split()
    assert {"identity", "clock_s", "grade", "commits"} <= set(row["facts"])
    undo = ("tool", "args", "idempotency_key", "status", "external_ref", "error", "attempts", "approved_by")
    assert set(undo) <= set(row["compensation"])
    assert row["compensation"]["args"] == {"authorisation_key": row["idempotency_key"]}
    assert commit_half["args"]["authorisation_key"] == row["idempotency_key"]
    assert (commit_half["status"], commit_half["depends_on"]) == ("QUEUED", [0])
    await lab.decide(run, "reject")
    await lab.end(run)
    await lab.check(run)


async def test_there_is_a_proposal_only_while_it_stands(lab, plans):
    await lab.fault("warehouse", "reserve", "after:slow:0.5")
    run = await lab.start("run-1", plans.make([goods()]))
    await lab.until(run, lambda _: True)
    assert await run.query("proposal") == {"digest": None}
    proposal = await lab.proposal(run)
    assert len(proposal["digest"]) == 16
    assert {(await run.query("proposal"))["digest"] for _ in range(5)} == {proposal["digest"]}
    await lab.decide(run, "approve")
    await lab.end(run)
    assert await run.query("proposal") == {"digest": None}
    await lab.check(run)


async def test_the_status_says_where_the_run_stands_at_every_moment(lab):
    run = await lab.start("run-b", approval_timeout_s=600)
    status = await lab.until(run, lambda now: now["deadline"] is not None)
    assert list(status)[:7] == [
        "phase", "why", "unsettled", "irreversible_before_pivot", "reordered", "needs_human", "deadline",
    ]  # fmt: skip
    assert (status["phase"], status["unsettled"], status["needs_human"]) == ("AWAITING_APPROVAL", 0, [])
    assert status["deadline"] == (await run.query("proposal"))["deadline"]
    await lab.decide(run, "approve")
    await lab.end(run)
    status = await run.query("status")
    assert (status["phase"], status["why"], status["deadline"]) == ("COMMITTED", "4 commits", None)
    await lab.check(run)


async def test_the_transcript_is_what_the_model_was_given(lab, plans):
    plan = plans.make([ticket()], [draft()])
    run = await lab.start("run-1", plan)
    await lab.proposal(run)
    turns = await run.query("transcript")
    assert [[call["tool"] for call in turn["calls"]] for turn in turns] == [["create_ticket"], ["draft_email"], []]
    assert await run.query("transcript", {"upto": 2}) == turns[:2]
    assert await run.query("transcript", {"upto": 0}) == []
    given = [turn.model_dump(mode="json") for turn in plans[plan].asked[2].transcript]
    assert given == turns[:2]
    await lab.decide(run, "reject")
    await lab.end(run)
    await lab.check(run)


async def test_a_transcript_is_never_larger_than_a_query_may_carry_and_the_newest_turns_stay_whole(lab, plans):
    """The words of a model that writes Japanese are three bytes each (T32)."""
    calls = tuple(
        ProposedCall(call_id=f"c{each}", tool="no_such_tool", args={"text": "あ" * 1000}) for each in range(10)
    )
    plan = plans.make(*[Reply(text="あ" * 3000, calls=calls)] * 12, [ticket()])
    run = await lab.start("run-1", plan)
    assert await lab.end(run) == "COMMITTED"
    largest = max(sum(len(turn.model_dump_json().encode()) for turn in ask.transcript) for ask in plans[plan].asked)
    assert 100_000 < largest < LIMIT
    turns = await run.query("transcript")
    assert [call["tool"] for call in turns[12]["calls"]] == ["create_ticket"]
    assert turns[12]["told"][0]["external_ref"] == "SUP-1"
    assert [told["outcome"] for told in turns[0]["told"]] == ["denied"] * 10
    await lab.check(run)


UNFIT = [
    ("saga_log", {"after": -2}, "after: Input should be greater than or equal to -1"),
    ("saga_log", {"limit": 0}, "limit: Input should be greater than or equal to 1"),
    ("saga_log", {"limit": 501}, "limit: Input should be less than or equal to 500"),
    ("saga_log", {"after": "3"}, "after: Input should be a valid integer"),
    ("saga_log", {"form": 3}, "form: Extra inputs are not permitted"),
    ("saga_log", [3], "expected one JSON object with after, limit"),
    ("transcript", {"upto": -1}, "upto: Input should be greater than or equal to 0"),
    ("transcript", 3, "expected one JSON object with upto"),
]


async def test_a_query_that_does_not_fit_is_told_what_is_allowed_and_wedges_nothing(lab, plans):
    run = await lab.start("run-1", plans.make([hold()]))
    await lab.proposal(run)
    for query, payload, why in UNFIT:
        with pytest.raises(WorkflowQueryFailedError, match=why):
            await run.query(query, payload)
    await lab.decide(run, "approve")
    assert await lab.end(run) == "COMMITTED"
    await lab.check(run)
