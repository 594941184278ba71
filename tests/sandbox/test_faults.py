"""Faults: how they are written, when they strike, and what is left of them."""

from typing import Any

import pytest

from workers.sandbox.faults import FaultPlan, Faults
from workers.sandbox.stamp import Stamp, hashed
from workers.sandbox.world import World


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"fault": "after:rest"}, "after:reset"),
        ({"fault": "refuse:200"}, "refuse:<status>"),
        ({"fault": "refuse"}, "refuse:<status>"),
        ({"fault": "in_use:1"}, "in_use"),
        ({"fault": "429"}, "429:<seconds>"),
        ({"fault": "429:soon"}, "429:<seconds>"),
        ({"fault": "lag:-1"}, "lag:<s>"),
        ({"fault": "after:slow"}, "after:slow:<s>"),
        ({"fault": ""}, "allowed"),
        ({"system": "gardens"}, "'warehouse'"),
        ({"operation": "charge"}, "'capture'"),
        ({"times": 0}, "times"),
        ({"times": "2"}, "times"),
        ({"skip": -1}, "skip"),
        ({"after_s": -1}, "after_s"),
        ({"run": ""}, "run"),
        ({"colour": "red"}, "colour"),
    ],
)
async def test_a_bad_plan_is_refused_by_name(sandbox, raw, change, named):
    plan = {"system": "payments", "operation": "capture", "fault": "in_use", **change}
    answer = await raw.post("/world/faults", json=plan)
    assert answer.status_code == 400
    assert named in answer.json()["error"]
    assert sandbox.faults.armed() == []


async def test_no_json_is_a_bad_plan(raw):
    assert (await raw.post("/world/faults", content=b"{")).status_code == 400


class Struck:
    """Requests to payments, and the faults that strike them."""

    def __init__(self, world: World) -> None:
        self.world, self.faults = world, Faults(world)

    def plan(self, fault: str, **fields: Any) -> None:
        plan = {"system": "payments", "operation": "capture", "fault": fault, **fields}
        self.faults.arm(FaultPlan.model_validate(plan))

    def __call__(self, *operations: str, run: str | None = None) -> str | None:
        return self.faults.strike("payments", operations or ("capture",), Stamp(run=run)).said


@pytest.fixture
def struck(tmp_path):
    world = World(tmp_path)
    yield Struck(world)
    world.close()


def test_skip_lets_through_and_times_counts(struck):
    struck.plan("in_use", skip=1, times=2)
    assert [struck() for _ in range(4)] == [None, "in_use", "in_use", None]


def test_faults_are_used_up_in_the_order_of_arming(struck):
    struck.plan("after:504")
    struck.plan("in_use", skip=1)
    assert [struck() for _ in range(4)] == ["after:504", None, "in_use", None]


def test_a_fault_waits_for_its_time_on_the_worlds_clock(struck):
    struck.plan("in_use", after_s=60)
    assert struck() is None
    struck.world.advance(60)
    assert struck() == "in_use"


def test_a_fault_strikes_its_operations_only(struck):
    struck.plan("in_use", operation="create")
    struck.plan("after:204", operation="*")
    assert [struck("capture"), struck("authorise", "create"), struck("read")] == ["after:204", "in_use", None]


def test_a_fault_strikes_its_run_only_told_plainly_or_by_hash(struck):
    struck.plan("in_use", run="run-1", times=2)
    assert [struck(run=run) for run in (None, "run-2", "run-1", hashed("run-1"), "run-1")] == [
        None, None, "in_use", "in_use", None,
    ]  # fmt: skip


def test_standing_faults_go_with_others_and_stay(struck):
    struck.plan("lag:60", operation="search")
    struck.plan("forget_keys:5", operation="*")
    struck.plan("in_use")
    assert [struck(), struck()] == ["in_use + lag:60 + forget_keys:5", "lag:60 + forget_keys:5"]
    strike = struck.faults.strike("payments", ("search",), Stamp())
    assert (strike.lag_s, strike.key_life_s, strike.name) == (60, 5, None)


def test_blind_ends_by_itself_only_where_times_is_given(struck):
    struck.plan("blind", operation="list", times=1)
    assert [struck("list"), struck("list")] == ["blind", None]
    struck.plan("blind", operation="list")
    assert [struck("list") for _ in range(3)] == ["blind"] * 3


def test_an_outage_after_skipped_requests_begins_with_the_first_that_is_not(struck):
    struck.plan("outage:10", skip=1)
    struck.world.advance(20)
    assert [struck(), struck()] == [None, "outage:10"]
    struck.world.advance(11)
    assert struck() is None


def test_partial_says_how_many(struck):
    struck.plan("partial:2")
    assert struck.faults.strike("payments", ("capture",), Stamp()).partial == 2
