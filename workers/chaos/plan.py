"""The plan of one run: everything that will be done to it, fixed by the seed and its number alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Literal, TypeVar, get_args

from workers.chaos.piece import STAGED, Kind
from workers.chaos.trouble import Aim, aims

T = TypeVar("T")

Decision = Literal["approve", "reject", "send_back", "quarrel", "silence"]
"""quarrel: approved and rejected at once, by two people; either may win.
silence: nobody decides before the deadline."""
Stop = Literal["cancel", "keep", "terminate"]
Moment = Literal["early", "asked", "late"]
"""Soon after the start · once a proposal waits · right after the approval."""
Trick = Literal[
    "wrong_digest",
    "requester",
    "stranger",
    "empty_signal",
    "two_payloads",
    "null_signal",
    "unknown_signal",
    "broken_update",
    "doubled",
    "after_the_end",
]

REQUESTER = "sam"
APPROVERS = ("lead", "vice")
ORDERS = ("1182", "1183", "1184", "1185", "1186", "1187", "1188", "1189", "1190")
"""1187 is paid in yen, the first card of 1188 is declined, the goods of 1190 are out of stock."""

KINDS: Mapping[Kind, int] = {
    "refund": 45,
    "incident": 25,
    "refund_money": 8,
    "mail_only": 6,
    "review": 12,
    "garbage": 4,
}
"""How often each is drawn, of a hundred: what has most steps has most that can break."""

DECISIONS: Mapping[Decision, int] = {"approve": 8, "reject": 4, "quarrel": 1, "silence": 1, "send_back": 1}
MOMENTS: tuple[Moment, ...] = get_args(Moment)

ACTS: dict[str, tuple[tuple[str, str], ...]] = {
    "tickets": (("close", "fast"), ("delete", "fast"), ("move", "slow")),
    "payments": (("expire", "fast"), ("refund", "fast"), ("dispute", "slow")),
    "mail": (("delete", "fast"),),
    "warehouse": (("expire", "fast"), ("close", "fast")),
}
"""System → what somebody may do there. Slow: the undo may be refused three times, half a minute and a minute apart."""


@dataclass(frozen=True, kw_only=True)
class Act:
    """Something that a person or a provider does to one effect of the run, before the approval."""

    made: str
    system: str
    act: str


@dataclass(frozen=True, kw_only=True)
class Reset:
    """The run is reset at that moment, to the workflow task that lies `share` (0 to 1) into its history by then."""

    moment: Moment
    share: float


@dataclass(frozen=True, kw_only=True)
class Plan:
    """One run. `number` is its place in the bench, and with the seed all that it depends on."""

    number: int
    kind: Kind
    order_id: str
    aims: tuple[Aim, ...] = ()
    decision: Decision = "approve"
    by_signal: bool = False
    decider: str = APPROVERS[0]
    think_s: float = 0.0
    """From seeing a proposal to the decision."""
    act: Act | None = None
    stop: Stop | None = None
    stop_at: Moment = "asked"
    stop_after_s: float = 0.0
    reset: Reset | None = None
    tricks: tuple[Trick, ...] = ()
    strike: bool = False
    """The reviewer who sends it back strikes the last commit."""
    waives: bool = False
    """Whoever is asked about a step that failed leaves it as it is, instead of trying again."""
    approval_timeout_s: int = 86_400
    slow: bool = False
    """Waits of a minute and more lie in it."""

    @property
    def payload(self) -> dict[str, Any]:
        """The RunRequest."""
        return {
            "agent": "refund",
            "request": {"order_id": self.order_id, "customer_id": f"cus_{self.order_id}", "receipt": False},
            "requested_by": REQUESTER,
            "model": f"scripted:{self.kind}",
            "approvers": list(APPROVERS),
            "approval_timeout_s": self.approval_timeout_s,
        }

    @property
    def declined(self) -> bool:
        """A refusal of the card is aimed at it."""
        return any(each.system == "payments" and each.fault == "refuse:402" for each in self.aims)


def plan(seed: int, number: int) -> Plan:
    """The plan of that run. It does not depend on how many others there are."""
    draw = Random(f"{seed}/{number}")
    kind = _drawn(draw, KINDS)
    order_id = draw.choice(ORDERS)
    slow = draw.random() < 0.03
    # What is reset repeats its steps: nothing that makes it turn back may come before, or it would meet its own undo.
    reset = _reset(draw, kind) if kind != "garbage" and order_id != "1190" and draw.random() < 0.15 else None
    aimed = aims(draw, kind, slow=slow, gentle=reset is not None)
    decision = _decision(draw, kind, reset)
    stop = draw.choice(get_args(Stop)) if reset is None and draw.random() < 0.2 else None
    drawn = Plan(
        number=number,
        kind=kind,
        order_id=order_id,
        aims=aimed,
        decision=decision,
        by_signal=draw.random() < 0.3,
        decider=draw.choice(APPROVERS),
        think_s=draw.uniform(0, 2),
        act=_act(draw, kind, slow=slow) if reset is None and (slow or draw.random() < 0.15) else None,
        stop=stop,
        stop_at=draw.choice(MOMENTS),
        stop_after_s=draw.uniform(0, 1.5),
        reset=reset,
        tricks=tuple(each for each in get_args(Trick) if draw.random() < 0.12),
        strike=draw.random() < 0.5,
        waives=draw.random() < 0.1,
        approval_timeout_s=draw.randint(2, 6) if decision == "silence" else 86_400,
        slow=slow,
    )
    # What others do after the last look of a run that keeps is theirs, and nobody outside can tell before from after.
    return replace(drawn, act=None) if stop == "keep" else drawn


def _decision(draw: Random, kind: Kind, reset: Reset | None) -> Decision:
    if reset is not None:
        return "reject" if reset.moment != "late" and draw.random() < 0.3 else "approve"
    # Of the scripts only `refund` listens to what a reviewer writes.
    return _drawn(draw, {each: weight for each, weight in DECISIONS.items() if each != "send_back" or kind == "refund"})


def _reset(draw: Random, kind: Kind) -> Reset:
    # The money of one order can go back once in a world; a run that is refused it turns back by itself.
    moments: list[Moment] = [each for each in MOMENTS if each != "late" or kind != "refund_money"]
    return Reset(moment=draw.choice(moments), share=draw.random())


def _act(draw: Random, kind: Kind, *, slow: bool) -> Act | None:
    """One act on one staged effect; None where nothing of this kind can be acted on."""
    found = [
        Act(made=piece.made, system=piece.system, act=name)
        for piece in STAGED[kind]
        for name, pace in ACTS[piece.system]
        if (slow or pace == "fast") and _fits(piece.made, name)
    ]
    return draw.choice(found) if found else None


def _fits(made: str, act: str) -> bool:
    """A hold expires, a charge is refunded or disputed."""
    if made == "charge.authorise":
        return act == "expire"
    if made == "charge.capture":
        return act in ("refund", "dispute")
    return True


def _drawn(draw: Random, weights: Mapping[T, int]) -> T:
    return draw.choices(list(weights), list(weights.values()))[0]
