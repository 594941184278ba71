"""Each law can be seen to fail: a right world with one thing planted in it, and the law that says so."""

from __future__ import annotations

import copy
from datetime import UTC, datetime
from typing import Any

import pytest

from saga.keys import compensation_key, step_key
from workers.faultkit import laws

RUN, NOON = "run-1", datetime(2026, 1, 5, 12, tzinfo=UTC)
APPROVAL = {"by": "bob", "at": NOON.isoformat(), "digest": "0" * 16}


def row(idx, tool, status, **changes):
    """A row as the query answers it, of a step that is undone by a counter-action of its own."""
    undo: dict[str, Any] = {"tool": f"un_{tool}", "idempotency_key": compensation_key(RUN, idx, tool), "status": None}
    fields: dict[str, Any] = {
        "run_id": RUN,
        "step_idx": idx,
        "tool": tool,
        "tool_class": "compensatable",
        "idempotency_key": step_key(RUN, idx, tool),
        "status": status,
        "external_ref": f"ref-{idx}",
        "compensation": undo,
        "correction": None,
        "depends_on": [],
        "approved_by": None,
        "waived": None,
        "staged_by": None,
        "created_at": NOON.isoformat(),
    }
    return {**fields, **changes}


def effect(key, state="standing", after_s=10.0, **changes):
    """An effect of the run under that key."""
    ref = changes.pop("ref", f"ref of {key[:6]}")
    at = NOON.timestamp() + after_s
    return {"kind": "box.put", "key": key, "run": RUN, "ref": ref, "state": state, "at": at, **changes}


class Ended:
    """A run of three steps that ended well, to be spoilt: `rows`, `effects`, `phase`."""

    def __init__(self, phase):
        undone = phase == "UNWOUND"
        kept = "COMPENSATED" if undone else "CONFIRMED"
        self.phase = phase
        self.rows: list[dict[str, Any]] = [
            row(0, "put", kept),
            row(1, "wrap", kept, depends_on=[0]),
            row(2, "send", "CANCELLED" if undone else "CONFIRMED", tool_class="irreversible", compensation=None,
                approved_by=None if undone else APPROVAL),
        ]  # fmt: skip
        self.effects: list[dict[str, Any]] = [
            effect(each["idempotency_key"], "undone" if undone else "standing") for each in self.rows[:2]
        ]
        if not undone:
            self.effects.append(effect(self.rows[2]["idempotency_key"], kind="mail.send"))
            return
        for place, idx in enumerate((1, 0)):  # what stands on another first
            undo = self.rows[idx]["compensation"]
            undo["status"] = "CONFIRMED"
            about = {"undoes": self.effects[idx]["ref"]}
            self.effects.append(effect(undo["idempotency_key"], after_s=20.0 + place, kind="box.take", about=about))

    def broken(self):
        """The laws that do not hold, by number."""
        try:
            laws.check(self.rows, self.effects, run_id=RUN, phase=self.phase)
        except laws.Broken as error:
            return {line.split()[1].rstrip(":") for line in str(error).splitlines()[1:]}
        return set()


@pytest.fixture
def committed():
    return Ended("COMMITTED")


@pytest.fixture
def unwound():
    return Ended("UNWOUND")


def test_of_a_run_that_ended_well_no_law_is_broken(committed, unwound):
    assert (committed.broken(), unwound.broken()) == (set(), set())


def test_law_1_an_effect_without_a_row(committed):
    committed.effects.append(effect("f" * 32))
    assert committed.broken() == {"1"}


def test_law_1_an_effect_older_than_its_row(committed):
    committed.effects[0]["at"] = NOON.timestamp() - 60
    assert committed.broken() == {"1"}


def test_law_2_a_key_applied_twice(committed):
    committed.effects.append(copy.deepcopy(committed.effects[0]) | {"ref": "another"})
    assert committed.broken() == {"2"}


def test_law_2_a_second_effect_that_was_undone_is_healed(committed):
    committed.effects.append(copy.deepcopy(committed.effects[0]) | {"ref": "another", "state": "undone"})
    assert committed.broken() == set()


