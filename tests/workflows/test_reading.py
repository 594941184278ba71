"""What is read on its way through history: a quick tool's failure, and payloads of a client that is not ours."""

from dataclasses import replace

from temporalio.client import Client

from saga.errors import Refused
from saga.registry import Registry
from saga.tool import PureTool
from tests.lab import fast, laboratory
from tests.workflows.plan import hold, ticket
from tests.workflows.sight import world
from workers.composition import registry as whole_registry
from workflows.options import RUNS

REQUEST = {"order_id": "1182", "customer_id": "cus_1182", "receipt": False}


def failing(error):
    """The refund agent, whose table of policies cannot be read."""
    whole = whole_registry(fast("http://nowhere.test"))

    async def read(*_):
        raise error

    tools = [
        replace(tool, read=read) if isinstance(tool, PureTool) and tool.name == "lookup_policy" else tool
        for tool in whole.tools.values()
    ]
    return Registry(tools=tools, counters=whole.counters.values(), agents=whole.agents.values())


async def test_a_quick_tool_that_fails_is_told_to_the_model_and_wedges_nothing(tmp_path, plans):
    """T35: the failure of a local activity arrives without the wrapping that others have."""
    plan = plans.make([("lookup_policy", {"topic": "refunds"}), ticket()])
    async with laboratory(tmp_path, failing(Refused("the table is closed", code="closed")), plans.model_of) as lab:
        run = await lab.start("run-1", plan)
        assert await lab.end(run) == "COMMITTED"
        assert await world(lab) == ["ticket.create standing"]
        assert plans[plan].told == [("lookup_policy", "refused", None), ("create_ticket", "confirmed", 0)]
        await lab.check(run)


async def test_a_client_without_our_converter_starts_asks_and_decides(lab, plans):
    """T35: whoever holds any Temporal client sends and reads plain JSON."""
    plain = Client(lab.env.client.service_client)
    whole = {"agent": "refund", "request": REQUEST, "requested_by": "ann", "model": plans.make([hold()])}
    run = await plain.start_workflow("AgentRun", whole, id="run-1", task_queue=RUNS)
    digest = (await lab.proposal(run))["digest"]
    status = await run.execute_update("decide_pivot", {"decision": "approve", "digest": digest, "by": "bob"})
    assert status["phase"] == "AWAITING_APPROVAL"
    assert (await run.result())["phase"] == "COMMITTED"
    rows = await run.query("saga_log")
    assert [row["status"] for row in rows] == ["CONFIRMED", "CONFIRMED"]
    assert await world(lab) == ["charge.authorise standing", "charge.capture standing"]
    await lab.check(run)
