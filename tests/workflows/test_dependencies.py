"""What refers to what: named by the model, carried in an argument, or called by a name; undone in that order."""

import logging

import pytest

from tests.workflows.club import say
from tests.workflows.sight import needs, statuses


def undone(hall):
    """What was taken back, in the order in which it was."""
    return [each.ref for each in hall.hall.deeds if each.kind.startswith("note.undo")]


async def rejected(hall, plans, *turns):
    """A run of these turns, taken back; answers its rows once the laws are checked."""
    run = await hall.run(plans.make(*turns, [say("send_card")]))
    await hall.decide(run, "reject")
    assert await hall.end(run) == "RunUnwound"
    return await hall.check(run)


async def test_a_record_that_comes_first_and_points_at_a_later_page_goes_before_the_page(hall, plans):
    """In step order the page would go first, and the index would point at nothing."""
    rows = await rejected(hall, plans, [say("write_index", to="one")], [say("print_page", "one")])
    assert [row["depends_on"] for row in rows] == [[1], [], []]
    assert undone(hall) == ["index-0", "page-1"]


async def test_a_record_that_comes_later_points_at_the_page_that_is_there(hall, plans):
    rows = await rejected(hall, plans, [say("print_page", "one")], [say("write_index", to="one")])
    assert [row["depends_on"] for row in rows] == [[], [0], []]
    assert undone(hall) == ["index-1", "page-0"]


async def test_a_reference_deep_in_an_argument_is_one(hall, plans):
    """Nothing in the tool says so. Of two circles the agent's own is undone first, if nothing refers to it."""
    rows = await rejected(hall, plans, [say("book_table")], [say("put_sign", about=[{"at": "table-0"}])])
    assert [row["depends_on"] for row in rows] == [[], [0], []]
    assert undone(hall) == ["sign-1", "table-0"]


async def test_what_the_model_names_is_waited_for(hall, plans):
    rows = await rejected(hall, plans, [say("book_table")], [say("put_sign", depends_on=[0])])
    assert [row["depends_on"] for row in rows] == [[], [0], []]
    assert undone(hall) == ["sign-1", "table-0"]


async def test_what_refers_to_nothing_goes_by_who_has_seen_it(hall, plans):
    """The other two orders are no accident."""
    await rejected(hall, plans, [say("book_table")], [say("put_sign")])
    assert undone(hall) == ["table-0", "sign-1"]


@pytest.mark.parametrize("names", [[1], [0, 5], ["0"], 0, [True], [-1], [0.0]])
async def test_a_step_that_was_never_told_is_invalid_and_the_call_gets_no_row(hall, plans, names):
    model = plans.make([say("book_table")], [say("put_sign", depends_on=names)])
    run = await hall.run(model)
    assert await hall.end(run) == "COMMITTED"
    assert plans[model].told[1:] == [("put_sign", "invalid", None)]
    told = plans[model].asked[-1].transcript[1].told[0]
    assert told.error.message.startswith("depends_on")
    assert statuses(await hall.check(run)) == ["book_table CONFIRMED"]
    assert hall.done() == ["book_table table-0 standing"]


async def test_the_fourth_invalid_call_in_a_row_ends_the_run(hall, plans):
    """Those that the run refuses count like those that the tool does."""
    wrong = [say("put_sign", depends_on=[7]), say("hang_picture", to="room-9"), say("put_sign", depends_on="all")]
    run = await hall.run(plans.make([say("book_table")], [*wrong, say("hang_picture", to="")], [say("put_sign")]))
    assert await hall.end(run) == "RunUnwound"
    assert statuses(await hall.check(run)) == ["book_table COMPENSATED"]
    assert undone(hall) == ["table-0"]


async def test_a_circle_is_told_and_undone_in_reverse_step_order(hall, plans, caplog):
    turns = [[say("print_page", "one", "two")], [say("print_page", "two", "one")], [say("send_card")]]
    with caplog.at_level(logging.WARNING):
        run = await hall.run(plans.make(*turns))
        await hall.proposal(run)
    assert (await run.query("status"))["circles"] == [[0, 1]]
    page = (await run.query("__temporal_workflow_metadata")).current_details
    assert "steps 0, 1 refer to each other" in page
    assert "steps 0 print_page, 1 print_page refer to each other" in caplog.text
    await hall.decide(run, "reject")
    assert await hall.end(run) == "RunUnwound"
    assert undone(hall) == ["page-1", "page-0"]
    rows = await hall.check(run)
    assert [row["depends_on"] for row in rows[:2]] == [[1], [0]]


async def test_what_points_at_itself_is_no_circle(hall, plans):
    run = await hall.run(plans.make([say("print_page", "one", "one")], [say("send_card")]))
    await hall.proposal(run)
    assert (await run.query("status"))["circles"] == []
    await hall.decide(run, "reject")
    assert await hall.end(run) == "RunUnwound"
    assert (await hall.check(run))[0]["depends_on"] == []


async def test_what_must_wait_waits_with_what_a_person_has_and_goes_on_once_it_is_settled(hall, plans):
    """A room with a picture in it is not given back; the table is nobody's to wait for."""
    turns = [[say("open_room")], [say("hang_picture", to="room-0")], [say("book_table")], [say("send_card")]]
    run = await hall.run(plans.make(*turns))
    await hall.proposal(run)
    hall.hall.armed.append(("undo picture", "refuse", 3))
    await hall.decide(run, "reject")
    need = await needs(hall, run, "undo_failed")
    assert need["step_idx"] == 1
    await hall.env.sleep(3600)
    assert undone(hall) == ["table-2"]
    assert (await run.query("status"))["phase"] == "NEEDS_HUMAN"
    await run.execute_update("retry_step", {"step_idx": 1, "half": "compensation", "by": "bob", "note": "unscrewed it"})
    assert await hall.end(run) == "RunUnwound"
    assert undone(hall) == ["table-2", "picture-1", "room-0"]
    said = (await hall.check(run))[1]["said"]
    assert [(each["what"], each["by"], each["note"]) for each in said] == [("retry", "bob", "unscrewed it")]


async def test_waived_it_holds_nothing_up_any_more(hall, plans):
    turns = [[say("open_room")], [say("hang_picture", to="room-0")], [say("send_card")]]
    run = await hall.run(plans.make(*turns))
    await hall.proposal(run)
    hall.hall.armed.append(("undo picture", "refuse", 3))
    await hall.decide(run, "reject")
    await needs(hall, run, "undo_failed")
    await hall.env.sleep(3600)
    assert undone(hall) == []
    await run.execute_update("waive_step", {"step_idx": 1, "half": "compensation", "by": "bob", "note": "it may hang"})
    assert await hall.end(run) == "RunUnwound"
    assert undone(hall) == ["room-0"]
    rows = await hall.check(run)
    assert rows[1]["waived"]["note"] == "it may hang"


async def test_what_need_not_wait_is_not_held_up_by_what_a_person_has(hall, plans):
    turns = [[say("book_table")], [say("put_sign", depends_on=[0])], [say("send_card")]]
    run = await hall.run(plans.make(*turns))
    await hall.proposal(run)
    hall.hall.armed.append(("undo sign", "refuse", 3))
    await hall.decide(run, "reject")
    await needs(hall, run, "undo_failed")
    await hall.env.sleep(60)
    assert undone(hall) == ["table-0"]
    await run.execute_update("retry_step", {"step_idx": 1, "half": "compensation", "by": "bob"})
    assert await hall.end(run) == "RunUnwound"
    rows = await hall.rows(run)
    assert statuses(rows) == ["book_table COMPENSATED", "put_sign COMPENSATED", "send_card CANCELLED"]
