"""A bulk call that did a part: its row records which, and the undo acts on those and on nobody else."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from saga.errors import BadInput
from tests.build import make_agent
from tests.faultkit.cards import Cards, registry
from workers.faultkit.laboratory import Handle, Laboratory, opened
from workers.faultkit.plan import GIVES_UP, Plan, Plans

PEOPLE = ["ada", "bo", "cy", "di", "ed"]
CALL = ("hand_out_cards", {"people": PEOPLE})
BAD = [("hand_out_cards", GIVES_UP)] * 4
WHOLE = {"reached": ["ada", "cy", "ed"], "missed": ["bo", "di"]}


def _unknown(name: str) -> Any:
    raise BadInput("model", name)


@asynccontextmanager
async def begun(cards: Cards, *turns: Any) -> AsyncGenerator[tuple[Laboratory, Handle]]:
    """A run of these turns in a laboratory around these cards."""
    plans = Plans(_unknown, Plan)
    async with opened(registry(make_agent("hand_out_cards")), cards, plans.model_of) as lab:
        model = plans.make(*turns)
        yield lab, await lab.begin("run-1", agent="shelves", request={"shelf": "A1"}, model=model)


@pytest.mark.parametrize("deaf", [0, 1, 3], ids=["answered", "replayed", "found by lookup"])
async def test_which_of_them_it_reached_stands_in_the_row_however_that_became_known(deaf):
    cards = Cards(out={"bo", "di"}, deaf=deaf)
    async with begun(cards, [CALL]) as (lab, run):
        assert await lab.end(run) == "COMMITTED"
        (row,) = await lab.check(run)
        assert (row["status"], row["result"]) == ("CONFIRMED", WHOLE)
        assert len(cards.deeds) == 1


@pytest.mark.parametrize("deaf", [0, 3], ids=["answered", "found by lookup"])
async def test_the_undo_asks_those_whom_it_reached_and_nobody_else(deaf):
    cards = Cards(out={"bo", "di"}, deaf=deaf)
    async with begun(cards, [CALL], BAD) as (lab, run):
        assert await lab.end(run) == "RunUnwound"
        (row,) = await lab.check(run)
        assert (row["status"], cards.taken) == ("COMPENSATED", ["ada", "cy", "ed"])
        assert list(cards.handed.values()) == [[]]
