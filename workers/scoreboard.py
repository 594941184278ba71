"""The scoreboard: seven numbers, counted from the world and from Temporal's history, never from our own log.

Pure. Our rows are only what is held against the world (`orphans`, `wrong_clean`), and tell which key is whose. Every
one that is not zero comes with a sentence that says what.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from saga.row import Row
from workers.holding import IRREVERSIBLE, Holding, said
from workers.ledger import LIVE, Ledger, RunEnd, Shelf
from workers.sandbox.world import Effect

NUMBERS = (
    "duplicates",
    "lost",
    "orphans",
    "wrongly_undone",
    "wrong_clean",
    "irreversible_before_pivot",
    "wrong_apologies",
)
CUSTOMERS = {"customer", "public"}
"""Whoever sees an effect as a customer would."""

Call = Mapping[str, Any]
"""A line of `/world/calls`."""


@dataclass(frozen=True, kw_only=True)
class Flaw:
    """One thing that is wrong: which number it counts in, in which run, and what it is."""

    number: str
    run_id: str
    what: str


@dataclass(frozen=True)
class Scoreboard:
    """All that is wrong."""

    flaws: tuple[Flaw, ...] = ()

    @property
    def counts(self) -> dict[str, int]:
        """The seven numbers, in their order."""
        return {name: sum(each.number == name for each in self.flaws) for name in NUMBERS}

    @property
    def clean(self) -> bool:
        """Seven zeros."""
        return not self.flaws

    @property
    def line(self) -> str:
        """For a program: always last, always in this form."""
        return "scoreboard: " + " ".join(f"{name}={count}" for name, count in self.counts.items())

    @property
    def sentences(self) -> list[str]:
        """For a person."""
        return [f"{each.number}, run {each.run_id or 'of nobody'}: {each.what}" for each in self.flaws]


def count(
    ends: Sequence[RunEnd], effects: Sequence[Effect], calls: Sequence[Call], *, since: float | None = None
) -> Scoreboard:
    """Hold each run's end against the world. What other runs did is theirs to answer for.

    `since`, epoch seconds of the world's clock: what came later without anybody's name on it is an orphan too.
    """
    flaws: list[Flaw] = []
    claimed: set[int] = set()
    shelf = Shelf(effects)
    for end in ends:
        ledger = Ledger(end, shelf.near(end))
        claimed |= {id(each) for each in ledger.own}
        for number, found in _counted(ledger, calls):
            flaws += [Flaw(number=number, run_id=end.run_id, what=what) for what in found]
    for effect in effects:
        nameless = effect.run is None and id(effect) not in claimed and effect.state in LIVE
        if nameless and since is not None and effect.at >= since:
            flaws.append(Flaw(number="orphans", run_id="", what=f"{said(effect)} has nobody's name on it"))
    return Scoreboard(tuple(sorted(flaws, key=lambda each: NUMBERS.index(each.number))))


def _counted(ledger: Ledger, calls: Sequence[Call]) -> Iterator[tuple[str, Iterator[str]]]:
    yield "duplicates", _duplicates(ledger)
    yield "lost", _lost(ledger)
    yield "orphans", _orphans(ledger)
    yield "wrongly_undone", _wrongly_undone(ledger)
    yield "wrong_clean", _wrong_clean(ledger)
    yield "irreversible_before_pivot", _too_early(ledger, calls)
    yield "wrong_apologies", _wrong_apologies(ledger, calls)


def _duplicates(ledger: Ledger) -> Iterator[str]:
    """Beyond the number that the story wants, or of a key that is in the world already; each effect once."""
    seen: dict[str, Effect] = {}
    for effect in ledger.own:
        first = seen.setdefault(effect.key, effect) if effect.key else effect
        if first is not effect:
            yield f"{said(effect)} has the key of {said(first)}"
        elif effect in ledger.forward and ledger.holding_of(effect) is None:
            wanted = sum(each.count for each in ledger.end.must_hold if each.kind == effect.kind and not each.undoes)
            yield f"{said(effect)} is one too many: the story wants {wanted or 'none'} like it"


def _lost(ledger: Ledger) -> Iterator[str]:
    for holding in ledger.missing:
        yield f"there should be a {_wanted(holding)}, and is none"
    for effect in ledger.own:
        holding = ledger.holding_of(effect)
        if holding is not None and holding.state == "standing" and effect.state in ("failed", "expired"):
            yield f"{said(effect)} should stand and has {effect.state}"


def _orphans(ledger: Ledger) -> Iterator[str]:
    for effect in ledger.own:
        if effect.state in LIVE and not ledger.explained(effect):
            yield f"no row explains {said(effect)}, key {effect.key}"


def _wrongly_undone(ledger: Ledger) -> Iterator[str]:
    for effect in ledger.forward:
        holding, takers = ledger.holding_of(effect), ledger.takers(effect)
        stays = holding is not None and holding.state == "standing"
        for taker in takers if stays else takers[1:]:
            yield f"{said(taker)} undid {said(effect)}, which {'should stand' if stays else 'was undone already'}"
        if stays and not takers and effect.state == "undone":
            yield f"{said(effect)} should stand and is undone"
        given, taken = sum(each.amount_minor or 0 for each in takers), effect.amount_minor
        if taken is not None and given > taken and len(takers) == 1 and not stays:
            yield f"{said(takers[0])} gave back more than {said(effect)} took"


def _wrong_clean(ledger: Ledger) -> Iterator[str]:
    """What a settled row says, and what a closed run says by its end, where the world says otherwise."""
    blamed: set[int] = set()
    for row in ledger.end.rows:
        for effect, what in _contradictions(ledger, row):
            blamed.add(id(effect))
            yield f"step {row.step_idx} {row.tool} is {row.status}, and {what}"
    if not ledger.end.closed:
        return
    for effect in ledger.forward:
        holding = ledger.holding_of(effect)
        if holding is not None and holding.state == "undone" and effect.state in LIVE and id(effect) not in blamed:
            yield f"the run is closed, and {said(effect)} still stands"


def _contradictions(ledger: Ledger, row: Row) -> Iterator[tuple[Effect | None, str]]:
    """At most one for each effect. A waived row claims nothing, and neither does one that is not settled."""
    if row.waived is not None or not row.settled:
        return
    effects = ledger.of_key(row.idempotency_key)
    undoings = ledger.of_key(row.compensation.idempotency_key) if row.compensation else []
    if row.status == "CONFIRMED":
        if not effects and not (row.result or {}).get("already"):
            yield None, f"the world has nothing under its key ({row.external_ref})"
        yield from ((each, f"{said(each)} is {each.state}") for each in effects if each.state not in LIVE)
    elif row.status == "COMPENSATED":
        if not effects and not undoings:
            yield None, "the world has neither the effect nor its undoing"
        standing = [each for each in effects if each.state in LIVE]
        yield from ((each, f"{said(each)} still stands") for each in standing)
        if not standing:
            open_ = [each for each in undoings if each.state in ("pending", "failed")]
            yield from ((each, f"{said(each)} is {each.state}") for each in open_)
    else:
        yield from ((each, f"{said(each)} is {each.state}") for each in effects if each.state in LIVE)


def _too_early(ledger: Ledger, calls: Sequence[Call]) -> Iterator[str]:
    """An irreversible effect needs a yes to exactly its call, at the pivot or at its own gate, before it happened."""
    for effect in ledger.forward:
        if effect.kind not in IRREVERSIBLE and effect.kind != "charge.refund":
            continue  # money given back for an order's own payment is not taken back either
        row, happened = ledger.rows_by_key.get(effect.key or ""), wall_time(effect, calls)
        digests = ledger.end.digests(effect.key or "")
        yes = [
            each
            for each in ledger.end.consents
            if each.digest in digests
            and (each.kind == "pivot" or (each.kind == "gate" and row is not None and each.step_idx == row.step_idx))
        ]
        if not yes:
            yield f"{said(effect)} happened and nobody approved it"
        elif happened < min(each.at for each in yes):
            early_s = (min(each.at for each in yes) - happened).total_seconds()
            yield f"{said(effect)} happened {early_s:.1f} s before it was approved"


def _wrong_apologies(ledger: Ledger, calls: Sequence[Call]) -> Iterator[str]:
    for effect in ledger.corrections:
        row = ledger.correction_keys[effect.key or ""]
        originals = ledger.of_key(row.idempotency_key)
        sent = [each for each in ledger.end.consents if each.kind == "correction" and each.step_idx == row.step_idx]
        if not any(CUSTOMERS & set(each.audience) for each in originals):
            yield f"{said(effect)} corrects step {row.step_idx} {row.tool}, which no customer saw"
        elif not any(each.at <= wall_time(effect, calls) for each in sent):
            yield f"{said(effect)} corrects step {row.step_idx} {row.tool}, and nobody approved that before"


def wall_time(effect: Effect, calls: Sequence[Call]) -> datetime:
    """When an effect happened by the wall's clock: the world's own may have been moved on.

    The line of the request that made it was written in the same breath, with both clocks on it.
    """
    after = [line for line in calls if line["at"] >= effect.at]
    nearest = min(after, key=lambda line: line["at"], default=None)
    ahead_s = nearest["at"] - nearest["wall_at"] if nearest else 0.0
    return datetime.fromtimestamp(effect.at - ahead_s, UTC)


def _wanted(holding: Holding) -> str:
    amount = "" if holding.amount_minor is None else f" of {holding.amount_minor} {holding.currency or ''}".rstrip()
    return f"{holding.kind}{amount}" + (" that undoes it" if holding.undoes else "")
