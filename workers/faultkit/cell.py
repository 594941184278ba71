"""A cell of a matrix: one fault at one target; and which faults strike which targets, with a rule for what is left out.

Nothing here knows a tool by name, so what is added to a registry is covered by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from workers.faultkit import fault as faults
from workers.faultkit.fault import Fault
from workers.faultkit.survey import Place, Wire
from workers.faultkit.target import MAIN, Target
from workers.faultkit.world import Wired


@dataclass(frozen=True)
class Cell:
    """One fault at one target. `at`: the (system, operation) that it strikes, where it strikes on the wire."""

    target: Target
    fault: Fault
    at: Place | None = None

    @property
    def id(self) -> str:
        """The target's, then the fault, then where on the wire it strikes."""
        return f"{self.target.id}/{self.fault.where}/{self.fault.name}" + (f"@{'.'.join(self.at)}" if self.at else "")


RULES: Mapping[str, str] = {
    "no finish": "an undo happens only where the run turns back",
    "only finish": "what is queued behind the approval runs only where somebody approves",
    "ends by itself": "a call refused for good, or that never gets through, ends the run before another ending can",
    "is an ending": "a cancel at a moment of a step is the run's ending; an undo comes after one and keeps it",
    "no counter-action": "what nothing takes back has no undo to strike",
    "no commit half": "a tool in one piece has no commit half to strike",
    "no lookup": "where nothing can be looked up no lookup can be struck: a person is asked",
    "no approval": "what is staged is looked at once more only where something waits for approval",
    "settled first": "how a run ends is decided after a lookup has settled: each is struck at two endings",
    "once at the doors": "in a world that can break on the wire the doors fail at one ending for each half",
    "no bulk call": "a part of the items fails only where one request carries several",
    "nobody mends a door": "a door that lets no counter-action through cannot be mended by the person it waits for",
    "shown by its like": "where the same functions make the same kind of request of the same system for another tool, "
    "one fault of each kind is shown: how the client and the doors take each fault of a kind the first of them shows, "
    "and a tool's own functions cannot tell such faults apart; what a run does after each kind is shown for each tool",
    "in all steps": "in a plan of all steps each half is refused, timed out, delivered twice and cancelled, no more",
}
"""Why cells are left out: registry times verbs times endings times faults is there, but for these."""

SCENES = ("refuse:400", "refuse", "after:slow:1.5", "hang", "duplicate", "twice", "cancel:sending", "cancel:sent")
"""What strikes a half in a plan of all steps."""


def cells(target: Target, wire: Wire, world: Wired | None, *, shown: bool = False) -> list[Cell]:
    """The cells of one target: at the doors in any world, and at the places of `wire` in one that can break there.

    `shown`: all of them are shown by another tool, and this one differs from it in nothing but its data.
    """
    doors = faults.DOOR_LOOKING if target.lookup else faults.DOOR_SENDING
    found = [Cell(target, each) for each in (*faults.MOMENTS, *doors)]
    if world is not None:
        found = [each for each in found if each.fault.where != "door" or _at_main_ending(each)]
        found += _on_wire(target, wire, world)
        found = [each for each in found if not shown or _is_its_own(each)]
    return [each for each in found if _is_one(each)]


def _is_its_own(cell: Cell) -> bool:
    """Of a tool whose like shows the rest: each kind of fault once, and every ending once."""
    if cell.fault.where == "door" or cell.fault.name not in faults.ONE_OF_EACH:
        return False
    return _at_main_ending(cell) or cell.fault.name == (faults.LATE if cell.target.lookup else faults.LOST)


def _at_main_ending(cell: Cell) -> bool:
    by_itself = cell.target.staging and cell.fault.kind in ("no", "dead")
    return cell.target.ending == ("give_up" if by_itself else MAIN[cell.target.verb])


def _is_one(cell: Cell) -> bool:
    target, kind = cell.target, cell.fault.kind
    if target.staging and kind in ("no", "dead") and target.ending != "give_up":
        return False
    if kind == "cancelled" and target.ending != MAIN[target.verb]:
        return False
    if target.whole and target.staging and (kind == "no") != (target.ending == "give_up"):
        return False
    if cell.fault.where == "door" and kind == "dead" and target.verb == "compensation":
        return False
    return not target.whole or cell.fault.name in SCENES


def _on_wire(target: Target, wire: Wire, world: Wired) -> Iterator[Cell]:
    kinds: list[tuple[Sequence[Place], Sequence[Fault]]] = [(wire.looks, faults.WIRE_LOOKING)]
    if not target.lookup:
        kinds = [(wire.writes, faults.WIRE_SENDING), (wire.reads, faults.WIRE_READING)]
    for places, several in kinds:
        for place in places:
            for fault in several:
                if all(world.strikes(blow.fault, *place) for blow in fault.blows):
                    yield Cell(target, fault, place)
