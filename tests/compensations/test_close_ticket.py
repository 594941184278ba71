"""`close_ticket` against the sandbox's Jira: every way in which closing is hard (T28), and no comment twice."""

from typing import Any

import pytest

from activities.tools.create_ticket import CREATE_TICKET, TicketArgs
from compensations.close_ticket import CLOSE_TICKET, CloseArgs
from saga.errors import NotSent, ProviderError, Refused, Unanswered
from saga.outcome import Receipt
from saga.tool import Call
from tests.activities.outside import CLOUD2, CLOUD3, KEY, READER, SERVER, UNDO_KEY, Outside, call, look
from workers.sandbox.tickets_workflow import PROJECTS

JIRAS = pytest.mark.parametrize("jira", [CLOUD2, CLOUD3, SERVER], ids=["cloud-v2", "cloud-v3", "server"])
LOST = ["after:reset", "after:502", "after:503", "after:504", "after:500", "after:slow:3"]


async def opened(outside: Outside, jira: Any = CLOUD2) -> Call[CloseArgs]:
    """A ticket, and the half that closes it."""
    args = TicketArgs(order_id="1182", summary="Refund for order 1182")
    made = await CREATE_TICKET.perform(outside.tickets(jira), call(args))
    close = CloseArgs(ticket_key=KEY, reason="The run was undone.")
    return call(close, UNDO_KEY, ref=made.external_ref, result=made.result)


async def close(outside: Outside, half: Call[CloseArgs], jira: Any = CLOUD2) -> Receipt:
    return await CLOSE_TICKET.perform(outside.tickets(jira), half)


async def seen(outside: Outside, half: Call[CloseArgs], jira: Any = CLOUD2) -> list[str]:
    found = await look(CLOSE_TICKET, outside.tickets(jira, login=READER), half)
    return [each.state for each in found]


def ticket(outside: Outside) -> dict[str, Any]:
    (record,) = outside.sandbox.world.all("tickets", "ticket")
    return record["states"][-1]


def comments(outside: Outside) -> list[str]:
    return [str(each["body"]) for each in outside.sandbox.world.all("tickets", "comment")]


@JIRAS
async def test_closed_once_with_reason_key_and_resolution(outside: Outside, jira: Any):
    """T28."""
    half = await opened(outside, jira)
    assert await seen(outside, half, jira) == []
    receipt = await close(outside, half, jira)
    assert "already" not in receipt.result
    assert receipt.execution == half.tags.execution
    create, transition = outside.effects()
    assert (create.state, transition.kind, transition.key) == ("undone", "ticket.transition", UNDO_KEY)
    assert ticket(outside)["resolution"] == "Won't Do"
    (comment,) = comments(outside)
    assert "The run was undone." in comment
    assert f"saga-{UNDO_KEY}" in comment
    assert await seen(outside, half, jira) == ["standing"]


async def test_again_is_once(outside: Outside):
    """T29."""
    half = await opened(outside)
    await close(outside, half)
    receipt = await close(outside, half)
    assert "already" not in receipt.result
    assert [each.kind for each in outside.effects()] == ["ticket.create", "ticket.transition"]
    assert len(comments(outside)) == 1


@pytest.mark.parametrize("act", ["close", "delete"])
async def test_t28_what_a_person_closed_or_deleted_is_closed_already(outside: Outside, act: str):
    half = await opened(outside)
    await outside.act("tickets", half.external_ref or "", act)
    assert await seen(outside, half) == ["standing"]
    receipt = await close(outside, half)
    assert receipt.result["already"] is True
    assert outside.sent("tickets") == ["create"]


@JIRAS
async def test_t28_a_moved_ticket_is_followed_and_closed_in_two_hops_without_a_screen(outside: Outside, jira: Any):
    half = await opened(outside, jira)
    await outside.act("tickets", half.external_ref or "", "move")
    receipt = await close(outside, half, jira)
    assert receipt.external_ref == "OPS-1"
    assert ticket(outside)["status"] == "Resolved"
    assert [(each.kind, each.key) for each in outside.effects()] == [
        ("ticket.create", KEY),
        ("ticket.transition", UNDO_KEY),
    ]
    assert len(comments(outside)) == 1
    assert await seen(outside, half, jira) == ["standing"]


async def test_t28_a_moved_ticket_is_found_by_its_former_key_too(outside: Outside):
    half = await opened(outside)
    await outside.act("tickets", half.external_ref or "", "move")
    bare = call(half.args, UNDO_KEY, ref=half.external_ref)
    assert (await close(outside, bare)).external_ref == "OPS-1"


async def test_without_a_reference_it_is_found_by_label(outside: Outside):
    half = await opened(outside)
    await close(outside, call(half.args, UNDO_KEY))
    assert ticket(outside)["status"] == "Closed"


async def test_without_a_reference_or_a_label_nothing_is_known(outside: Outside):
    args = CloseArgs(ticket_key="d" * 32, reason="The run was undone.")
    with pytest.raises(NotSent):
        await close(outside, call(args, UNDO_KEY))
    with pytest.raises(NotSent):
        await seen(outside, call(args, UNDO_KEY))


