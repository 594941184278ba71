"""A proposed call with its tool's facts on it, before it has a number or a key.

Facts travel: the workflow decides from what stands here and never imports a tool, so a tool that changes tomorrow
cannot break a run that is waiting today.
"""

from __future__ import annotations

from typing import Literal

from pydantic import JsonValue

from saga.keys import OPEN_KEY
from saga.money import Money
from saga.record import Json, Record

ToolClass = Literal["reversible", "compensatable", "irreversible"]
"""What undoing means: it vanishes · a counter-action stays in the record · nothing takes it back."""

Audience = Literal["agent", "support_team", "finance", "partner", "customer", "public"]
"""Who could have seen an effect, the smallest circle first."""

AUDIENCES: tuple[Audience, ...] = ("agent", "support_team", "finance", "partner", "customer", "public")

Grade = Literal["key_and_lookup", "lookup", "key", "neither"]
"""What the provider offers, hence what the harness can promise: honours our key, can be asked by it, both, neither."""


RULES = 1
"""The rules of today. Facts carry those that their call was vetted under, so that a run which began under older ones
replays by them: 1 has gates, infers dependencies, and looks once more before a call is sent again."""


def reach(audience: tuple[Audience, ...] | list[Audience]) -> int:
    """The blast radius as a rank: 0 nobody, 1 the agent, … 6 the public."""
    return max((AUDIENCES.index(each) + 1 for each in audience), default=0)


class Pace(Record):
    """How long and how often one half may be tried. Seconds; each is argued where the tool states it."""

    request_s: float
    """The client's own limit on one request."""
    attempt_s: float
    """Temporal's limit on one attempt (start to close); longer than `request_s`, so that the client gives up first."""
    patience_s: float
    """All attempts together (schedule to close), waiting for a worker included."""
    tries: int
    """Attempts that may end without an answer before the half is left UNKNOWN."""


class Handling(Record):
    """What the harness must know to send one half and to find out what became of it."""

    system: str
    grade: Grade
    clock_s: float
    """Longest life of a request plus the provider's index lag: before that has passed, absence proves nothing."""
    pace: Pace
    key_life_s: float | None = None
    """How long the provider surely remembers a key. None: for ever, or it honours none."""


class CounterCall(Record):
    """A call by name that is written down before it is needed; `OPEN_KEY` stands where the forward key goes."""

    tool: str
    args: Json

    def keyed(self, key: str) -> CounterCall:
        """The same call with the forward key filled in."""
        return self.model_copy(update={"args": fill_key(self.args, key)})


class Facts(Record):
    """What the tool says of this call; frozen into the row."""

    identity: str | None
    """Two calls of one tool with equal identity are one step. None: the words do not tell."""
    clock_s: float
    grade: Grade
    commits: Draft | None
    """The commit half that waits behind the pivot, complete, with `OPEN_KEY` where the staged key goes."""
    handling: Handling
    undo: Handling | None = None
    """How the counter-action is handled; None where there is none."""
    independent: bool = False
    """May run beside other calls of its turn."""
    refusable: bool = False
    """The provider can still say no at commit (money, reservations): it goes first among the commits."""
    tells: bool = False
    """Nothing but words to somebody: after what it announces."""
    undo_waits: bool = False
    """The counter-action must wait where something that depends on this could not be undone."""
    correctable: tuple[str, ...] = ()
    """Error codes after which the model may try again, as another step."""
    cost: Money | None = None
    """What the call takes from somebody."""
    gate: str = ""
    """Why a person's approval stands in for a correction."""
    at_once: bool = False
    """It cannot wait for the pivot: a person approves it by itself before it is sent."""
    names: tuple[str, ...] = ()
    """What other steps may call this effect by."""
    points_at: tuple[str, ...] = ()
    """Names of effects, earlier or later, that this one refers to."""
    checked: bool = False
    """The world is asked whether it would take the arguments, before a row is written."""
    rules: int = 0
    """See RULES."""


class Owned(Record):
    """An argument that must carry the external reference of a step of this very run."""

    argument: str
    ref: str
    tool: str | None = None
    """The tool that such a step must be of; None: any."""


class Draft(Record):
    """One call that may become a step."""

    tool: str
    tool_class: ToolClass
    target: str
    args: Json
    audience: tuple[Audience, ...]
    compensation: CounterCall | None
    correction: CounterCall | None
    facts: Facts
    references: tuple[str, ...] = ()
    """External references of earlier steps that the arguments carry."""
    owned: tuple[Owned, ...] = ()
    depends_on: tuple[int, ...] = ()
    """Steps that the model says this one stands on."""
    another: bool = False
    """The model asked for a second one of something that stands already."""

    @property
    def gated(self) -> bool:
        """A person decides on exactly this call, by itself, before it is sent."""
        again = self.another and self.tool_class != "irreversible" and self.facts.rules >= 1
        return self.facts.at_once or again

    def keyed(self, key: str) -> Draft:
        """This commit half, pointed at the staged step's key."""
        return self.model_copy(update={"args": fill_key(self.args, key)})


def fill_key(args: Json, key: str) -> Json:
    """`args` with the forward key in every place that was left open for it."""
    return {name: _filled(value, key) for name, value in args.items()}


def _filled(value: JsonValue, key: str) -> JsonValue:
    if isinstance(value, dict):
        return {name: _filled(each, key) for name, each in value.items()}
    if isinstance(value, list):
        return [_filled(each, key) for each in value]
    return key if value == OPEN_KEY else value
