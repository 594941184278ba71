"""A reference that must be this run's own, and what the world is asked before there is a row."""

import pytest

from tests.workflows.club import say
from tests.workflows.sight import activities, statuses


def said_of(plans, model, turn=-1):
    """What the last call of that turn was told is wrong."""
    return plans[model].asked[-1].transcript[turn].told[-1].error.message


async def test_a_room_of_this_run_is_taken(hall, plans):
    run = await hall.run(plans.make([say("open_room")], [say("hang_picture", to="room-0")]))
    assert await hall.end(run) == "COMMITTED"
    rows = await hall.check(run)
    assert statuses(rows) == ["open_room CONFIRMED", "hang_picture CONFIRMED"]
    assert rows[1]["depends_on"] == [0]


@pytest.mark.parametrize(("to", "allowed"), [("room-7", "room-0"), ("table-1", "room-0"), ("Room-0", "room-0")])
async def test_any_other_is_invalid_names_the_argument_and_what_is_allowed(hall, plans, to, allowed):
    """A table of this run is no room."""
    model = plans.make([say("open_room")], [say("book_table")], [say("hang_picture", to=to)])
    run = await hall.run(model)
    assert await hall.end(run) == "COMMITTED"
    assert plans[model].told[-1] == ("hang_picture", "invalid", None)
    assert said_of(plans, model) == (
        f"to: must be the external_ref of an earlier open_room of this run that stands; there are {allowed}"
    )
    assert statuses(await hall.check(run)) == ["open_room CONFIRMED", "book_table CONFIRMED"]


async def test_with_no_room_at_all_there_is_none_to_name(hall, plans):
    model = plans.make([say("hang_picture", to="room-0")])
    run = await hall.run(model)
    assert await hall.end(run) == "COMMITTED"
    assert said_of(plans, model).endswith("there is none yet")
    assert hall.done() == []
    await hall.check(run)


async def test_the_world_is_asked_before_there_is_a_row(hall, plans):
    hall.hall.shut.add("red")
    model = plans.make([say("rent_chairs", "red")], [say("rent_chairs", "blue")])
    run = await hall.run(model)
    assert await hall.end(run) == "COMMITTED"
    assert plans[model].told == [("rent_chairs", "invalid", None), ("rent_chairs", "confirmed", 0)]
    assert said_of(plans, model, 0) == "room: must be one that is open"
    assert statuses(await hall.check(run)) == ["rent_chairs CONFIRMED"]
    assert (await activities(run)).count("check") == 2


async def test_where_nobody_can_be_asked_the_call_goes_on(hall, plans):
    hall.hall.armed.append(("look", "before:503", 999))
    run = await hall.run(plans.make([say("rent_chairs")]))
    assert await hall.end(run) == "COMMITTED"
    assert hall.done() == ["rent_chairs chairs-0 standing"]
    await hall.check(run)


async def test_an_old_step_is_not_asked_about_again(hall, plans):
    """Not even where the world would refuse it by now."""
    model = plans.make([say("rent_chairs")], [say("rent_chairs")])

    async def shut():
        hall.hall.shut.add("blue")

    plans[model].before[1] = shut
    run = await hall.run(model)
    assert await hall.end(run) == "COMMITTED"
    assert plans[model].told[-1] == ("rent_chairs", "repeated", 0)
    assert (await activities(run)).count("check") == 1
    await hall.check(run)


async def test_of_a_tool_without_a_check_nobody_is_asked(hall, plans):
    run = await hall.run(plans.make([say("book_table")]))
    assert await hall.end(run) == "COMMITTED"
    assert "check" not in await activities(run)


async def test_cancelled_while_the_world_is_asked_no_row_is_written(hall, plans):
    hall.hall.armed.append(("look", "before:503", 999))
    run = await hall.run(plans.make([say("rent_chairs")]))
    while "check" not in await activities(run):
        await hall.env.sleep(1)
    await run.cancel()
    assert await hall.end(run) == "Cancelled"
    assert await hall.check(run) == []
