"""What stands on another step is undone before it, whoever can see it: dependencies come before circles."""

from dataclasses import replace

import pytest

from saga.registry import Registry
from tests.lab import fast, laboratory
from tests.workflows.plan import charge, goods, ticket
from tests.workflows.sight import statuses, world, writes
from workers.composition import registry as whole_registry


@pytest.fixture
async def lab(tmp_path, plans):
    """The refund agent, whose charges name in their reason the ticket that they stand on."""
    whole = whole_registry(fast("http://nowhere.test"))
    charging = replace(whole.tools["charge_card"], references={"reason": "create_ticket"})
    tools = {**whole.tools, charging.name: charging}
    registry = Registry(tools=tools.values(), counters=whole.counters.values(), agents=whole.agents.values())
    async with laboratory(tmp_path, registry, plans.model_of) as made:
        yield made


async def test_a_charge_that_a_customer_has_seen_goes_back_before_the_ticket_that_it_names(lab, plans):
    """By circles alone the ticket would go first: only colleagues can see it."""
    await lab.fault("warehouse", "reserve", "refuse:409")
    run = await lab.start("run-1", plans.make([ticket()], [charge(receipt=True, reason="SUP-1"), goods()]))
    assert await lab.end(run) == "RunUnwound"
    assert (await writes(lab))[-2:] == ["payments refund", "tickets transition"]
    assert (await world(lab))[:2] == ["ticket.create undone", "charge.capture undone"]
    rows = await lab.check(run)
    assert rows[1]["depends_on"] == [0]
    assert statuses(rows) == ["create_ticket COMPENSATED", "charge_card COMPENSATED", "reship FAILED"]
