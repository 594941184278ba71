"""The ledger of one run: its effects in the world, sorted, and held against what its story says must be there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from saga.keys import run_tag
from saga.row import Row
from workers.consent import Consent
from workers.holding import Holding, target_of
from workers.sandbox.world import Effect

LIVE = ("standing", "pending")
"""States of an effect that is there, or will be."""


@dataclass(frozen=True, kw_only=True)
class RunEnd:
    """One run at the end of its story: what a person wrote beforehand, and what came of it."""

    run_id: str
    must_hold: tuple[Holding, ...]
    rows: tuple[Row, ...]
    """Our own claims: held against the world, never a source of what happened in it."""
    closed: bool
    """Temporal says that it has ended."""
    consents: tuple[Consent, ...] = ()
    earlier: tuple[Row, ...] = ()
    """Of the branches that a reset threw away. They explain no effect; that a person had approved a call, they do."""

    def digests(self, key: str) -> set[str]:
        """Of the approvals that let the call of that key run, here or in a branch that a reset threw away."""
        rows = [row for row in (*self.rows, *self.earlier) if row.idempotency_key == key]
        return {row.approved_by.digest for row in rows if row.approved_by}


class Shelf:
    """A world's effects, so laid out that those which could be a run's are found without looking at all of them."""

    def __init__(self, effects: Sequence[Effect]) -> None:
        """`effects` in the order in which they happened."""
        self._effects = effects
        self._by_name: dict[str | None, list[int]] = {}
        self._by_key: dict[str | None, list[int]] = {}
        for place, effect in enumerate(effects):
            self._by_name.setdefault(effect.run, []).append(place)
            self._by_key.setdefault(effect.key, []).append(place)

    def near(self, end: RunEnd) -> list[Effect]:
        """Those with the run's name or one of its keys, and those that nobody has put a name on; in their order."""
        places = {each for name in (end.run_id, run_tag(end.run_id), None) for each in self._by_name.get(name, ())}
        for row in end.rows:
            halves = (row, row.compensation, row.correction)
            places |= {each for half in halves if half for each in self._by_key.get(half.idempotency_key, ())}
        return [self._effects[each] for each in sorted(places)]


class Ledger:
    """A run's effects: what it did (`forward`), what took that back (`undoings`), what it put right in words."""

    def __init__(self, end: RunEnd, effects: Sequence[Effect]) -> None:
        """`effects` are the whole world's; sorted here are those with the run's name, its keys, or on its things."""
        self.end = end
        self.rows_by_key = {row.idempotency_key: row for row in end.rows}
        self.undo_keys = {row.compensation.idempotency_key: row for row in end.rows if row.compensation}
        self.correction_keys = {row.correction.idempotency_key: row for row in end.rows if row.correction}
        self.own = self._own(effects)
        self.corrections = [each for each in self.own if each.key in self.correction_keys]
        rest = [each for each in self.own if each.key not in self.correction_keys]
        pairs = [(each, target_of(each, self.own)) for each in rest]
        self.undoings = [(each, target) for each, target in pairs if target is not None]
        self.forward = [each for each, target in pairs if target is None]
        self.match: dict[int, Holding] = {}
        """By `id` of an effect, the holding that it fills."""
        self.missing: list[Holding] = []
        """One entry for each effect that is not there."""
        for holding in end.must_hold:
            self._fill(holding)

    def holding_of(self, effect: Effect) -> Holding | None:
        """What the story wants this effect for; None where it is one too many."""
        return self.match.get(id(effect))

    def of_key(self, key: str) -> list[Effect]:
        """The run's effects under that key."""
        return [each for each in self.own if each.key == key]

    def explained(self, effect: Effect) -> bool:
        """A row of ours has this key; or nobody's key is on it, and it undoes what is ours: a person did it."""
        known = (self.rows_by_key, self.undo_keys, self.correction_keys)
        return any(effect.key in keys for keys in known) or (effect.key is None and effect.run is None)

    def takers(self, effect: Effect) -> list[Effect]:
        """What took that effect back, tries that failed left out."""
        return [each for each, target in self.undoings if target is effect and each.state != "failed"]

    def _own(self, effects: Sequence[Effect]) -> list[Effect]:
        names = {self.end.run_id, run_tag(self.end.run_id)}
        keys = {*self.rows_by_key, *self.undo_keys, *self.correction_keys}
        found = [each for each in effects if each.run in names or each.key in keys]
        mine = {id(each) for each in found}
        mine |= {id(each) for each in effects if each.run is None and target_of(each, found) is not None}
        return [each for each in effects if id(each) in mine]

    def _fill(self, holding: Holding) -> None:
        """Give the holding the oldest effects that fit it, those in the right state first."""
        free = [each for each in self._candidates(holding) if id(each) not in self.match]
        chosen = sorted(free, key=lambda each: each.state != holding.state)[: holding.count]
        self.match |= {id(each): holding for each in chosen}
        self.missing += [holding] * (holding.count - len(chosen))

    def _candidates(self, holding: Holding) -> Iterator[Effect]:
        """A try to undo that failed is nothing that a story could want."""
        undoings = [each for each, _ in self.undoings if each.state != "failed"]
        pool = undoings if holding.undoes else [*self.forward, *self.corrections]
        return (each for each in pool if holding.fits(each))
