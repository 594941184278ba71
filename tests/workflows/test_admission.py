"""Admission: what does not fit ends the run as refused, with the field and the reason; no row, no call to anybody."""

from datetime import timedelta

import pytest
from temporalio.client import WorkflowFailureError
from temporalio.common import RetryPolicy
from temporalio.exceptions import ApplicationError

from tests.workflows.plan import draft
from tests.workflows.sight import activities, world
from workflows.options import RUNS

REQUEST = {"order_id": "1182", "customer_id": "cus_1182", "receipt": False}
FITS = {"agent": "refund", "request": REQUEST, "requested_by": "ann", "model": "scripted:refund"}
UNFIT = [
    ({"agent": "refnud"}, "agent: no such agent; there are onboarding, refund"),
    ({"agent": ""}, "agent: String should have at least 1 character"),
    ({"agent": None}, "agent: Input should be a valid string"),
    ({"request": {**REQUEST, "order_id": 1182}}, "request.order_id: Input should be a valid string"),
    ({"request": {**REQUEST, "order_id": "11 82"}}, "request.order_id: String should match pattern"),
    ({"request": {"order_id": "1182"}}, "request.customer_id: Field required"),
    ({"request": {**REQUEST, "recipt": True}}, "request.recipt: Extra inputs are not permitted"),
    ({"request": {**REQUEST, "receipt": "no"}}, "request.receipt: Input should be a valid boolean"),
    ({"request": "order 1182"}, "request: Input should be a valid dictionary"),
    ({"model": "scripted:refnud"}, "model: no script of that name; there are"),
    ({"model": "gpt"}, "model: no such model here; there are scripted:"),
    ({"requested_by": " "}, "requested_by: String should match pattern"),
    ({"approvers": "carol"}, "approvers: Input should be a valid list"),
    ({"approvers": [""]}, "approvers.0: String should have at least 1 character"),
    ({"approval_timeout_s": 0}, "approval_timeout_s: Input should be greater than 0"),
    ({"approval_timeout_s": "60"}, "approval_timeout_s: Input should be a valid integer"),
    ({"approval_timeout_s": 30 * 86_400 + 1}, "approval_timeout_s: Input should be less than or equal to 2592000"),
    ({"limits": {"max_steps": 0}}, "limits.max_steps: Input should be greater than 0"),
    ({"limits": {"max_spend": 100}}, "limits.max_spend: Input should be"),
    ({"faults": [{"verb": "call", "tool": "charge_card", "fault": "after"}]}, "faults: fault injection is off"),
    ({"aproval_timeout_s": 60}, "aproval_timeout_s: Extra inputs are not permitted"),
]
"""A change of a request that fits, and what it is refused with."""
SHAPES = [[], [None], [[FITS]], ["refund"], [FITS, FITS], [7]]


async def refused(lab, payloads, run_id="run-1", **options):
    """Starts a run that must be refused without a trace; answers the reason."""
    run = await lab.env.client.start_workflow("AgentRun", args=payloads, id=run_id, task_queue=RUNS, **options)
    with pytest.raises(WorkflowFailureError) as failure:
        await run.result()
    cause = failure.value.cause
    assert isinstance(cause, ApplicationError)
    assert (cause.type, cause.non_retryable) == ("RunRefused", True)
    assert await lab.rows(run) == []
    assert await activities(run) == ["admit"]
    assert await lab.calls() == []
    await lab.check(run)
    return cause.message


async def test_a_request_that_does_not_fit_is_refused_with_the_field_and_what_is_allowed(lab):
    """T35."""
    for number, (change, why) in enumerate(UNFIT):
        assert (await refused(lab, [{**FITS, **change}], f"run-{number}")).startswith(why)


async def test_anything_but_one_json_object_is_refused_and_wedges_nothing(lab):
    """T35."""
    for number, payloads in enumerate(SHAPES):
        why = await refused(lab, payloads, f"run-{number}")
        assert why.startswith("expected one JSON object with agent, request, requested_by")


async def test_an_id_that_could_not_be_written_on_an_effect_is_refused(lab):
    for run_id in ("run 1182", "run/1182", "run-ä", "r" * 201):
        assert (await refused(lab, [FITS], run_id)).startswith("id: 1 to 200 characters")


async def test_what_temporal_itself_starts_again_is_refused(real_lab, plans):
    """T41: the first life ran out of time and left a draft; a second under the same keys would take it for its own."""
    lab = real_lab
    run = await lab.env.client.start_workflow(
        "AgentRun",
        {**FITS, "model": plans.make([draft()])},
        id="run-1",
        task_queue=RUNS,
        retry_policy=RetryPolicy(maximum_attempts=3, initial_interval=timedelta(seconds=1)),
        run_timeout=timedelta(seconds=3),
    )
    assert await lab.end(run) == "RunRefused"
    again = lab.env.client.get_workflow_handle("run-1")
    assert await activities(again) == ["admit"]
    assert await lab.rows(again) == []
    assert await world(lab) == ["mail.draft standing"]


async def test_a_run_that_was_undone_is_not_started_again_by_a_retry_policy(lab, plans):
    """T41."""
    policy = RetryPolicy(maximum_attempts=3)
    request = {**FITS, "model": plans.make([draft()])}
    run = await lab.env.client.start_workflow("AgentRun", request, id="run-1", task_queue=RUNS, retry_policy=policy)
    await lab.decide(run, "reject")
    assert await lab.end(run) == "RunUnwound"
    assert await world(lab) == ["mail.draft undone", "mail.delete standing"]
    assert len(plans["plan:0"].asked) == 2
    await lab.check(run)


async def test_an_id_that_the_server_knows_from_before_is_refused_and_the_first_life_is_left_alone(real_lab, plans):
    lab = real_lab
    first = await lab.start("run-1", plans.make([draft()]))
    await lab.decide(first, "reject")
    assert await lab.end(first) == "RunUnwound"
    before = await lab.calls()
    second = await lab.start("run-1", plans.make([draft()]))
    assert await lab.end(second) == "RunRefused"
    assert await lab.rows(second) == []
    assert await lab.calls() == before
