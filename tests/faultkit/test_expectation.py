"""What is expected of a fault, and how the world is read: each fate and each difference can be seen to fail."""

import pytest

from saga.keys import compensation_key, step_key
from tests.matrix.house import KIT
from workers.faultkit import fault
from workers.faultkit.expectation import Expected, Outcome, agreement, differences, expected
from workers.faultkit.target import Target

RUN = "run-1"
CALL = Target("refund", "charge_card", "call", "finish")


def effect(key, kind="charge.capture", state="standing", ref="pi_1"):
    return {"kind": kind, "key": key, "state": state, "ref": ref}


def row(status, step=0, **more):
    plain = {"tool": "charge_card", "tool_class": "compensatable", "approved_by": None, "waived": None}
    return {**plain, "step_idx": step, "status": status, **more}


def outcome(*effects, status="CONFIRMED", closed="COMMITTED"):
    return Outcome(RUN, [row(status)], list(effects), closed)


DONE = effect(step_key(RUN, 0, "charge_card"))
TAKEN = effect(step_key(RUN, 0, "charge_card"), state="undone")
UNDO = effect(compensation_key(RUN, 0, "charge_card"), "charge.refund", ref="re_1")
UNDO_AGAIN = effect(compensation_key(RUN, 0, "charge_card", 2), "charge.refund", ref="re_1")


@pytest.mark.parametrize(
    ("effects", "fate"),
    [
        ((), "never"),
        ((DONE,), "standing"),
        ((TAKEN, UNDO), "undone"),
        ((TAKEN, DONE, UNDO), "standing"),
        (({**DONE, "state": "expired"},), "undone"),
    ],
)
def test_the_world_says_what_became_of_a_step(effects, fate):
    assert outcome(*effects).fate(0, "charge_card") == fate


@pytest.mark.parametrize("effects", [(DONE, DONE), (TAKEN,), (UNDO,), (DONE, UNDO), (TAKEN, UNDO, UNDO_AGAIN)], ids=str)
def test_what_is_none_of_them_is_told_in_words(effects):
    assert outcome(*effects).fate(0, "charge_card") not in ("never", "standing", "undone")


def told(seen, wanted=None):
    return list(differences(KIT.registry, CALL, wanted or Expected(("COMMITTED",), ("standing",)), seen))


def test_what_came_as_it_must_differs_in_nothing():
    assert told(outcome(DONE)) == []


@pytest.mark.parametrize(
    ("seen", "words"),
    [
        (outcome(DONE, closed="RunUnwound"), "the run closed as RunUnwound, not as COMMITTED"),
        (outcome(status="FAILED"), "of charge_card the world holds never, not standing"),
        (outcome(DONE, status="FAILED"), "step 0 charge_card is FAILED, and the world holds: standing"),
        (outcome(status="CONFIRMED"), "step 0 charge_card is CONFIRMED, and the world holds: never"),
        (outcome(DONE, closed="Cancelled"), "step 0 charge_card stands, and the run was to be undone"),
        (outcome(TAKEN, UNDO, status="COMPENSATED"), "step 0 charge_card was undone, and the run went through"),
    ],
)
def test_each_difference_is_told(seen, words):
    assert words in told(seen)


def test_what_was_let_through_by_itself_may_stand_in_a_run_that_was_undone():
    sent = row("CONFIRMED", tool_class="irreversible", approved_by={"by": "bob"})
    assert list(agreement(Outcome(RUN, [sent], [DONE], "RunUnwound"))) == []
    assert list(agreement(Outcome(RUN, [sent | {"approved_by": None}], [DONE], "RunUnwound"))) != []


def of(name, where="wire"):
    lists = (fault.WIRE_SENDING, fault.DOOR_SENDING, fault.WIRE_LOOKING, fault.DOOR_LOOKING, fault.MOMENTS)
    return next(each for faults in lists for each in faults if (each.name, each.where) == (name, where))


BACK = Expected(("RunUnwound",), ("never",))
THROUGH = Expected(("COMMITTED",), ("standing",))


@pytest.mark.parametrize(
    ("target", "name", "first", "wanted"),
    [
        (Target("a", "t", "call", "give_up"), "refuse:400", False, BACK),
        (Target("a", "t", "call", "finish"), "after:504", False, THROUGH),
        (Target("a", "t", "call", "reject"), "after:504", False, Expected(("RunUnwound",), ("undone",))),
        (Target("a", "t", "call", "cancel"), "before:503", False, Expected(("Cancelled",), ("undone",))),
        (Target("a", "t", "commit", "finish"), "refuse:400", True, BACK),
        (Target("a", "t", "commit", "finish"), "refuse:400", False, THROUGH),
        (Target("a", "t", "call", "finish", queued=True), "before:504*", True, BACK),
        (Target("a", "t", "call", "reject", kept=True), "after:504", False, Expected(("RunUnwound",), ("standing",))),
        (Target("a", "t", "call", "give_up", kept=True), "refuse:400", False, BACK),
        (Target("a", "t", "compensation", "deadline"), "refuse:400", False, Expected(("RunUnwound",), ("undone",))),
    ],
)
def test_the_table_says_what_a_fault_must_have_led_to(target, name, first, wanted):
    assert expected(target, of(name), first=first, honours_keys=True) == wanted


def test_every_kind_of_fault_stands_in_the_table():
    for each in (*fault.WIRE_SENDING, *fault.WIRE_READING, *fault.DOOR_SENDING, *fault.MOMENTS):
        for verb in ("call", "commit", "compensation"):
            expected(Target("a", "t", verb, "reject"), each, first=False, honours_keys=True)
    for each in (*fault.WIRE_LOOKING, *fault.DOOR_LOOKING, *fault.MOMENTS):
        expected(Target("a", "t", "call", "finish", lookup=True, staged=True), each, first=False, honours_keys=True)
