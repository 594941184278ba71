"""A run that has ended is judged by its replay: what that tells is what a worker would answer, or law 10 is broken."""

from __future__ import annotations

import copy

import pytest
from temporalio.client import WorkflowHistory

from tests.faultkit.cards import Cards
from tests.faultkit.test_bulk import BAD, CALL, begun
from workers.faultkit.laboratory import told_by
from workers.faultkit.laws import Broken


@pytest.mark.parametrize(("more", "closed"), [((), "COMMITTED"), ((BAD,), "UNWOUND")], ids=["through", "back"])
async def test_the_replay_tells_what_a_worker_answers(more, closed):
    async with begun(Cards(), [CALL], *more) as (lab, run):
        await lab.end(run)
        rows, phase = await told_by(await run.fetch_history())
        assert (rows, phase) == (await lab.rows(run), (await run.query("status"))["phase"])
        assert phase == closed


async def test_a_history_that_the_code_would_not_have_made_breaks_law_10():
    async with begun(Cards(), [CALL]) as (lab, run):
        await lab.end(run)
        history = await run.fetch_history()
        other = copy.deepcopy(history)
        scheduled = [each for each in other.events if each.HasField("activity_task_scheduled_event_attributes")]
        scheduled[-1].activity_task_scheduled_event_attributes.activity_type.name = "another"
        await told_by(history)
        with pytest.raises(Broken, match="law 10"):
            await told_by(other)


async def test_a_history_that_goes_on_after_its_end_breaks_law_10():
    """What ended, and by its replay would not have, is not judged by the laws of a run that goes on."""
    async with begun(Cards(), [CALL], BAD) as (lab, run):
        await lab.end(run)
        events = (await run.fetch_history()).events
        done = [at for at, each in enumerate(events) if each.HasField("workflow_task_completed_event_attributes")]
        with pytest.raises(Broken, match="law 10"):
            await told_by(WorkflowHistory(run.id, [*events[: done[-3] + 1], events[-1]]))
