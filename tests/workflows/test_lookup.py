"""Finding out: an empty look proves nothing before its time, and a look that could not be made proves nothing ever."""

import pytest

from tests.lab import replay
from tests.workflows.plan import charge, draft, goods, ticket
from tests.workflows.sight import children, needs, summaries, world, writes

NEVER = 999
"""More often than anybody asks."""

SETTLED = ("AWAITING_APPROVAL", "COMMITTED")


async def test_an_index_that_lags_is_waited_for_and_no_second_ticket_is_made(lab, plans):
    """T10."""
    await lab.fault("tickets", "create", "after:504")
    await lab.fault("tickets", "search", "lag:3")
    run = await lab.start("run-1", plans.make([ticket()]))
    assert await lab.end(run) == "COMMITTED"
    assert await writes(lab) == ["tickets create"]
    assert await world(lab) == ["ticket.create standing"]
    (row,) = await lab.check(run)
    assert (row["status"], row["how"], row["tries"]) == ("CONFIRMED", "found by lookup", 1)


async def test_only_a_look_that_began_after_the_clock_had_passed_counts_as_absence(lab, plans):
    """T3."""
    await lab.fault("tickets", "create", "before:504")
    run = await lab.start("run-1", plans.make([ticket()]))
    assert await lab.end(run) == "COMMITTED"
    first, second = [call["at"] for call in await lab.calls(system="tickets", operation="create")]
    (row,) = await lab.check(run)
    assert second - first >= row["facts"]["clock_s"] == 8
    assert await world(lab) == ["ticket.create standing"]


@pytest.mark.parametrize(
    ("call", "system", "operation", "kind"),
    [
        (ticket(), "tickets", "create", "ticket.create"),
        (charge(), "payments", "capture", "charge.capture"),
        (goods(), "warehouse", "reserve", "goods.reserve"),
        (draft(), "mail", "draft", "mail.draft"),
    ],
)
async def test_a_credential_that_sees_nothing_never_proves_absence(lab, plans, call, system, operation, kind):
    """T10."""
    await lab.fault(system, operation, "after:reset", times=NEVER)
    await lab.fault(system, "*", "blind")
    run = await lab.start("run-1", plans.make([call]))
    await lab.until(run, lambda status: status["unsettled"] == 1)
    await lab.env.sleep(300)
    assert (await lab.rows(run))[0]["status"] == "UNKNOWN"
    asked = await writes(lab)
    await lab.mend()
    await lab.until(run, lambda status: status["phase"] in SETTLED)
    assert await writes(lab) == asked
    assert await world(lab) == [f"{kind} standing"]
    row = (await lab.check(run))[0]
    assert (row["status"], row["how"]) == ("CONFIRMED", "found by lookup")


async def test_while_the_lookup_is_down_nothing_is_decided_and_nothing_is_sent(lab, plans):
    await lab.fault("tickets", "create", "after:504")
    await lab.fault("tickets", "search", "before:503", skip=1, times=8)
    run = await lab.start("run-1", plans.make([ticket()]))
    assert await lab.end(run) == "COMMITTED"
    assert await writes(lab) == ["tickets create"]
    looks = await lab.calls(system="tickets", operation="search")
    assert [call["status"] for call in looks] == [200, *[503] * 8, 200]
    (row,) = await lab.check(run)
    assert row["how"] == "found by lookup"


async def test_after_a_quarter_of_an_hour_of_silence_a_person_is_called(lab, plans):
    await lab.fault("tickets", "create", "after:504")
    await lab.fault("tickets", "search", "before:503", skip=1, times=NEVER)
    run = await lab.start("run-1", plans.make([ticket()], [charge()]))
    need = await needs(lab, run, "unknown")
    status = await run.query("status")
    assert (status["phase"], status["unsettled"]) == ("NEEDS_HUMAN", 1)
    assert (need["step_idx"], need["half"]) == (0, "call")
    assert "the lookup failed" in need["what"]
    assert "saga resolve run-1 0 --half call --by YOU" in need["how"]
    first, last = (await lab.calls(system="tickets"))[0]["at"], (await lab.calls(system="tickets"))[-1]["at"]
    assert 15 * 60 <= last - first <= 16 * 60
    assert await lab.effects(system="payments") == []
    await lab.mend()
    await run.execute_update("retry_step", {"step_idx": 0, "half": "call", "by": "bob"})
    assert await lab.end(run) == "COMMITTED"
    await lab.check(run)


async def test_the_reconciler_says_what_it_looks_for_and_what_it_waits_for(lab, plans):
    await lab.fault("tickets", "create", "before:504")
    run = await lab.start("run-1", plans.make([ticket()]))
    assert await lab.end(run) == "COMMITTED"
    (row,) = await lab.check(run)
    (child,) = await children(lab, run)
    assert child.id.startswith("run-1/reconcile/0/")
    key = row["idempotency_key"][:8]
    assert await summaries(child) == [
        f"did it happen? step 0: create_ticket → a ticket for order 1182 · key {key}",
        f"step 0: is a ticket for order 1182 there? key {key}",
        *("absent: look again at step 0 create_ticket", f"step 0: is a ticket for order 1182 there? key {key}") * 2,
    ]
    await replay(child)


@pytest.mark.parametrize(
    ("call", "system", "operation", "kind"),
    [
        (charge(), "payments", "capture", "charge.capture"),
        (goods(), "warehouse", "reserve", "goods.reserve"),
        (draft(), "mail", "draft", "mail.draft"),
    ],
)
async def test_a_list_that_lags_is_waited_for_and_nothing_is_searched_for(lab, plans, call, system, operation, kind):
    """T10."""
    await lab.fault(system, operation, "after:reset", times=NEVER)
    await lab.fault(system, "*", "lag:6")
    run = await lab.start("run-1", plans.make([call]))
    await lab.until(run, lambda status: status["phase"] in SETTLED)
    assert await writes(lab) == [f"{system} {operation}"] * 3
    assert await world(lab) == [f"{kind} standing"]
    if system == "payments":  # Stripe's search lags behind its own writes, and is not offered everywhere
        assert await lab.calls(system="payments", operation="search") == []
    row = (await lab.check(run))[0]
    assert (row["status"], row["how"], row["tries"]) == ("CONFIRMED", "found by lookup", 1)


async def test_each_reconciler_of_a_step_has_an_id_of_its_own(lab, plans):
    """T31: a taken id would raise, and a child cannot be attached to."""
    await lab.fault("tickets", "create", "before:504", times=2)
    run = await lab.start("run-1", plans.make([ticket()]))
    assert await lab.end(run) == "COMMITTED"
    ids = [child.id for child in await children(lab, run)]
    assert len(ids) == len(set(ids)) == 2
    assert all(each.startswith("run-1/reconcile/0/") for each in ids)
    assert await world(lab) == ["ticket.create standing"]
    await lab.check(run)
