"""Time and processor time of our run against the bare one, in pairs of runs one right after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from workers.bench.ground import Ground, Ran

PAIRS = 7
"""Enough for a median that one disturbed pair, or two, cannot move far."""


@dataclass(frozen=True, kw_only=True)
class Pairs:
    """Runs of one plan, ours and bare in turn; the ratio is taken in each pair, so a slow minute strikes both."""

    ours: Sequence[Ran]
    bare: Sequence[Ran]

    def ratio(self, field: str) -> float:
        """Median over the pairs of ours by bare."""
        return median(getattr(a, field) / getattr(b, field) for a, b in zip(self.ours, self.bare, strict=True))

    def spread(self, field: str) -> tuple[float, float]:
        """The smallest and the largest ratio of a pair."""
        ratios = [getattr(a, field) / getattr(b, field) for a, b in zip(self.ours, self.bare, strict=True)]
        return min(ratios), max(ratios)

    def typical(self, kind: str, field: str) -> float:
        """Median of one kind by itself."""
        return median(getattr(ran, field) for ran in getattr(self, kind))


async def measure(ground: Ground, name: str) -> Pairs:
    """The order within a pair alternates too, so that neither kind is always the one that comes first."""
    ours: list[Ran] = []
    bare: list[Ran] = []
    for number in range(PAIRS):
        for kind in ("ours", "bare") if number % 2 == 0 else ("bare", "ours"):
            (ours if kind == "ours" else bare).append(await ground.run(kind, name))
    return Pairs(ours=ours, bare=bare)
