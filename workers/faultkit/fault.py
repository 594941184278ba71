"""The faults of a matrix, each with what it leaves behind. What a run must make of that is for `expectation` to say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "no",
    "dead",
    "not_yet",
    "lost",
    "twice",
    "either",
    "in_part",
    "sees_late",
    "sees_nothing",
    "never_sees",
    "cancelled",
]
"""`no`: a definite no, nothing done · `dead`: nothing done, and no answer however often it is sent, until somebody
mends it · `not_yet`: nothing done, the next request passes · `lost`: done, and the answer is lost · `twice`: delivered
twice · `either`: done or not, as the provider chose to answer · `in_part`: some items of it failed. Of lookups:
`sees_late`: passes by itself · `sees_nothing`: answers as if there were nothing, until mended · `never_sees`: no answer
until mended. `cancelled`: nothing failed; somebody cancels the run at this moment of the attempt."""

Where = Literal["door", "wire", "moment"]
ALWAYS = 99
"""Times: more often than anybody asks, until somebody mends it."""


@dataclass(frozen=True)
class Blow:
    """One fault of a system or of a door, so many times."""

    fault: str
    times: int = 1


@dataclass(frozen=True)
class Fault:
    """What strikes one verb: the blows that it is made of, in the order in which they are armed."""

    name: str
    kind: Kind
    where: Where
    blows: tuple[Blow, ...]


def _faults(where: Where, kind: Kind, *names: str) -> tuple[Fault, ...]:
    """Each name is blows joined by ` + `; one with a star strikes until somebody mends it."""
    return tuple(Fault(name, kind, where, tuple(_blow(each) for each in name.split(" + "))) for name in names)


def _blow(text: str) -> Blow:
    return Blow(text.removesuffix("*"), ALWAYS if text.endswith("*") else 1)


WIRE_SENDING: Sequence[Fault] = (
    *_faults("wire", "no", "refuse:400", "refuse:403"),
    *_faults("wire", "either", "refuse:409", "refuse:500"),
    *_faults("wire", "in_part", "partial:1"),
    *_faults("wire", "not_yet", "before:503", "before:reset", "in_use", "429:1", "outage:3"),
    *_faults("wire", "dead", "before:504*"),
    *_faults("wire", "lost", "after:504", "after:reset", "after:truncate", "after:blank200", "after:204"),
    *_faults("wire", "lost", "after:html200", "after:slow:1.5", "after:504*", "forget_keys:60 + after:reset*"),
    *_faults("wire", "twice", "duplicate"),
)
"""Faults of the requests that write."""

WIRE_READING: Sequence[Fault] = _faults("wire", "not_yet", "before:reset", "after:html200")
"""Faults of what a sending half reads before it writes."""

WIRE_LOOKING: Sequence[Fault] = (
    *_faults("wire", "sees_late", "before:503", "refuse:500", "429:1", "outage:20", "after:truncate"),
    *_faults("wire", "sees_late", "after:html200", "after:slow:1.5", "lag:1.5", "blind"),
    *_faults("wire", "sees_nothing", "blind*"),
    *_faults("wire", "never_sees", "before:503*"),
)
"""Faults of lookups."""

DOOR_SENDING: Sequence[Fault] = (
    *_faults("door", "no", "refuse"),
    *_faults("door", "not_yet", "not_sent", "before"),
    *_faults("door", "dead", "before*"),
    *_faults("door", "lost", "after", "after*", "hang"),
    *_faults("door", "twice", "twice"),
)
DOOR_LOOKING: Sequence[Fault] = (
    *_faults("door", "sees_late", "down", "lag"),
    *_faults("door", "never_sees", "down*"),
)

MOMENTS: Sequence[Fault] = _faults("moment", "cancelled", "cancel:sending", "cancel:sent")
"""Somebody cancels when the attempt has begun and nothing is sent; or when it is answered and unheard."""

ONE_OF_EACH = frozenset(
    {"refuse:400", "refuse:409", "refuse:500", "partial:1", "before:503", "before:reset", "before:504*", "after:504"}
    | {"forget_keys:60 + after:reset*", "duplicate", "lag:1.5", "blind", "blind*", "before:503*"}
    | {"cancel:sending", "cancel:sent"}
)
"""One fault of each kind, and more where a tool's own functions can tell them apart: what it may be told when a key is
in use or forgotten, and what a list may leave out."""
LOST, LATE = "after:504", "before:503"
"""Of a call and of a lookup the fault that every ending must be able to follow."""

SILENCE, DEAFNESS, DOOR_SILENCE = Blow("after:504", ALWAYS), Blow("before:504", ALWAYS), Blow("after", ALWAYS)
"""What makes a half be looked for. What it writes is done and no answer of it ever arrives; from then on nothing that
it reads is answered either, or it would find out by itself."""
