"""A reset to before a gate: what rang in the branch that was thrown away does not ring again, and is not denied."""

import pytest

from tests.lab import embedded, replay
from tests.workflows.club import approve, club, rung, say
from tests.workflows.sight import refusal
from tests.workflows.test_reset import awaited, perform_of, reset

# The server that users run, in real time: a reset is nothing that the test server can do.
pytestmark = pytest.mark.timeout(180)


def at_gate(status):
    """The call that waits by itself."""
    return [need for need in status["needs_human"] if need["kind"] == "gate"]


@pytest.fixture
async def reset_to_gate(plans):
    """The laboratory, and a run whose bell was rung before it was reset: it waits at the gate once more."""
    async with club(plans.model_of, environment=embedded) as hall:
        run = await hall.run(plans.make([say("open_room")], [say("ring_bell")]))
        first = await approve(hall, run, 1)
        assert await hall.end(run) == "COMMITTED"
        assert rung(hall) == 1
        run = await reset(hall, run, perform_of("open_room"))
        (need,) = at_gate(await awaited(run, at_gate))
        assert need["digest"] != first
        stale = {"step_idx": 1, "decision": "approve", "digest": first, "by": "bob"}
        assert "is not the digest" in await refusal(run.execute_update("decide_gate", stale))
        yield hall, run, need["digest"]


async def test_t34_approved_again_it_is_found_and_not_rung_twice(reset_to_gate):
    hall, run, digest = reset_to_gate
    await run.execute_update("decide_gate", {"step_idx": 1, "decision": "approve", "digest": digest, "by": "bob"})
    assert await hall.end(run) == "COMMITTED"
    assert rung(hall) == 1
    assert (await hall.rows(run))[1]["how"] == "looked_up"
    await replay(run)  # of the laws those that compare times do not hold: the rows were written anew


async def test_t34_rejected_now_it_has_rung_all_the_same_and_is_put_on_somebodys_name(reset_to_gate):
    hall, run, digest = reset_to_gate
    await run.execute_update("decide_gate", {"step_idx": 1, "decision": "reject", "digest": digest, "by": "bob"})
    (need,) = (await awaited(run, lambda status: status["needs_human"]))["needs_human"]
    assert (need["step_idx"], need["kind"]) == (1, "review")
    await run.execute_update("waive_step", {"step_idx": 1, "half": "call", "by": "bob", "note": "they were told"})
    assert await hall.end(run) == "RunUnwound"
    assert "rejected, and done before a reset" in (await run.query("status"))["why"]
    assert (rung(hall), hall.deed("room-0")) == (1, "undone")
    await replay(run)
