"""`create_ticket` and `stage_ticket` against the sandbox's Jira: one POST, whatever becomes of the answer."""

from typing import Any

import pytest

from activities.tools.create_ticket import CREATE_TICKET, TicketArgs
from activities.tools.stage_ticket import STAGE_TICKET
from saga.errors import NotSent, ProviderError, Refused, Unanswered
from saga.keys import run_tag
from tests.activities.outside import CLOUD2, CLOUD3, EXECUTION, KEY, READER, RUN, SERVER, Outside, call, look

ARGS = TicketArgs(order_id="1182", summary="Refund for order 1182", description="Broken.\n\nPlease look.")
JIRAS = pytest.mark.parametrize("jira", [CLOUD2, CLOUD3, SERVER], ids=["cloud-v2", "cloud-v3", "server"])
LOST = pytest.mark.parametrize(
    "fault",
    [
        *("after:reset", "after:502", "after:503", "after:504", "after:500"),
        *("after:truncate", "after:blank200", "after:204", "after:html200"),
    ],
)


@JIRAS
async def test_one_post_and_every_label(outside: Outside, jira: Any):
    """T8."""
    receipt = await CREATE_TICKET.perform(outside.tickets(jira), call(ARGS))
    (effect,) = outside.effects()
    assert (effect.kind, effect.key, effect.ref, effect.state) == (
        "ticket.create",
        KEY,
        receipt.external_ref,
        "standing",
    )
    assert (effect.run, effect.execution) == (run_tag(RUN), EXECUTION[:12])
    assert effect.audience == ["support_team"]
    assert receipt.execution == EXECUTION
    assert outside.sent("tickets") == ["create"]


@JIRAS
async def test_a_staged_ticket_is_the_agents_alone(outside: Outside, jira: Any):
    await STAGE_TICKET.perform(outside.tickets(jira), call(ARGS))
    (effect,) = outside.effects()
    assert (effect.kind, effect.audience) == ("ticket.create", ["agent"])


@JIRAS
async def test_a_ticket_that_is_there_is_not_made_again(outside: Outside, jira: Any):
    tickets = outside.tickets(jira)
    first = await CREATE_TICKET.perform(tickets, call(ARGS))
    second = await CREATE_TICKET.perform(tickets, call(ARGS))
    assert second.external_ref == first.external_ref
    assert second.execution == EXECUTION
    assert len(outside.effects()) == 1


@LOST
@JIRAS
async def test_t7_t9_a_lost_answer_is_unknown_after_one_post_and_found(outside: Outside, jira: Any, fault: str):
    outside.arm("tickets", "create", fault)
    with pytest.raises(Unanswered):
        await CREATE_TICKET.perform(outside.tickets(jira), call(ARGS))
    assert outside.sent("tickets") == ["create"]
    (effect,) = outside.effects()
    (seen,) = await look(CREATE_TICKET, outside.tickets(jira, login=READER), call(ARGS))
    assert (seen.external_ref, seen.state, seen.execution) == (effect.ref, "standing", EXECUTION)


@pytest.mark.parametrize(
    "fault", ["before:503", "before:reset", "before:504", "refuse:500", "refuse:503", "refuse:409"]
)
async def test_t7_nothing_done_and_no_answer_is_unknown_too_after_one_post(outside: Outside, fault: str):
    outside.arm("tickets", "create", fault)
    with pytest.raises(Unanswered):
        await CREATE_TICKET.perform(outside.tickets(), call(ARGS))
    assert outside.sent("tickets") == ["create"]
    assert outside.effects() == []


async def test_a_write_that_outlasts_the_time_limit_is_unknown(outside: Outside):
    """T7."""
    outside.arm("tickets", "create", "after:slow:3")
    with pytest.raises(Unanswered):
        await CREATE_TICKET.perform(outside.tickets(timeout_s=1), call(ARGS))
    assert len(outside.effects()) == 1