async def test_t28_in_progress_is_closed_from_there(outside: Outside, monkeypatch: pytest.MonkeyPatch):
    half = await opened(outside)
    start_work = (PROJECTS["SUP"].transitions["Open"])[:1]
    monkeypatch.setitem(PROJECTS["SUP"].transitions, "Open", start_work)  # pyright: ignore[reportArgumentType]
    await close(outside, half)
    assert ticket(outside)["status"] in ("Done", "Closed")
    assert len(comments(outside)) == 1


async def test_t28_no_way_at_all_is_refused_and_a_persons(outside: Outside, monkeypatch: pytest.MonkeyPatch):
    half = await opened(outside)
    monkeypatch.setitem(PROJECTS["SUP"].transitions, "Open", ())  # pyright: ignore[reportArgumentType]
    with pytest.raises(Refused) as error:
        await close(outside, half)
    assert error.value.code == "no_way_to_close"
    assert outside.standing() == ["ticket.create"]


@pytest.mark.parametrize("fault", LOST)
@JIRAS
async def test_a_lost_answer_is_settled_by_reading_back_or_found(outside: Outside, jira: Any, fault: str):
    half = await opened(outside, jira)
    outside.arm("tickets", "transition", fault)
    with pytest.raises(Unanswered):
        await CLOSE_TICKET.perform(outside.tickets(jira, timeout_s=1), half)
    assert outside.sent("tickets") == ["create", "transition"]
    assert await seen(outside, half, jira) == ["standing"]
    assert "already" not in (await close(outside, half, jira)).result
    assert outside.sent("tickets") == ["create", "transition"]
    assert len(comments(outside)) == 1


@pytest.mark.parametrize("fault", ["after:blank200", "after:204", "after:html200", "after:truncate"])
async def test_t9_a_foreign_body_counts_only_by_what_is_read_back(outside: Outside, fault: str):
    half = await opened(outside)
    outside.arm("tickets", "transition", fault)
    try:
        await close(outside, half)
    except Unanswered:
        assert fault == "after:truncate"
    assert ticket(outside)["status"] == "Closed"


@pytest.mark.parametrize("fault", ["before:503", "before:reset", "refuse:409", "refuse:500"])
async def test_nothing_done_and_no_answer_is_unknown_and_then_done(outside: Outside, fault: str):
    half = await opened(outside)
    outside.arm("tickets", "transition", fault)
    with pytest.raises(Unanswered):
        await close(outside, half)
    assert await seen(outside, half) == []
    await close(outside, half)
    assert await seen(outside, half) == ["standing"]
    assert len(comments(outside)) == 1


@pytest.mark.parametrize("fault", ["refuse:404", "before:503", "before:reset", "refuse:401"])
async def test_t8_an_error_of_the_read_back_says_nothing_of_the_write(outside: Outside, fault: str):
    half = await opened(outside)
    outside.arm("tickets", "read", fault, skip=4)  # serverInfo, the ticket, the fields, its ways
    with pytest.raises(Unanswered):
        await close(outside, half)
    assert await seen(outside, half) == ["standing"]


async def test_jiras_no_to_the_transition_is_a_refusal(outside: Outside):
    half = await opened(outside)
    outside.arm("tickets", "transition", "refuse:400")
    with pytest.raises(Refused):
        await close(outside, half)
    assert outside.standing() == ["ticket.create"]


async def test_what_fails_between_two_hops_is_not_called_unsent(outside: Outside):
    half = await opened(outside)
    await outside.act("tickets", half.external_ref or "", "move")
    outside.arm("tickets", "transition", "429:3", skip=1)
    with pytest.raises(Unanswered):
        await close(outside, half)
    assert ticket(outside)["status"] == "In Review"
    await close(outside, half)
    assert ticket(outside)["status"] == "Resolved"
    assert len(comments(outside)) == 1
    assert [each.key for each in outside.effects()] == [KEY, UNDO_KEY]


@pytest.mark.parametrize("fault", ["429:3", "refuse:403"])
async def test_turned_away_at_the_first_write_is_not_sent(outside: Outside, fault: str):
    half = await opened(outside)
    outside.arm("tickets", "transition", fault)
    with pytest.raises(NotSent):
        await close(outside, half)


@pytest.mark.parametrize("fault", ["refuse:401", "before:503", "after:blank200", "after:html200"])
async def test_a_look_that_fails_is_an_error_and_never_an_absence(outside: Outside, fault: str):
    half = await opened(outside)
    outside.arm("tickets", "read", fault, skip=1)
    with pytest.raises(ProviderError):
        await seen(outside, half)


async def test_a_404_to_an_expired_login_is_not_taken_for_deleted(outside: Outside):
    half = await opened(outside)
    outside.arm("tickets", "read", "refuse:404", skip=1)  # serverInfo, then the ticket
    outside.arm("tickets", "read", "refuse:401", skip=1)  # and, asked who we are
    with pytest.raises(NotSent) as error:
        await close(outside, half)
    assert error.value.lasting
    assert outside.standing() == ["ticket.create"]
