"""Milestones: each thing that becomes of a step is told once, in words, in the order in which it happened."""

from __future__ import annotations

from saga.log import Log
from saga.outcome import Problem, Receipt
from saga.row import Approval, Repeat, Row
from tests.workers.rows import confirmed, draft, later, log
from workers.milestone import milestones


def names(*rows: Row) -> list[tuple[int, str]]:
    return [(each.step_idx, each.name) for each in milestones(rows)]


def words(row: Row, name: str) -> str:
    return next(each.words for each in milestones([row]) if each.name == name)


def sent(rows: Log) -> Row:
    return rows.write(draft(args={"order_id": "1182", "summary": "Refund"}), "INTENDED", later(0))


def test_a_lost_answer_that_was_found_is_told_as_both_although_the_row_says_only_the_last():
    row = sent(log())
    doubted = row.move("UNKNOWN", later(1), error=Problem(code="http_504", message="HTTP 504"))
    assert "HTTP 504" in words(doubted, "unknown")
    found = doubted.confirm(Receipt(external_ref="SUP-1"), later(2), how="found by lookup")
    assert names(found) == [(0, "written"), (0, "unknown"), (0, "confirmed")]
    assert "SUP-1 (found by lookup)" in words(found, "confirmed")


def test_a_second_request_is_told_with_its_number():
    row = sent(log()).confirm(Receipt(external_ref="pi_1"), later(1), how="replayed", attempts=2)
    assert "sent 2 times under one key" in words(row, "confirmed")


def test_a_repeat_is_told_in_the_words_that_are_new():
    row = sent(log()).repeat(Repeat(turn=1, args={"order_id": "1182", "summary": "Please refund"}), later(1))
    assert '"Please refund"' in words(row, "repeat 0")
    same = row.repeat(Repeat(turn=2, args=dict(row.args)), later(2))
    assert "other words" not in words(same, "repeat 1")


def test_a_refusal_ends_a_step():
    row = sent(log()).move("FAILED", later(1), error=Problem(code="out_of_stock", message="Out of stock."))
    assert names(row) == [(0, "written"), (0, "failed")]
    assert "Out of stock." in words(row, "failed")


def test_what_waits_is_never_told_as_sent_before_it_was_approved():
    rows = log()
    row = rows.write(draft(), "QUEUED", later(0))
    assert names(row) == [(0, "queued")]
    assert names(row.move("CANCELLED", later(1))) == [(0, "queued"), (0, "cancelled")]
    approval = Approval(by="lead", at=later(1), digest="0" * 16)
    assert names(row.move("INTENDED", later(1), approved_by=approval)) == [(0, "queued"), (0, "approved")]


def test_an_undo_is_told_as_asked_for_and_then_as_what_came_of_it():
    row = confirmed(log()).move_undo("INTENDED", later(2))
    assert names(row)[-1] == (0, "undo")
    assert names(row.move_undo("PENDING", later(3)))[-1] == (0, "undo pending")
    assert names(row.move_undo("FAILED", later(3)))[-1] == (0, "undo failed 0")
    assert names(row.move_undo("CONFIRMED", later(3), external_ref="re_1"))[-1] == (0, "undone")


def test_commits_are_told_in_the_order_in_which_they_ran_whatever_their_numbers():
    rows = log()
    first, second = (rows.write(draft(), "QUEUED", later(0)) for _ in range(2))
    approval = Approval(by="lead", at=later(1), digest="0" * 16)
    # One workflow task heard of the second step's end and began the first.
    done = second.move("INTENDED", later(1), approved_by=approval)
    done = done.confirm(Receipt(external_ref="pi_1"), later(2), how="answered")
    begun = first.move("INTENDED", later(2), approved_by=approval)
    assert names(begun, done)[-3:] == [(1, "approved"), (1, "confirmed"), (0, "approved")]