async def test_jiras_own_no_to_the_write_is_a_refusal(outside: Outside):
    outside.arm("tickets", "create", "refuse:400")
    with pytest.raises(Refused) as error:
        await CREATE_TICKET.perform(outside.tickets(), call(ARGS))
    assert error.value.status == 400
    assert outside.effects() == []


async def test_a_refusal_names_the_field(outside: Outside):
    args = ARGS.model_copy(update={"priority": "Sky-high"})
    with pytest.raises(Refused) as error:
        await CREATE_TICKET.perform(outside.tickets(), call(args))
    assert error.value.code == "priority"


@pytest.mark.parametrize(("wish", "low", "high"), [("7", 7, 7), ("date", 0, 3)])
async def test_t15_429_is_not_sent_with_either_form_of_retry_after(outside: Outside, wish: str, low: int, high: int):
    outside.arm("tickets", "create", f"429:{wish}")
    with pytest.raises(NotSent) as error:
        await CREATE_TICKET.perform(outside.tickets(), call(ARGS))
    assert error.value.retry_after_s is not None
    assert low <= error.value.retry_after_s <= high
    assert outside.sent("tickets") == ["create"]


@pytest.mark.parametrize("login", [READER, ("agent@sandbox.test", "stale")])
async def test_who_may_not_write_is_told_so_for_good_and_nothing_is_sent(outside: Outside, login: Any):
    with pytest.raises(NotSent) as error:
        await CREATE_TICKET.perform(outside.tickets(login=login), call(ARGS))
    assert error.value.lasting
    assert outside.effects() == []


async def test_no_jira_there_is_not_sent(outside: Outside):
    with pytest.raises(NotSent) as error:
        await CREATE_TICKET.perform(outside.tickets(url="http://127.0.0.1:9/jira"), call(ARGS))
    assert not error.value.lasting


@pytest.mark.parametrize("fault", ["before:503", "before:reset", "after:html200", "after:blank200", "after:truncate"])
async def test_a_search_that_fails_before_the_write_means_not_sent(outside: Outside, fault: str):
    outside.arm("tickets", "search", fault)
    with pytest.raises(NotSent):
        await CREATE_TICKET.perform(outside.tickets(), call(ARGS))
    assert outside.sent("tickets") == []


@pytest.mark.parametrize("fault", ["refuse:400", "after:504", "after:html200", "after:reset", "refuse:403"])
async def test_t37_no_error_carries_headers_or_bodies(outside: Outside, fault: str):
    outside.arm("tickets", "create", fault)
    with pytest.raises(ProviderError) as error:
        await CREATE_TICKET.perform(outside.tickets(), call(ARGS))
    assert "<html" not in str(error.value)
    assert "uthorization" not in str(error.value)
    assert len(str(error.value)) <= 300


@JIRAS
async def test_t10_a_lagging_index_hides_the_ticket_until_it_has_caught_up(outside: Outside, jira: Any):
    await CREATE_TICKET.perform(outside.tickets(jira), call(ARGS))
    outside.arm("tickets", "search", "lag:60")
    reader = outside.tickets(jira, login=READER)
    assert await look(CREATE_TICKET, reader, call(ARGS)) == []
    outside.advance(61)
    assert len(await look(CREATE_TICKET, reader, call(ARGS))) == 1


@JIRAS
async def test_t10_a_blind_search_is_an_error_and_never_an_absence(outside: Outside, jira: Any):
    await CREATE_TICKET.perform(outside.tickets(jira), call(ARGS))
    outside.arm("tickets", "search", "blind")
    with pytest.raises(NotSent) as error:
        await look(CREATE_TICKET, outside.tickets(jira, login=READER), call(ARGS))
    assert error.value.lasting


async def test_an_empty_search_counts_only_while_we_see_the_project(outside: Outside):
    outside.arm("tickets", "read", "refuse:404", skip=3)  # serverInfo, field, myself
    with pytest.raises(NotSent):
        await look(CREATE_TICKET, outside.tickets(login=READER), call(ARGS))