def test_law_2_one_thing_undone_twice_under_one_key_and_two_things_once_each(unwound):
    again = copy.deepcopy(unwound.effects[-1])
    unwound.effects.append(again)
    assert unwound.broken() == {"2"}
    again["about"] = {"undoes": "another"}
    assert unwound.broken() == set()


@pytest.mark.parametrize("status", ["QUEUED", "UNKNOWN", "INTENDED", "COMPENSATION_REQUESTED", "COMPENSATION_FAILED"])
def test_law_3_closed_with_something_open(committed, status):
    committed.rows[1]["status"] = status
    assert "3" in committed.broken()


def test_law_4_undone_and_never_there(unwound):
    del unwound.effects[0]
    assert "4" in unwound.broken()


def test_law_5_unwound_and_still_standing(unwound):
    unwound.effects[0]["state"] = "standing"
    assert unwound.broken() == {"5", "8"}


def test_law_5_what_it_stands_on_is_undone_first(unwound):
    unwound.effects[-1]["at"] -= 5
    assert unwound.broken() == {"5"}


def circle(run, firsts, *, after_s):
    """Steps 0 and 1 refer to each other; the first to be undone is `firsts`."""
    run.rows[0]["depends_on"] = [1]
    run.effects[-1]["at"] = run.effects[-2]["at"] + (after_s if firsts == 1 else -after_s)
    return run.broken()


def test_law_5_in_a_circle_only_what_refers_to_an_earlier_step_binds(unwound):
    assert circle(unwound, 1, after_s=5) == set()


def test_law_5_a_circle_undone_in_step_order(unwound):
    assert circle(unwound, 0, after_s=5) == {"5"}


def test_law_5_a_later_step_that_an_earlier_one_refers_to_is_undone_first(unwound):
    unwound.rows[0]["depends_on"], unwound.rows[1]["depends_on"] = [1], []
    assert unwound.broken() == {"5"}


@pytest.mark.parametrize(("at_once", "laws_broken"), [(True, set()), (False, {"6"})])
def test_law_6_what_a_gate_let_through_must_have_one(committed, at_once, laws_broken):
    committed.rows[2] |= {"approved_by": {**APPROVAL, "gate": True}, "facts": {"at_once": at_once}}
    assert committed.broken() == laws_broken


def test_law_6_irreversible_and_nobody_approved_it(committed):
    committed.rows[2]["approved_by"] = None
    assert committed.broken() == {"6"}


def test_law_6_irreversible_before_its_approval(committed):
    committed.effects[2]["at"] = NOON.timestamp() + 1
    committed.rows[2]["approved_by"] = {**APPROVAL, "at": NOON.replace(minute=5).isoformat()}
    assert committed.broken() == {"6"}


def test_law_7_approved_and_undone(committed):
    committed.rows[1] |= {"approved_by": APPROVAL, "status": "COMPENSATED"}
    committed.rows[1]["compensation"]["status"] = "CONFIRMED"
    committed.effects[1]["state"] = "undone"
    assert committed.broken() == {"7"}


def test_law_7_what_a_gate_let_through_may_be_undone(unwound):
    unwound.rows[1]["approved_by"] = {**APPROVAL, "gate": True}
    unwound.phase = "COMMITTED"
    unwound.rows[2]["status"] = "CANCELLED"
    assert unwound.broken() == set()


def test_law_8_compensated_and_the_provider_did_not(unwound):
    unwound.effects[1]["state"] = "pending"
    assert "8" in unwound.broken()


def test_law_9_confirmed_and_not_there(committed):
    del committed.effects[1]
    assert committed.broken() == {"9"}


def test_law_9_called_failed_and_there(committed):
    committed.rows[1]["status"] = "FAILED"
    assert committed.broken() == {"9"}


def test_what_a_person_waived_is_on_their_name(unwound):
    unwound.effects[0]["state"] = "standing"
    unwound.rows[0] |= {"status": "CONFIRMED", "waived": {"by": "bob", "at": NOON.isoformat(), "note": "mine"}}
    assert unwound.broken() == set()
