"""The kit finds what is wrong with somebody's tools, says which law or difference, and passes what is right."""

from __future__ import annotations

import dataclasses

import pytest

from tests.faultkit import notes
from workers.faultkit.kit import Kit
from workers.faultkit.plan import RefOf
from workers.faultkit.pool import Failure, pooled
from workers.faultkit.target import ENDINGS, Target

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


async def test_what_stands_on_another_step_is_played_after_it_with_its_reference():
    assert [str(each) for each in await failures(notes.answering, "answer_note/call/finish", "answer_note/call/reject",
                                                 "answer_note/compensation/reject")] == []  # fmt: skip


async def test_an_undo_that_takes_down_what_it_hung_on_is_seen_where_there_is_something():
    with pytest.raises(AssertionError, match=r"law 8: step 1 is COMPENSATED and answer-1 is standing"):
        await failures(notes.wrong_one, "answer_note/compensation/reject")


async def test_of_what_cannot_be_looked_up_a_person_says_whether_it_happened():
    assert [str(each) for each in await failures(notes.shouting, "shout_note")] == []
    assert [str(each) for each in await failures(notes.unseen, "call/finish", "call/give_up")] == []
    assert not [each for each in notes.shouting.targets if each.tool == "shout_note" and each.lookup]


async def test_what_cannot_wait_is_let_through_by_itself_and_stays_whatever_the_ending():
    kit = notes.sounding
    endings = {(each.verb, each.ending) for each in kit.targets if each.tool == "sound_siren" and not each.whole}
    assert endings == {("call", each) for each in ENDINGS}
    assert not [each for each in kit.targets if each.tool == "sound_siren" and each.staged]
    assert [str(each) for each in await failures(kit, *(f"sound_siren/call/{each}" for each in ENDINGS))] == []
    assert [str(each) for each in await failures(kit, "sound_siren/lookup-call/finish")] == []


def test_a_tool_is_played_after_all_that_it_needs_and_an_answer_is_told_before_it_is_carried():
    again = notes.kit(more=[notes.ANSWER_AGAIN, notes.ANSWER, notes.TAKE_BACK])
    note, target = ("pin_note", {"text": "the lift is broken"}), Target("caretaker", "answer_again", "call", "finish")
    first, second = ({"note": RefOf(tool), "text": "a man is coming"} for tool in ("pin_note", "answer_note"))
    wanted = [[note], [("answer_note", first)], [("answer_again", second)]]
    assert again.turns(target) == wanted
    assert again.turns(dataclasses.replace(target, whole=True)) == wanted
    assert again.steps(dataclasses.replace(target, tool="pin_note")) == ["pin_note", "answer_note"]


def test_what_may_be_older_than_the_run_is_not_made_first():
    lent = dataclasses.replace(notes.ANSWER, owned=())
    target = Target("caretaker", "answer_note", "call", "finish")
    assert notes.kit(more=[lent, notes.TAKE_BACK]).turns(target) == [[("answer_note", notes.ANSWER.example)]]


def test_a_tool_that_is_added_is_covered_by_itself():
    another = dataclasses.replace(notes.PIN, name="pin_another_note")
    before, after = notes.kit().targets, notes.kit(more=[another]).targets
    assert {each.tool for each in before} == {"pin_note"}
    added = {(each.verb, each.ending, each.lookup, each.whole) for each in after if each.tool == "pin_another_note"}
    assert added == {(each.verb, each.ending, each.lookup, each.whole) for each in before}
    assert len(after) == 2 * len(before)
