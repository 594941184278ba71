"""The kit finds what is wrong with somebody's tools, says which law or difference, and passes what is right."""

from __future__ import annotations

import dataclasses

import pytest

from tests.faultkit import notes
from workers.faultkit.kit import Kit
from workers.faultkit.pool import Failure, pooled

pytestmark = pytest.mark.timeout(180)


async def failures(kit: Kit, *verbs: str) -> list[Failure]:
    """What fails of the targets of these verbs; of every target where none is named."""
    async with pooled(kit, 1) as pool:
        wanted = [each for each in kit.targets if not verbs or any(f"/{verb}/" in f"{each.id}/" for verb in verbs)]
        assert wanted
        return [failure for each in wanted for failure in (await pool.run(each)).failures]


async def test_a_tool_that_is_right_passes_every_cell():
    assert [str(each) for each in await failures(notes.good)] == []


async def test_one_that_looks_before_it_writes_passes_at_a_board_that_honours_no_key():
    assert [str(each) for each in await failures(notes.looking, "call/finish", "lookup-call")] == []


async def test_a_note_that_is_keyed_by_its_words_has_no_row():
    with pytest.raises(AssertionError, match=r"law 1: note\.pin note-0 has no row"):
        await failures(notes.by_words, "call/finish")


async def test_a_lookup_that_says_nothing_is_there_when_it_failed_makes_a_second_note():
    found = await failures(notes.blind_eye, "lookup-call")
    assert found
    assert {each.cell.rsplit("/", 1)[-1] for each in found} == {"before:503*@board.list"}
    assert any("law 2: key" in each.why for each in found)
    assert all("law 2" in each.why or "law 5" in each.why for each in found)


async def test_an_undo_that_does_nothing_is_not_taken_for_one():
    with pytest.raises(AssertionError, match=r"law 8: step 0 is COMPENSATED and note-0 is standing"):
        await failures(notes.shrug, "compensation/reject")


def test_a_tool_that_is_added_is_covered_by_itself():
    another = dataclasses.replace(notes.PIN, name="pin_another_note")
    before, after = notes.kit().targets, notes.kit(more=[another]).targets
    assert {each.tool for each in before} == {"pin_note"}
    added = {(each.verb, each.ending, each.lookup, each.whole) for each in after if each.tool == "pin_another_note"}
    assert added == {(each.verb, each.ending, each.lookup, each.whole) for each in before}
    assert len(after) == 2 * len(before)
