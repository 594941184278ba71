"""What the Web UI shows: summaries, search attributes, and a page that outside words cannot forge."""

from temporalio.api.sdk.v1 import WorkflowMetadata

from tests.lab import Handle
from tests.workflows.plan import draft, goods, hold, ticket
from tests.workflows.sight import needs, summaries, upserts

NEVER = 999


async def attributes(run: Handle) -> dict[str, object]:
    """The search attributes as the server has them now."""
    told = (await run.describe()).typed_search_attributes
    return {pair.key.name: pair.value for pair in told}


async def metadata(run: Handle) -> WorkflowMetadata:
    """The run's page, and what its queries, updates and signals say of themselves."""
    return await run.query("__temporal_workflow_metadata", result_type=WorkflowMetadata)


async def test_the_summary_of_each_activity_names_step_target_and_key(lab, plans):
    run = await lab.start("run-1", plans.make([("search_orders", {"order_id": "1182"}), hold()]))
    digest = (await lab.proposal(run))["digest"]
    await lab.decide(run, "reject")
    await lab.end(run)
    row = (await lab.check(run))[0]
    target = "5.00 EUR held from customer cus_1182 for order 1182"
    assert await summaries(run) == [
        "does the request fit, and is the id new?",
        "turn 0: ask plan:0",
        'read: search_orders {"order_id": "1182", "customer_id": null, "query": null}',
        f"step 0: authorise_payment → {target} · key {row['idempotency_key'][:8]}",
        "turn 1: ask plan:0",
        f"approval of {digest} expires",
        "was the run reset?",
        f"undo step 0: void_authorisation → {target} · key {row['compensation']['idempotency_key'][:8]}",
    ]


async def test_a_look_before_the_first_commit_and_a_pause_before_an_undo_are_explained(lab, plans):
    await lab.fault("payments", "cancel", "refuse:422")
    run = await lab.start("run-1", plans.make([hold(), goods()]))
    await lab.proposal(run)
    await lab.act("warehouse", (await lab.effects(kind="goods.reserve"))[0]["ref"], "expire")
    await lab.decide(run, "approve")
    await lab.end(run)
    told = await summaries(run)
    assert "before the first commit: does step 0 authorise_payment still stand?" in told
    assert "undo of step 0 was refused; once more after this" in told
    await lab.check(run)


async def test_search_attributes_are_written_only_when_one_changes_and_not_with_each_step(lab):
    run = await lab.start("run-b")
    await lab.proposal(run)
    assert await attributes(run) == {
        "SagaPhase": "AWAITING_APPROVAL",
        "SagaAgent": "refund",
        "SagaSubject": "1182",
        "SagaUnsettled": 0,
        "SagaNeedsHuman": True,
        "SagaIrreversibleBeforePivot": 0,
    }
    assert await upserts(run) == 2
    await lab.decide(run, "approve")
    await lab.end(run)
    assert (await attributes(run))["SagaPhase"] == "COMMITTED"
    assert await upserts(run) == 4
    await lab.check(run)


async def test_what_nobody_knows_and_who_is_needed_can_be_searched_for(lab, plans):
    await lab.fault("tickets", "create", "after:504")
    await lab.fault("tickets", "search", "before:503", skip=1, times=NEVER)
    run = await lab.start("run-1", plans.make([ticket()]))
    await lab.until(run, lambda status: status["unsettled"] == 1)
    told = await attributes(run)
    assert (told["SagaPhase"], told["SagaUnsettled"], told["SagaNeedsHuman"]) == ("STAGING", 1, False)
    await needs(lab, run, "unknown")
    told = await attributes(run)
    assert (told["SagaPhase"], told["SagaUnsettled"], told["SagaNeedsHuman"]) == ("NEEDS_HUMAN", 1, True)
    await lab.mend()
    await run.execute_update("retry_step", {"step_idx": 0, "half": "call", "by": "bob"})
    await lab.end(run)
    told = await attributes(run)
    assert (told["SagaPhase"], told["SagaUnsettled"], told["SagaNeedsHuman"]) == ("COMMITTED", 0, False)
    await lab.check(run)


async def test_an_unwind_does_not_write_search_attributes_with_each_undo(lab):
    run = await lab.start("run-c")
    await lab.decide(run, "reject")
    await lab.end(run)
    await lab.check(run)
    assert await upserts(run) <= 4


async def test_the_page_shows_the_decision_to_paste_and_outside_words_only_as_words(lab, plans):
    evil = "</div><script>alert(1)</script> | **approved** `x`\n\n# COMMITTED"
    run = await lab.start("run-1", plans.make([draft(subject=evil), hold()]))
    digest = (await lab.proposal(run))["digest"]
    await run.signal(evil, {"by": "bob"})
    page = (await metadata(run)).current_details
    assert page.startswith("**AWAITING_APPROVAL**")
    assert f'"digest": "{digest}"' in page
    assert "`decide_pivot`" in page
    assert "<script>" not in page
    assert "\n# COMMITTED" not in page
    assert "5.00 EUR" in page
    await lab.decide(run, "reject")
    await lab.end(run)
    await lab.check(run)


async def test_every_query_update_and_signal_says_what_it_takes(lab, plans):
    run = await lab.start("run-1", plans.make([]))
    await lab.end(run)
    told = (await metadata(run)).definition
    assert {each.name for each in told.query_definitions} >= {"saga_log", "proposal", "status", "transcript"}
    assert {each.name for each in told.update_definitions} == {
        "decide_gate", "decide_pivot", "resolve_step", "retry_step", "waive_step", "cancel_run",
    }  # fmt: skip
    named = [*told.query_definitions, *told.update_definitions, *told.signal_definitions]
    assert {"approve_pivot", "reject_pivot"} <= {each.name for each in told.signal_definitions}
    assert [each.name for each in named if each.name[:2].isalpha() and not each.description] == []
