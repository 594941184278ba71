"""A half that is sent and found like another is struck by each kind of fault once, and not by all of each kind."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from typing import Any

import pytest

from saga.draft import CounterCall
from tests.faultkit import notes
from workers.faultkit import fault
from workers.faultkit.cell import cells
from workers.faultkit.likeness import shown_by
from workers.faultkit.pool import pooled
from workers.faultkit.target import MAIN, Target

TWIN = dataclasses.replace(notes.PIN, name="pin_twin", example={"text": "the lift runs again"})


def shown(more: Any, verb: Any, tool: str = "pin_twin") -> str | None:
    return shown_by(notes.kit(more=more).registry, Target("caretaker", tool, verb, MAIN[verb]))


def test_a_tool_of_the_same_functions_is_shown_by_the_first_of_them():
    assert shown([TWIN], "call") == "pin_note"
    assert shown([TWIN], "compensation") == "pin_note"
    assert shown([TWIN], "call", tool="pin_note") is None


@pytest.mark.parametrize(
    "other",
    [
        {"perform": notes.by_words.registry.tool("pin_note").perform},
        {"find": notes.blind_eye.registry.tool("pin_note").find},
        {"grade": "lookup"},
        {"index_lag_s": 1.0},
    ],
    ids=lambda other: next(iter(other)),
)
def test_one_that_differs_in_a_function_or_in_what_its_provider_offers_is_not(other):
    assert shown([dataclasses.replace(TWIN, **other)], "call") is None


def test_what_only_decides_how_the_run_goes_on_makes_no_other_request():
    assert shown([dataclasses.replace(TWIN, refusable=True, tool_class="reversible")], "call") == "pin_note"


def test_what_is_taken_back_by_another_function_is_shown_by_nobody():
    shrug = dataclasses.replace(notes.shrug.registry.counters["unpin_note"], name="shrug")
    twin = dataclasses.replace(TWIN, compensate=lambda _, key: CounterCall(tool="shrug", args={"note_key": key}))
    assert shown([twin, shrug], "compensation") is None
    assert shown([twin, shrug], "call") == "pin_note"


class Sender:
    def __init__(self, to: str) -> None:
        self.to = to

    async def perform(self, board: Any, call: Any) -> Any:
        raise NotImplementedError


class Shouter(Sender):
    pass


def test_methods_are_alike_whatever_they_are_bound_to_unless_it_is_of_another_class():
    pins = [
        dataclasses.replace(TWIN, name=name, perform=sender.perform)
        for name, sender in (("to_a", Sender("a")), ("to_b", Sender("b")), ("to_c", Shouter("c")))
    ]
    assert shown(pins, "call", tool="to_b") == "to_a"
    assert shown(pins, "call", tool="to_c") is None


async def test_each_kind_of_fault_and_each_ending_is_there_for_the_twin_as_well():
    kit = notes.kit(more=[TWIN])
    kinds: dict[str, dict[str, set[Any]]] = defaultdict(lambda: defaultdict(set))
    counts: dict[str, int] = defaultdict(int)
    async with pooled(kit, 1) as pool, pool.station() as station:
        for target in kit.targets:
            found = await station.cells(target)
            assert found, target.id
            counts[target.tool] += len(found)
            for each in found:
                if each.fault.where != "door":
                    kinds[target.tool][f"{target.verb} {target.lookup}"].add((each.fault.kind, each.at))
    assert kinds["pin_twin"] == kinds["pin_note"]
    assert counts["pin_twin"] < counts["pin_note"] / 2


def test_every_kind_of_fault_is_one_of_each():
    for faults in (fault.WIRE_SENDING, fault.WIRE_READING, fault.WIRE_LOOKING, fault.MOMENTS):
        some = {each.kind for each in faults if each.name in fault.ONE_OF_EACH}
        assert some == {each.kind for each in faults}


def test_a_world_that_cannot_break_on_the_wire_has_nothing_but_its_doors_for_the_twin_too():
    from workers.faultkit.survey import Wire

    target = Target("caretaker", "pin_twin", "call", "finish")
    assert cells(target, Wire(), None, shown=True) == cells(target, Wire(), None)