@JIRAS
async def test_two_tickets_of_one_key_are_both_found_oldest_first(outside: Outside, jira: Any):
    outside.arm("tickets", "create", "duplicate")
    await CREATE_TICKET.perform(outside.tickets(jira), call(ARGS))
    seen = await look(CREATE_TICKET, outside.tickets(jira, login=READER), call(ARGS))
    assert [each.external_ref for each in seen] == [each.ref for each in outside.effects()]
    assert len(seen) == 2
    with pytest.raises(Unanswered):
        await CREATE_TICKET.perform(outside.tickets(jira), call(ARGS))


@JIRAS
async def test_all_pages_are_read(outside: Outside, jira: Any, monkeypatch: pytest.MonkeyPatch):
    """T10."""
    monkeypatch.setattr("activities.providers.jira_client._PAGE", 2)
    outside.arm("tickets", "search", "lag:3600")  # so that each looks in vain before it creates
    for _ in range(5):
        await CREATE_TICKET.perform(outside.tickets(jira), call(ARGS))
    outside.sandbox.faults.disarm()
    seen = await look(CREATE_TICKET, outside.tickets(jira, login=READER), call(ARGS))
    assert [each.external_ref for each in seen] == [each.ref for each in outside.effects()]
    assert len(seen) == 5


async def test_a_list_that_does_not_end_is_an_error(outside: Outside, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("activities.providers.jira_client._PAGE", 1)
    outside.arm("tickets", "search", "lag:3600")
    for _ in range(4):
        await CREATE_TICKET.perform(outside.tickets(), call(ARGS))
    outside.sandbox.faults.disarm()
    with pytest.raises(NotSent):
        await look(CREATE_TICKET, outside.tickets(login=READER), call(ARGS))


async def test_a_ticket_that_somebody_closed_is_found_as_undone(outside: Outside):
    made = await CREATE_TICKET.perform(outside.tickets(), call(ARGS))
    await outside.act("tickets", made.external_ref, "close")
    (seen,) = await look(CREATE_TICKET, outside.tickets(login=READER), call(ARGS))
    assert seen.state == "undone"


async def test_a_ticket_of_another_execution_says_so(outside: Outside):
    other = "9999aabb-ccdd-7eef-8001-223344556677"
    await CREATE_TICKET.perform(outside.tickets(), call(ARGS, execution=other))
    (seen,) = await look(CREATE_TICKET, outside.tickets(login=READER), call(ARGS))
    assert seen.execution == other[:12]
    assert (await CREATE_TICKET.perform(outside.tickets(), call(ARGS))).execution == other[:12]


async def test_a_label_that_only_begins_like_ours_is_not_ours(outside: Outside):
    await CREATE_TICKET.perform(outside.tickets(), call(ARGS))
    assert await look(CREATE_TICKET, outside.tickets(login=READER), call(ARGS, key="a" * 31)) == []


async def test_the_looker_writes_nothing(outside: Outside):
    await look(CREATE_TICKET, outside.tickets(), call(ARGS))
    assert outside.sent("tickets") == []


async def test_order_numbers_and_summaries_are_normalised():
    args = TicketArgs.model_validate({"order_id": " #1182 ", "summary": "Order #1182\nrefund "})
    assert (args.order_id, args.summary) == ("1182", "Order #1182 refund")


async def test_what_the_description_says_arrives_through_both_versions(outside: Outside):
    made = await CREATE_TICKET.perform(outside.tickets(CLOUD3), call(ARGS))
    (ticket,) = outside.sandbox.world.all("tickets", "ticket")
    description = ticket["states"][-1]["description"]
    assert description["type"] == "doc"
    words = str(description)
    assert "Please look." in words
    assert "Order 1182" in words
    assert made.result["ticket"] == made.external_ref
