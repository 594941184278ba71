"""The bench of seats: what it measures adds up, and what does not add up is not reported as a rate."""

from dataclasses import replace

import pytest
from rich.console import Console

from workers.bench import report, seats
from workers.bench.seats import CALLERS, LEFT, Seats
from workers.exits import CannotTell

FOUND = Seats(
    wanted=100, ours_s=[2.0, 6.0], bare_s=[1.0, 4.0], capacity=124, reserved=124, counted=124, refused=CALLERS - LEFT
)


async def test_a_small_one_makes_what_it_says_and_sells_what_there_is():
    found = await seats.measure(wanted=100)
    assert found.reserved == found.counted == found.capacity == 100 + CALLERS + LEFT
    assert found.refused == CALLERS - LEFT
    assert len(found.ratios) == seats.TURNS
    assert found.ratio > 0


def test_rates_are_of_all_turns_and_ratios_of_each():
    assert (found := seats.check(FOUND)) == FOUND
    assert (found.ours, found.bare, found.ratio) == (12.5, 20.0, 0.625)
    assert found.ratios == [0.5, 4 / 6]


@pytest.mark.parametrize("changes", [{"reserved": 125, "counted": 125}, {"counted": 123}, {"refused": 7}])
def test_what_does_not_add_up_is_no_rate(changes):
    with pytest.raises(CannotTell, match="reserved"):
        seats.check(replace(FOUND, **changes))


def test_the_report_prints_both_rates_their_ratio_and_that_nothing_is_oversold():
    console = Console(width=100, record=True, file=None, quiet=False)
    with console.capture() as said:
        console.print(report.of_seats(FOUND))
    text = " ".join(said.get().split())
    assert "in a second 12 20 0.62 0.50 0.67" in text
    assert "seats promised that are not there 0" in text
