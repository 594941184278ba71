"""Every tool that puts something into a workspace, against the sandbox: one request, and found by its key."""

from typing import Any

import pytest

from activities.providers.workspaces import INDEX_LAG_S
from saga.errors import NotSent, ProviderError, Refused, Unanswered
from tests.activities.outside import EXECUTION, KEY, OTHER_KEY, RUN, Outside, look
from tests.activities.things import EACH, LOST, PROJECT, PUTS, Put


def of_kind(outside: Outside, thing: Put) -> list[Any]:
    return [each for each in outside.effects(thing.effect) if each.key == KEY]


@EACH
async def test_it_is_there_once_with_every_mark_of_its_step(outside: Outside, thing: Put):
    asked = await thing.asked(outside)
    receipt = await thing.tool.perform(outside.workspaces(), asked)
    (effect,) = of_kind(outside, thing)
    assert (effect.ref, effect.run, effect.execution, effect.state) == (
        receipt.external_ref,
        RUN,
        EXECUTION,
        "standing",
    )
    assert effect.audience == list(thing.tool.audience(asked.args))
    assert receipt.execution == EXECUTION


@EACH
async def test_the_same_key_is_the_same_thing(outside: Outside, thing: Put):
    first = await thing.put(outside)
    assert (await thing.put(outside)).external_ref == first.external_ref
    assert len(of_kind(outside, thing)) == 1


@EACH
async def test_the_key_of_another_thing_is_no_refusal_of_this_one(outside: Outside, thing: Put):
    await thing.put(outside)
    other = await thing.asked(outside, **thing.changes)
    with pytest.raises(Unanswered):
        await thing.tool.perform(outside.workspaces(), other)
    assert len(outside.effects(thing.effect)) == 1


@EACH
@LOST
async def test_a_lost_answer_is_unknown_after_one_request_and_found(outside: Outside, thing: Put, fault: str):
    asked = await thing.asked(outside)
    before = len(outside.sent("workspaces"))
    outside.arm("workspaces", "create", fault)
    with pytest.raises(Unanswered):
        await thing.tool.perform(outside.workspaces(), asked)
    assert outside.sent("workspaces")[before:] == ["create"]
    (seen,) = await look(thing.tool, outside.workspaces("workspaces-read"), asked)
    (effect,) = of_kind(outside, thing)
    assert (seen.external_ref, seen.state, seen.execution) == (effect.ref, "standing", EXECUTION)


@EACH
@pytest.mark.parametrize("fault", ["before:503", "before:reset", "refuse:500"])
async def test_no_answer_and_nothing_done_is_unknown_too(outside: Outside, thing: Put, fault: str):
    asked = await thing.asked(outside)
    outside.arm("workspaces", "create", fault)
    with pytest.raises(Unanswered):
        await thing.tool.perform(outside.workspaces(), asked)
    assert of_kind(outside, thing) == []


@EACH
@pytest.mark.parametrize("fault", ["before:503", "after:blank200", "after:html200", "refuse:401"])
async def test_a_look_that_fails_is_an_error_and_never_an_absence(outside: Outside, thing: Put, fault: str):
    asked = await thing.asked(outside)
    outside.arm("workspaces", "list", fault)
    with pytest.raises(ProviderError):
        await look(thing.tool, outside.workspaces("workspaces-read"), asked)


@EACH
async def test_an_absence_is_proven_by_a_credential_that_is_good(outside: Outside, thing: Put):
    asked = await thing.asked(outside)
    assert await look(thing.tool, outside.workspaces("workspaces-read"), asked) == []
    outside.arm("workspaces", "*", "blind")
    with pytest.raises(NotSent):
        await look(thing.tool, outside.workspaces("workspaces-read"), asked)


@EACH
async def test_a_thing_of_another_key_is_not_ours(outside: Outside, thing: Put):
    await thing.put(outside)
    assert await look(thing.tool, outside.workspaces("workspaces-read"), await thing.asked(outside, OTHER_KEY)) == []


@EACH
async def test_t10_a_lagging_list_shows_it_after_the_stated_time(outside: Outside, thing: Put):
    await thing.put(outside)
    asked = await thing.asked(outside)
    outside.arm("workspaces", "list", f"lag:{INDEX_LAG_S}")
    assert await look(thing.tool, outside.workspaces("workspaces-read"), asked) == []
    outside.advance(INDEX_LAG_S + 1)
    assert len(await look(thing.tool, outside.workspaces("workspaces-read"), asked)) == 1


@EACH
async def test_what_somebody_else_took_away_is_undone_and_not_made_again(outside: Outside, thing: Put):
    made = await thing.put(outside)
    await thing.taken_away(outside, made.external_ref)
    asked = await thing.asked(outside)
    (seen,) = await look(thing.tool, outside.workspaces("workspaces-read"), asked)
    assert (seen.external_ref, seen.state) == (made.external_ref, "undone")
    with pytest.raises(Refused) as error:
        await thing.tool.perform(outside.workspaces(), asked)
    assert error.value.remembered
    assert len(of_kind(outside, thing)) == 1


@EACH
async def test_t34_another_executions_thing_is_handed_on_as_what_it_is(outside: Outside, thing: Put):
    await thing.tool.perform(outside.workspaces(), await thing.asked(outside, execution="another"))
    asked = await thing.asked(outside)
    assert (await thing.tool.perform(outside.workspaces(), asked)).execution == "another"
    (seen,) = await look(thing.tool, outside.workspaces("workspaces-read"), asked)
    assert seen.execution == "another"
    assert len(of_kind(outside, thing)) == 1


@pytest.mark.parametrize("thing", [each for each in PUTS if each.inside == "projects"], ids=["repository", "team"])
async def test_nothing_is_hung_on_a_project_that_is_gone(outside: Outside, thing: Put):
    asked = await thing.asked(outside)
    await PROJECT.taken_away(outside, asked.args.project_id)
    with pytest.raises(Refused) as error:
        await thing.tool.perform(outside.workspaces(), asked)
    assert error.value.code == "project_removed"
    assert of_kind(outside, thing) == []
