"""Faults: how they are written, when they strike, and what is left of them afterwards.

Tried in the order in which they were armed; the first that fits strikes, and only it. `lag`,
`forget_keys`, `blind` and `outage` go with others and stay armed (`outage` until it is over, `blind` so
many times where `times` is given). The operation of a `lag` is not looked at: only searches lag.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from email.utils import formatdate, parsedate_to_datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from workers.sandbox.stamp import Stamp
from workers.sandbox.world import KEY_LIFE_S, World

SystemName = Literal["payments", "tickets", "mail", "warehouse", "orders", "workspaces", "sms", "webhooks"]
OperationName = Literal[
    "create", "authorise", "capture", "cancel", "refund", "transition", "comment", "draft", "send", "reserve",
    "confirm", "release", "update", "delete", "search", "list", "read", "*",
]  # fmt: skip

ALLOWED = (
    "refuse:<status>, before:<status>, before:reset, after:<status>, after:reset, after:truncate, "
    "after:blank200, after:204, after:html200, after:slow:<s>, in_use, 429:<seconds>, 429:date, "
    "429:<HTTP date>, duplicate, partial:<n>, lag:<s>, forget_keys:<s>, blind, outage:<s>; "
    "a status is 400 to 599"
)
_NUMBER = r"\d+(?:\.\d+)?"
_FORMS = {
    "refuse": r"[45]\d\d",
    "before": r"[45]\d\d|reset",
    "after": rf"[45]\d\d|reset|truncate|blank200|204|html200|slow:{_NUMBER}",
    "in_use": None,
    "429": None,  # has three forms; read by `_is_retry_after`
    "duplicate": None,
    "partial": r"\d+",
    "lag": _NUMBER,
    "forget_keys": _NUMBER,
    "blind": None,
    "outage": _NUMBER,
}
_STANDING = frozenset({"lag", "forget_keys", "blind", "outage"})
_DATE_AHEAD_S = 2
"""`429:date` names a moment this far ahead: far enough to be in the future when it is read."""


class FaultPlan(BaseModel):
    """A fault as it is armed. `after_s` counts from arming on the world's clock."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    system: SystemName
    operation: OperationName
    fault: str
    times: int = Field(default=1, ge=1)
    skip: int = Field(default=0, ge=0)
    after_s: float = Field(default=0, ge=0)
    run: str | None = None

    @field_validator("fault")
    @classmethod
    def _is_known(cls, fault: str) -> str:
        name, _, arg = fault.partition(":")
        form = _FORMS.get(name, "")
        fits = _is_retry_after(arg) if name == "429" else re.fullmatch(form or "", arg) is not None
        bare = form is None and name != "429"
        if name not in _FORMS or not fits or (bare and ":" in fault):
            raise ValueError(f"no such fault {fault!r}; allowed: {ALLOWED}")
        return fault

    @model_validator(mode="after")
    def _has_a_run(self) -> "FaultPlan":
        if self.run == "":
            raise ValueError("run: empty; leave it out to strike every run")
        return self


@dataclass(frozen=True)
class Strike:
    """What strikes one request: at most one fault that ends it, and the standing ones beside it."""

    name: str | None = None
    arg: str = ""
    said: str | None = None
    lag_s: float = 0.0
    blind: bool = False
    key_life_s: float = KEY_LIFE_S

    @property
    def fault(self) -> str | None:
        """The striking fault as it was written, such as `after:reset`."""
        return f"{self.name}:{self.arg}" if self.name and self.arg else self.name

    @property
    def partial(self) -> int:
        """How many items of a bulk call fail."""
        return int(self.arg) if self.name == "partial" else 0


