"""What people say of a step that waits for them stays on its row, with who and why; what an undo came to does too."""

import pytest

from tests.workflows.club import say
from tests.workflows.sight import needs, statuses

BACK = {"step_idx": 0, "half": "compensation", "by": "bob"}


async def stuck(hall, plans, faults=3):
    """A run whose room cannot be given back, so that a person has it."""
    run = await hall.run(plans.make([say("open_room")], [say("send_card")]))
    await hall.proposal(run)
    hall.hall.armed.append(("undo room", "refuse", faults))
    await hall.decide(run, "reject")
    await needs(hall, run, "undo_failed")
    return run


def said(row):
    return [(each["what"], each["half"], each["by"], each["note"], each["happened"]) for each in row["said"]]


async def test_each_word_is_kept_in_order_and_the_last_does_not_hide_the_first(hall, plans):
    run = await stuck(hall, plans, faults=4)
    await run.execute_update("retry_step", {**BACK, "note": "the door was locked"})
    await hall.until(run, lambda status: not status["needs_human"])
    await needs(hall, run, "undo_failed")
    await run.execute_update("resolve_step", {**BACK, "happened": True, "external_ref": "room-0", "note": "by hand"})
    assert await hall.end(run) == "RunUnwound"
    row = (await hall.rows(run))[0]
    assert said(row) == [
        ("retry", "compensation", "bob", "the door was locked", None),
        ("resolve", "compensation", "bob", "by hand", True),
    ]


async def test_a_waiver_is_among_what_was_said(hall, plans):
    run = await stuck(hall, plans)
    await run.execute_update("waive_step", {**BACK, "note": "we keep it"})
    assert await hall.end(run) == "RunUnwound"
    row = (await hall.check(run))[0]
    assert said(row) == [("waive", "compensation", "bob", "we keep it", None)]
    assert row["waived"]["note"] == "we keep it"


async def test_a_commit_that_is_tried_again_says_who_wanted_it_on_both_rows_and_on_the_page(hall, plans):
    run = await hall.run(plans.make([say("send_parcel"), say("send_card")]))
    await hall.proposal(run)
    hall.hall.armed.append(("send_card", "refuse", 1))
    await hall.decide(run, "approve")
    await needs(hall, run, "commit_failed")
    order = {"step_idx": 1, "half": "call", "by": "bob", "note": "the letterbox is mended"}
    assert said(await run.execute_update("retry_step", order)) == [
        ("retry", "call", "bob", "the letterbox is mended", None)
    ]
    assert await hall.end(run) == "COMMITTED"
    rows = await hall.check(run)
    assert statuses(rows) == ["send_parcel CONFIRMED", "send_card FAILED", "send_card CONFIRMED"]
    assert [len(row["said"]) for row in rows] == [0, 1, 1]
    page = (await run.query("__temporal_workflow_metadata")).current_details
    assert "bob: retry the letterbox is mended" in page


async def test_an_answer_that_comes_a_month_later_is_heard(hall, plans):
    """The question has left an event of its own, so a replay hears question and answer in their order."""
    run = await stuck(hall, plans)
    await hall.env.sleep(30 * 86_400)
    await run.execute_update("retry_step", BACK)
    assert await hall.end(run) == "RunUnwound"
    await hall.check(run)


@pytest.mark.parametrize("lost", [0, 3])
async def test_what_the_provider_said_of_an_undo_is_kept_whether_it_was_answered_or_found(hall, plans, lost):
    run = await hall.run(plans.make([say("open_room")], [say("send_card")]))
    await hall.proposal(run)
    if lost:
        hall.hall.armed.append(("undo room", "after", lost))
    await hall.decide(run, "reject")
    assert await hall.end(run) == "RunUnwound"
    row = (await hall.check(run))[0]
    assert row["compensation"]["result"] == {"took": "room-0"}
    page = (await run.query("__temporal_workflow_metadata")).current_details
    assert "room-0" in page.partition("undo take")[2]


async def test_the_answer_to_a_second_question_is_heard_while_a_third_step_is_still_being_tried(hall, plans):
    """The workflow task that asks it changes nothing else that is told to the server."""
    turns = [[say("open_room")], [say("book_table")], [say("print_page")], [say("send_card")]]
    run = await hall.run(plans.make(*turns))
    await hall.proposal(run)
    lost, no = "before", "refuse"
    hall.hall.armed += [("undo room", no, 3), ("undo table", lost, 3), ("undo table", no, 3)]
    hall.hall.armed += [("undo page", lost, 6), ("undo page", no, 3)]
    await hall.decide(run, "reject")
    while len((status := await run.query("status"))["needs_human"]) < 2:
        await hall.env.sleep(1)
    assert status["phase"] == "UNWINDING"  # the third is still being tried
    await run.execute_update("retry_step", {**BACK, "step_idx": 1, "note": "mended"})
    for step_idx in (0, 2):
        await hall.until(run, lambda status, idx=step_idx: idx in [each["step_idx"] for each in status["needs_human"]])
        await run.execute_update("retry_step", {**BACK, "step_idx": step_idx})
    assert await hall.end(run) == "RunUnwound"
    assert [len(row["said"]) for row in await hall.check(run)] == [1, 1, 1, 0]
