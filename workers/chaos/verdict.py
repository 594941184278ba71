"""The verdict: every run held against the world, those that were terminated apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from saga.keys import run_tag
from workers.chaos.ending import Ended
from workers.holding import said
from workers.ledger import LIVE
from workers.sandbox.world import Effect
from workers.scoreboard import Flaw, Scoreboard, count

ALWAYS = ("duplicates", "irreversible_before_pivot")
"""What must not be even where a run was killed in the middle."""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """`board` has the seven numbers; `open` a sentence for each terminated run; `wrong` what no number counts."""

    board: Scoreboard
    open: tuple[str, ...]
    wrong: tuple[str, ...]
    endings: Counter[str]

    @property
    def clean(self) -> bool:
        """Seven zeros, nothing else wrong, and every run that was not terminated has closed."""
        return self.board.clean and not self.wrong


def judge(ends: Sequence[Ended], effects: Sequence[Effect], *, since: float) -> Verdict:
    """`effects` are the whole world's; `since` is when the first run began, on its clock."""
    by_run = _by_run(effects)
    ends_ = [each.end(_of(by_run, each.run_id)) for each in ends]
    # The world's clock is nobody's to move here, so an effect's time is the wall's and no call need be looked at.
    board = count(ends_, effects, (), since=since)
    cut = {each.run_id for each in ends if each.ending == "TERMINATED"}
    flaws = tuple(each for each in board.flaws if each.run_id not in cut or each.number in ALWAYS)
    return Verdict(
        board=Scoreboard(flaws),
        open=tuple(_open(each, _of(by_run, each.run_id)) for each in ends if each.run_id in cut),
        wrong=tuple(f"run {each.run_id}: {what}" for each in ends for what in each.flaws),
        endings=Counter(each.ending or "STUCK" for each in ends),
    )


def flawed(verdict: Verdict) -> list[Flaw]:
    """Those that name a run."""
    return [each for each in verdict.board.flaws if each.run_id]


def _by_run(effects: Iterable[Effect]) -> dict[str, list[Effect]]:
    found: dict[str, list[Effect]] = {}
    for effect in effects:
        found.setdefault(effect.run or "", []).append(effect)
    return found


def _of(by_run: dict[str, list[Effect]], run_id: str) -> list[Effect]:
    return [*by_run.get(run_id, ()), *by_run.get(run_tag(run_id), ())]


def _open(end: Ended, effects: list[Effect]) -> str:
    """What a run that was terminated leaves for somebody outside it."""
    standing = [said(each) for each in effects if each.state in LIVE and not each.about.get("undoes")]
    rows = [f"step {row.step_idx} {row.tool} is {row.status}" for row in end.rows if not row.settled]
    left = f"; {', '.join(standing)} stand" if standing else "; nothing stands"
    return f"terminated, run {end.run_id}: {', '.join(rows) or 'no row is open'}{left}"
