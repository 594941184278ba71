"""Handlers: none of them can be made to wedge a run, whatever comes and under whatever name."""

import inspect

import pytest
from temporalio import workflow
from temporalio.client import WorkflowUpdateFailedError

from tests.workflows.plan import hold
from tests.workflows.sight import world
from workflows.agent_run import AgentRun

HANDLERS = workflow._Definition.must_from_class(AgentRun)
QUERIES_WITHOUT = {"proposal", "status"}
"""They take nothing: what is sent along is left aside."""


@pytest.mark.parametrize("name", [str(name) for name in HANDLERS.updates])
def test_every_update_has_a_validator_and_every_handler_takes_whatever_comes(name):
    """T21: an ordinary parameter fails the task for ever where it is not sent, and so does what raises unchecked."""
    update = HANDLERS.updates[name]
    assert update.validator is not None
    assert takes_anything(update.validator)
    for handler in (*HANDLERS.updates.values(), *HANDLERS.signals.values()):
        assert takes_anything(handler.fn) or handler.name is None
    for query in HANDLERS.queries.values():
        assert takes_anything(query.fn) or query.name in QUERIES_WITHOUT
    assert None in HANDLERS.signals  # the dynamic one, for names that nobody knows


def takes_anything(handler):
    """Whether it takes no payload, one and two."""
    _, *parameters = inspect.signature(handler).parameters.values()
    return [each.kind for each in parameters] == [inspect.Parameter.VAR_POSITIONAL]


async def test_an_update_of_a_name_that_nobody_knows_is_refused_and_wedges_nothing(lab, plans):
    """T21."""
    run = await lab.start("run-1", plans.make([hold()]))
    digest = (await lab.proposal(run))["digest"]
    payload = {"decision": "approve", "digest": digest, "by": "bob"}
    for name in ("approve_pivot", "decide-pivot", "Decide_Pivot", ""):
        with pytest.raises(WorkflowUpdateFailedError):
            await run.execute_update(name, payload)
    assert await world(lab) == ["charge.authorise standing"]
    await lab.decide(run, "approve")
    assert await lab.end(run) == "COMMITTED"
    assert await world(lab) == ["charge.authorise standing", "charge.capture standing"]
    await lab.check(run)
