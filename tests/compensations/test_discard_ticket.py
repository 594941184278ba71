"""`discard_ticket` and `publish_ticket`, the two ends of a staged ticket, against the sandbox's Jira."""

from typing import Any

import pytest

from activities.tools.create_ticket import TicketArgs
from activities.tools.publish_ticket import PUBLISH_TICKET, PublishArgs
from activities.tools.stage_ticket import STAGE_TICKET
from compensations.close_ticket import CLOSE_TICKET, CloseArgs
from compensations.discard_ticket import DISCARD_TICKET, DiscardArgs
from saga.errors import NotSent, Refused, Unanswered
from saga.outcome import Receipt
from saga.tool import Call
from tests.activities.outside import CLOUD2, CLOUD3, KEY, OTHER_KEY, READER, SERVER, UNDO_KEY, Outside, call, look

JIRAS = pytest.mark.parametrize("jira", [CLOUD2, CLOUD3, SERVER], ids=["cloud-v2", "cloud-v3", "server"])


async def staged(outside: Outside, jira: Any = CLOUD2) -> Receipt:
    args = TicketArgs(order_id="1182", summary="Refund for order 1182")
    return await STAGE_TICKET.perform(outside.tickets(jira), call(args))


def discarding(made: Receipt) -> Call[DiscardArgs]:
    return call(DiscardArgs(ticket_key=KEY), UNDO_KEY, ref=made.external_ref, result=made.result)


def publishing(made: Receipt) -> Call[PublishArgs]:
    args = PublishArgs(ticket_key=KEY, order_id="1182")
    return call(args, OTHER_KEY, upstream={KEY: made.external_ref})


async def discarded(outside: Outside, made: Receipt, jira: Any = CLOUD2) -> bool:
    found = await look(DISCARD_TICKET, outside.tickets(jira, login=READER), discarding(made))
    return [each.state for each in found] == ["standing"]


async def published(outside: Outside, made: Receipt, jira: Any = CLOUD2) -> list[str]:
    found = await look(PUBLISH_TICKET, outside.tickets(jira, login=READER), publishing(made))
    return [each.state for each in found]


@JIRAS
async def test_a_draft_is_deleted_under_the_counter_actions_key(outside: Outside, jira: Any):
    made = await staged(outside, jira)
    assert not await discarded(outside, made, jira)
    await DISCARD_TICKET.perform(outside.tickets(jira), discarding(made))
    create, delete = outside.effects()
    assert (create.state, delete.kind, delete.key) == ("undone", "ticket.delete", UNDO_KEY)
    assert await discarded(outside, made, jira)


async def test_again_is_once(outside: Outside):
    """T29."""
    made = await staged(outside)
    await DISCARD_TICKET.perform(outside.tickets(), discarding(made))
    receipt = await DISCARD_TICKET.perform(outside.tickets(), discarding(made))
    assert receipt.result["already"] is True
    assert len(outside.effects()) == 2


@pytest.mark.parametrize("act", ["delete", "close"])
async def test_what_a_person_took_away_is_discarded_already(outside: Outside, act: str):
    made = await staged(outside)
    await outside.act("tickets", made.external_ref, act)
    assert await discarded(outside, made)
    receipt = await DISCARD_TICKET.perform(outside.tickets(), discarding(made))
    assert receipt.result["already"] is True
    assert outside.sent("tickets", "DELETE") == []


async def test_what_was_published_meanwhile_is_refused(outside: Outside):
    made = await staged(outside)
    await PUBLISH_TICKET.perform(outside.tickets(), publishing(made))
    with pytest.raises(Refused) as error:
        await DISCARD_TICKET.perform(outside.tickets(), discarding(made))
    assert error.value.code == "published"
    assert not await discarded(outside, made)
    assert outside.sent("tickets", "DELETE") == []


@pytest.mark.parametrize("fault", ["after:reset", "after:504", "after:html200", "after:blank200"])
async def test_a_lost_answer_to_the_deletion_is_unknown_and_found(outside: Outside, fault: str):
    made = await staged(outside)
    outside.arm("tickets", "delete", fault)
    with pytest.raises(Unanswered):
        await DISCARD_TICKET.perform(outside.tickets(), discarding(made))
    assert await discarded(outside, made)


async def test_what_fails_after_the_mark_is_not_called_unsent(outside: Outside):
    made = await staged(outside)
    outside.arm("tickets", "delete", "429:3")
    with pytest.raises(Unanswered):
        await DISCARD_TICKET.perform(outside.tickets(), discarding(made))
    await DISCARD_TICKET.perform(outside.tickets(), discarding(made))
    assert outside.sent("tickets", "PUT") == ["update"]


async def test_a_404_to_the_deletion_counts_only_if_the_ticket_is_gone(outside: Outside):
    made = await staged(outside)
    outside.arm("tickets", "delete", "refuse:404")
    with pytest.raises(Refused):
        await DISCARD_TICKET.perform(outside.tickets(), discarding(made))
    assert outside.standing() == ["ticket.create"]


@JIRAS
async def test_publishing_moves_the_draft_into_the_queue_once(outside: Outside, jira: Any):
    made = await staged(outside, jira)
    assert await published(outside, made, jira) == []
    receipt = await PUBLISH_TICKET.perform(outside.tickets(jira), publishing(made))
    again = await PUBLISH_TICKET.perform(outside.tickets(jira), publishing(made))
    assert receipt.external_ref == again.external_ref == made.external_ref
    assert receipt.execution == publishing(made).tags.execution
    assert "already" not in again.result
    assert [(each.kind, each.key) for each in outside.effects()] == [
        ("ticket.create", KEY),
        ("ticket.transition", OTHER_KEY),
    ]
    assert outside.effects("ticket.transition")[0].audience == ["support_team"]
    assert await published(outside, made, jira) == ["standing"]


@pytest.mark.parametrize("fault", ["after:reset", "after:504", "after:503"])
async def test_a_lost_answer_to_the_publication_is_unknown_and_found(outside: Outside, fault: str):
    made = await staged(outside)
    outside.arm("tickets", "transition", fault)
    with pytest.raises(Unanswered):
        await PUBLISH_TICKET.perform(outside.tickets(), publishing(made))
    assert outside.sent("tickets") == ["create", "transition"]
    assert await published(outside, made) == ["standing"]


@pytest.mark.parametrize(("act", "code"), [("delete", "gone"), ("close", "closed")])
async def test_a_draft_that_a_person_took_away_is_not_published(outside: Outside, act: str, code: str):
    made = await staged(outside)
    await outside.act("tickets", made.external_ref, act)
    with pytest.raises(Refused) as error:
        await PUBLISH_TICKET.perform(outside.tickets(), publishing(made))
    assert error.value.code == code
    assert await published(outside, made) == []


async def test_a_look_at_a_draft_that_cannot_be_read_is_an_error(outside: Outside):
    made = await staged(outside)
    outside.arm("tickets", "read", "refuse:401", skip=1)
    with pytest.raises(NotSent):
        await published(outside, made)


async def test_the_published_ticket_is_closed_by_its_commit_halfs_counter_action(outside: Outside):
    made = await staged(outside)
    receipt = await PUBLISH_TICKET.perform(outside.tickets(), publishing(made))
    args = CloseArgs(ticket_key=OTHER_KEY, reason="The run was undone.")
    await CLOSE_TICKET.perform(outside.tickets(), call(args, UNDO_KEY, ref=receipt.external_ref, result=receipt.result))
    assert await published(outside, made) == ["undone"]
    assert await discarded(outside, made)
    assert "ticket.create" not in outside.standing()
