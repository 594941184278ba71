"""An undo that is asked for again, by people or by the model: what was given back once is not given back twice."""

import asyncio

from tests.workflows.plan import charge, goods, ticket
from tests.workflows.sight import refusal, statuses, world, writes
from workflows.options import RUNS

UNDO = {"step_idx": 0, "half": "compensation", "by": "bob"}


async def test_two_people_who_want_an_undo_tried_again_have_it_done_once(lab, plans):
    """T29."""
    await lab.fault("payments", "refund", "refuse:402", times=3)
    await lab.fault("tickets", "transition", "refuse:400", times=999)
    await lab.fault("warehouse", "reserve", "refuse:409")
    run = await lab.start("run-1", plans.make([charge(), ticket(), goods()]))
    await lab.until(run, lambda status: len(status["needs_human"]) == 2)
    await lab.end_work(RUNS)
    asked = [run.execute_update("retry_step", {**UNDO, "by": by}) for by in ("bob", "carol")]
    answers = asyncio.gather(*asked, return_exceptions=True)
    await asyncio.sleep(0.1)  # both are on their way
    await lab.begin_work(RUNS)
    assert sorted(isinstance(each, Exception) for each in await answers) == [False, True]
    await lab.until(run, lambda status: len(status["needs_human"]) == 1)
    for name in ("retry_step", "waive_step"):  # and a third, once it is done
        assert await refusal(run.execute_update(name, UNDO)) != ""
    await lab.env.sleep(3600)
    given = [each["amount_minor"] for each in await lab.effects(kind="charge.refund")]
    assert given == [500]
    assert (await writes(lab, system="payments")).count("payments refund") == 4
    await lab.mend()
    await run.execute_update("retry_step", {**UNDO, "step_idx": 1})
    assert await lab.end(run) == "RunUnwound"
    assert len(await lab.effects(kind="charge.refund")) == 1
    await lab.check(run)


async def test_a_model_that_plans_again_undoes_nothing_twice(lab, plans):
    """T29: the goods were struck and went back; the model, asked anew, wants them released once more."""
    again = [("release_goods", {}), ("refund_charge", {}), goods()]
    plan = plans.make([charge(), goods()], [], again)
    run = await lab.start("run-1", plan)
    await lab.decide(run, "send_back", strike=[2])
    await lab.proposal(run)
    assert [outcome for _, outcome, _ in plans[plan].told[-3:]] == ["denied", "denied", "confirmed"]
    assert (await writes(lab, system="warehouse")).count("warehouse release") == 1
    await lab.decide(run, "reject")
    assert await lab.end(run) == "RunUnwound"
    assert len(plans[plan].asked) == 4
    assert await world(lab, kind="goods.release") == ["goods.release standing"] * 2
    assert await world(lab, kind="goods.reserve") == ["goods.reserve undone"] * 2
    assert len(await lab.effects(kind="charge.refund")) == 1
    assert statuses(await lab.check(run))[:2] == ["charge_card COMPENSATED", "reship COMPENSATED"]