class Faults:
    """The armed faults of a world, kept in its file."""

    def __init__(self, world: World) -> None:
        self._world = world

    def arm(self, plan: FaultPlan) -> None:
        """Arm one more."""
        # Only `blind` may be made to end by itself: nobody could tell a lag from one that is over.
        counted = plan.fault.partition(":")[0] not in _STANDING or (
            plan.fault == "blind" and "times" in plan.model_fields_set
        )
        armed = {"armed_at": self._world.now(), "counted": counted, "skipped": False, "began_at": None}
        self._world.arm({**plan.model_dump(), **armed})

    def armed(self) -> list[dict[str, Any]]:
        """What is armed, with the `times` and `skip` that are left."""
        return [fault for _, fault in self._world.armed()]

    def disarm(self, **equals: str) -> None:
        """Disarm those whose fields are so; all, where none is given."""
        for seq, fault in self._world.armed():
            if all(str(fault[name]) == value for name, value in equals.items()):
                self._world.rearm(seq, None)

    def strike(self, system: str, operations: Iterable[str], stamp: Stamp) -> Strike:
        """What strikes this request; counts it against the faults it meets. Call it in a transaction."""
        names = {*operations, "*"}
        fitting = [
            (seq, fault)
            for seq, fault in self._world.armed()
            if fault["system"] == system
            and (fault["operation"] in names or fault["fault"].startswith("lag:"))
            and self._world.now() >= fault["armed_at"] + fault["after_s"]
            and (fault["run"] is None or stamp.is_run(fault["run"]))
        ]
        standing = [(s, f) for s, f in fitting if f["fault"].partition(":")[0] in _STANDING]
        strike = self._stand(standing)
        if strike.name == "outage":
            return strike
        standing_seqs = {seq for seq, _ in standing}
        return self._hit([(s, f) for s, f in fitting if s not in standing_seqs], strike)

    def _stand(self, fitting: list[tuple[int, dict[str, Any]]]) -> Strike:
        lag_s, blind, key_life_s, said = 0.0, False, KEY_LIFE_S, list[str]()
        for seq, fault in fitting:
            if self._let_through(seq, fault):
                continue
            name, _, arg = fault["fault"].partition(":")
            if name == "outage":
                if self._is_over(seq, fault, float(arg)):
                    continue
                return Strike(name="outage", arg=arg, said=fault["fault"])
            if name == "lag":
                lag_s = max(lag_s, float(arg))
            elif name == "forget_keys":
                key_life_s = min(key_life_s, float(arg))
            else:
                blind = True
                self._count(seq, fault)
            said.append(fault["fault"])
        return Strike(said=" + ".join(said) or None, lag_s=lag_s, blind=blind, key_life_s=key_life_s)

    def _hit(self, fitting: list[tuple[int, dict[str, Any]]], strike: Strike) -> Strike:
        for seq, fault in fitting:
            if self._let_through(seq, fault):
                continue
            self._count(seq, fault)
            name, _, arg = fault["fault"].partition(":")
            return Strike(
                name=name, arg=arg, said=" + ".join(filter(None, (fault["fault"], strike.said))),
                lag_s=strike.lag_s, blind=strike.blind, key_life_s=strike.key_life_s,
            )  # fmt: skip
        return strike

    def _let_through(self, seq: int, fault: dict[str, Any]) -> bool:
        if fault["skip"] == 0:
            return False
        self._world.rearm(seq, {**fault, "skip": fault["skip"] - 1, "skipped": True})
        return True

    def _is_over(self, seq: int, fault: dict[str, Any], lasts_s: float) -> bool:
        began = fault["began_at"]
        if began is None:
            # After requests that were let through it begins with the first that was not.
            began = self._world.now() if fault["skipped"] else fault["armed_at"] + fault["after_s"]
            self._world.rearm(seq, {**fault, "began_at": began})
        if self._world.now() < began + lasts_s:
            return False
        self._world.rearm(seq, None)
        return True

    def _count(self, seq: int, fault: dict[str, Any]) -> None:
        if fault["counted"]:
            left = fault["times"] - 1
            self._world.rearm(seq, {**fault, "times": left} if left else None)


def retry_after(arg: str, now: float) -> str:
    """The `Retry-After` header of `429:<arg>`: seconds, or an HTTP date."""
    return formatdate(now + _DATE_AHEAD_S, usegmt=True) if arg == "date" else arg


def _is_retry_after(arg: str) -> bool:
    if arg == "date" or re.fullmatch(r"\d+", arg):
        return True
    try:
        parsedate_to_datetime(arg)
    except ValueError:
        return False
    return True
