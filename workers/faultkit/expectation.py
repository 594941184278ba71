"""What each fault must have led to, judged by the world: the difference of a cell, beside the laws that all obey."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from saga.keys import compensation_key, step_key
from saga.registry import Registry
from workers.faultkit.fault import Fault, Kind
from workers.faultkit.laws import UNDONE
from workers.faultkit.target import Ending, Target
from workers.faultkit.world import Effect

Fate = Literal["standing", "undone", "never"]
"""Of one half in the world: exactly one effect under its key stands · all are taken back, each once · none."""

CLOSES: Mapping[Ending, str] = {
    "finish": "COMMITTED",
    "give_up": "RunUnwound",
    "cancel": "Cancelled",
    "reject": "RunUnwound",
    "deadline": "RunUnwound",
}
TRIES = 20
"""More tries of one counter-action than any cell makes."""


@dataclass(frozen=True)
class Expected:
    """How the run closed, and what became of the half that was struck. Several where the provider had the choice."""

    closes: tuple[str, ...]
    struck: tuple[Fate, ...]


_AS_ASKED = "as asked"
"""The fault is survived: the run ends as the ending says, and the half with it."""
_BACK = "back"
"""It did not happen, and nothing else did that could not be taken back: all is undone."""
_EITHER = "either"
_FORWARD = "forward"
"""It cannot be made to happen any more, and a person lets the run go on without it."""
_CANCELLED = "cancelled"
"""The attempt is let end, and then undone."""

_SENDING: Mapping[Kind, Mapping[str, str]] = {
    #          a call before the approval | the first commit      | a later commit          | a counter-action
    "no":      {"call": _BACK,     "first": _BACK,     "later": _AS_ASKED, "compensation": _AS_ASKED},
    "dead":    {"call": _BACK,     "first": _BACK,     "later": _AS_ASKED, "compensation": _AS_ASKED},
    "either":  {"call": _EITHER,   "first": _EITHER,   "later": _AS_ASKED, "compensation": _AS_ASKED},
    "in_part": {"call": _EITHER,   "first": _EITHER,   "later": _FORWARD,  "compensation": _AS_ASKED},
    "not_yet": {"call": _AS_ASKED, "first": _AS_ASKED, "later": _AS_ASKED, "compensation": _AS_ASKED},
    "lost":    {"call": _AS_ASKED, "first": _AS_ASKED, "later": _AS_ASKED, "compensation": _AS_ASKED},
    "twice":   {"call": _AS_ASKED, "first": _AS_ASKED, "later": _AS_ASKED, "compensation": _AS_ASKED},
    "cancelled": {"call": _CANCELLED, "first": _AS_ASKED, "later": _AS_ASKED, "compensation": _AS_ASKED},
}  # fmt: skip
"""Once something was committed a person sees to it that the rest is: forward only. A counter-action is tried until it
is done, with a person where it is refused."""

_STAGED_LOOK: Mapping[Kind, str] = {
    "sees_late": _EITHER,
    "sees_nothing": _EITHER,  # a lookup by id may still see
    "never_sees": _EITHER,  # so may one that does without the request which is never answered
    "cancelled": _CANCELLED,
}
"""What cannot be seen to stand is no ground to commit on. Any other lookup decides nothing but when it is known."""


def expected(target: Target, fault: Fault, *, first: bool, honours_keys: bool, looked_up: bool = True) -> Expected:
    """What must have come of that fault. `first`: the half is the first that the approval runs.

    `looked_up`: what nobody heard of can be looked for. Where it cannot, a person is asked, who mends what struck
    before they say that nothing has happened; a door that lets nothing through they cannot mend.
    """
    kind, staging = fault.kind, target.verb == "call" and not target.queued
    if target.staged:
        led_to = _STAGED_LOOK[kind]
    elif target.lookup:
        led_to = _CANCELLED if kind == "cancelled" and staging else _AS_ASKED
        if fault.where == "door" and kind == "never_sees" and staging and target.ending == "finish":
            led_to = _EITHER  # nobody mends a door, and it is looked at once more before the first commit
    else:
        behind = target.verb == "commit" or target.queued
        led_to = _SENDING[kind][("first" if first else "later") if behind else target.verb]
        if kind == "dead" and fault.where == "wire" and not looked_up:
            led_to = _AS_ASKED
    turned_back: Fate = "standing" if target.kept else "undone"
    asked = Expected((CLOSES[target.ending],), ("standing" if target.ending == "finish" else turned_back,))
    back = Expected(("RunUnwound",), (turned_back if target.lookup else "never",))
    if kind == "twice" and staging and not honours_keys:
        return Expected((*asked.closes, "RunUnwound"), (*asked.struck, "undone"))  # two are no ground to commit on
    if led_to == _AS_ASKED:
        return asked
    if led_to == _FORWARD:
        return Expected(asked.closes, ("standing", "never"))
    if led_to == _CANCELLED:
        return Expected(("Cancelled",), (turned_back,))
    return back if led_to == _BACK else Expected(asked.closes + back.closes, asked.struck + back.struck)


@dataclass(frozen=True)
class Outcome:
    """What there is to judge: the log, the world, and how the run closed."""

    run_id: str
    rows: Sequence[Mapping[str, Any]]
    effects: Sequence[Effect]
    closed: str

    def fate(self, step_idx: int, tool: str) -> Fate | str:
        """What the world says of that step; in words where it is none of the three."""
        key = step_key(self.run_id, step_idx, tool)
        undo = {compensation_key(self.run_id, step_idx, tool, n) for n in range(1, TRIES + 1)}
        done = [each for each in self.effects if each["key"] == key]
        taken = [each for each in self.effects if each["key"] in undo and each["state"] != "failed"]
        live = [each for each in done if each["state"] not in UNDONE]
        # Of what was done twice each is taken back by itself; a hold that ran out leaves nothing to take back.
        once = max(Counter(_undoing(each) for each in taken).values(), default=0) <= 1 and len(taken) <= len(done)
        expired = any(each["state"] == "expired" for each in done)
        if not done and not taken:
            return "never"
        if len(live) == 1 and once and len(taken) < len(done):
            return "standing"
        if done and not live and once and (taken or expired):
            return "undone"
        return f"{[_told(each) for each in done]}, counter-actions {[_told(each) for each in taken]}"


_STATUS: Mapping[str, tuple[str, ...]] = {
    "standing": ("CONFIRMED",),
    "undone": ("COMPENSATED",),
    "never": ("FAILED", "NOT_EXECUTED", "CANCELLED"),
}


def differences(registry: Registry, target: Target, wanted: Expected, seen: Outcome) -> Iterator[str]:
    """What came otherwise than it must have."""
    if seen.closed not in wanted.closes:
        yield f"the run closed as {seen.closed}, not as {' or '.join(wanted.closes)}"
    struck = registry.tool(target.tool).commits if target.verb == "commit" else target.tool
    fates = [seen.fate(row["step_idx"], row["tool"]) for row in seen.rows if row["tool"] == struck]
    came = [fate for fate in fates if fate != "never"] or ["never"]  # tried again as a new row: one of them happened
    if len(came) > 1 or came[0] not in wanted.struck:
        yield f"of {struck} the world holds {', '.join(came)}, not {' or '.join(wanted.struck)}"
    yield from agreement(seen)


def agreement(seen: Outcome) -> Iterator[str]:
    """Every step has the fate that its row says, and that fits how the run closed."""
    for row in seen.rows:
        fate, name = seen.fate(row["step_idx"], row["tool"]), f"step {row['step_idx']} {row['tool']}"
        if row["status"] not in _STATUS.get(fate, ()) and not row["waived"]:
            yield f"{name} is {row['status']}, and the world holds: {fate}"
        kept = row["tool_class"] == "irreversible" and row["approved_by"]  # let through by itself, before the approval
        if seen.closed != "COMMITTED" and fate == "standing" and not kept:
            yield f"{name} stands, and the run was to be undone"
        if seen.closed == "COMMITTED" and fate == "undone":
            yield f"{name} was undone, and the run went through"


def _undoing(effect: Effect) -> tuple[str, str]:
    return effect["kind"], (effect.get("about") or {}).get("undoes") or effect["ref"]


def _told(effect: Effect) -> str:
    return f"{effect['kind']} {effect['ref']} {effect['state']}"
