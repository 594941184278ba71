"""A call that is proven not to have happened is sent again only while what it stands on is still there."""

from tests.workflows.club import say
from tests.workflows.sight import doors, needs, statuses

LOST = ("put_sign", "before", 3)
"""As often as one try is made of attempts: it is looked for, and is not there."""


async def lost(hall, run):
    """Skip time until nobody knows whether the sign was put up."""
    await hall.until(run, lambda status: status["unsettled"] == 1)


async def test_what_it_stands_on_is_there_and_it_is_sent_again(hall, plans):
    hall.hall.armed.append(LOST)
    run = await hall.run(plans.make([say("book_table")], [say("put_sign")]))
    assert await hall.end(run) == "COMMITTED"
    assert hall.done() == ["book_table table-0 standing", "put_sign sign-1 standing"]
    assert (await doors(run))[1:] == [
        "perform put_sign",
        "Reconcile put_sign",
        "find book_table",
        "perform put_sign",
    ]
    assert (await hall.check(run))[1]["tries"] == 2


async def test_what_it_stands_on_is_gone_and_nothing_more_is_sent(hall, plans):
    hall.hall.armed.append(LOST)
    run = await hall.run(plans.make([say("book_table")], [say("put_sign")]))
    await lost(hall, run)
    hall.hall.gone("table-0")
    assert await hall.end(run) == "RunUnwound"
    assert [each for each in hall.done() if "sign" in each] == []
    assert "table-0" in (await run.query("status"))["why"]
    assert statuses(await hall.check(run)) == ["book_table COMPENSATED", "put_sign NOT_EXECUTED"]
    assert sum(call["operation"] == "put_sign" for call in hall.hall.asked) == LOST[2]


async def test_a_first_commit_whose_run_has_lost_something_turns_back(hall, plans):
    run = await hall.run(plans.make([say("book_table")], [say("send_card")]))
    await hall.proposal(run)
    hall.hall.armed.append(("send_card", "before", 3))
    await hall.decide(run, "approve")
    await lost(hall, run)
    hall.hall.gone("table-0")
    assert await hall.end(run) == "RunUnwound"
    assert "card" not in " ".join(hall.done())
    await hall.check(run)


async def test_after_the_pivot_only_what_the_call_itself_stands_on_counts_and_then_a_person(hall, plans):
    """The card stands on the table; the parcel, which has been sent, is not taken back."""
    calls = [say("send_parcel"), say("send_card", depends_on=[0])]
    run = await hall.run(plans.make([say("book_table")], [say("put_sign")], calls))
    await hall.proposal(run)
    hall.hall.armed.append(("send_card", "before", 3))
    await hall.decide(run, "approve")
    await lost(hall, run)
    hall.hall.gone("sign-1")
    hall.hall.gone("table-0")
    need = await needs(hall, run, "commit_failed")
    assert "table-0" in need["what"]
    assert "sign-1" not in need["what"]
    await run.execute_update("waive_step", {"step_idx": need["step_idx"], "half": "call", "by": "bob"})
    assert await hall.end(run) == "COMMITTED"
    assert hall.deed("parcel-2") == "standing"
    assert "card" not in " ".join(hall.done())
