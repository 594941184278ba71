"""The log: a step is written with number, keys and frozen arguments; a failed one is tried anew; an old one known."""

from typing import get_args

import pytest

from saga.draft import CounterCall
from saga.keys import OPEN_KEY, compensation_key, correction_key, step_key
from saga.log import Log
from saga.outcome import Problem
from saga.row import Status
from tests.build import EXECUTION, RUN, at, make_approval, make_draft, make_facts, make_log, make_receipt, make_row


def test_the_log_gives_a_row_by_its_step_and_nothing_beyond_its_end():
    log = make_log(make_row(0), make_row(1, "QUEUED"), make_row(2, "CONFIRMED"))
    assert [row.step_idx for row in log] == [0, 1, 2]
    assert log[2].status == "CONFIRMED"
    assert len(log) == 3
    for idx in (3, -1):
        with pytest.raises(IndexError, match=f"no step {idx}"):
            log[idx]


def test_the_log_lists_what_is_unsettled_and_what_is_queued():
    log = make_log(*(make_row(idx, status) for idx, status in enumerate(get_args(Status))))
    unsettled = {"INTENDED", "UNKNOWN", "COMPENSATION_REQUESTED", "COMPENSATION_FAILED"}
    assert {row.status for row in log.unsettled()} == unsettled
    assert [row.status for row in log.queued()] == ["QUEUED"]


def test_putting_a_moved_row_replaces_it_and_no_other():
    log = make_log(make_row(0), make_row(1))
    log.put(log[1].confirm(make_receipt(), at(1), how="answered"))
    assert [row.status for row in log] == ["INTENDED", "CONFIRMED"]


def test_a_step_is_numbered_keyed_and_written_before_anything_is_sent():
    log = make_log(make_row(0, "CONFIRMED"))
    row = log.write(make_draft(), "INTENDED", at(1))
    assert (row.step_idx, row.status, row.attempts) == (1, "INTENDED", 0)
    assert row.idempotency_key == step_key(RUN, 1, "put_box")
    assert (row.run_id, row.execution, row.created_at) == (RUN, EXECUTION, at(1))
    assert list(log)[-1] == row


def test_the_counter_action_is_written_with_the_step_and_points_at_its_key():
    row = make_log().write(make_draft(), "INTENDED", at(0))
    assert row.compensation
    assert row.compensation.args == {"box_key": row.idempotency_key}
    assert row.compensation.idempotency_key == compensation_key(RUN, 0, "put_box")
    assert (row.compensation.status, row.compensation.attempts) == (None, 0)


def test_the_correction_is_written_with_the_step_too():
    correction = CounterCall(tool="send_correction", args={"about": OPEN_KEY, "to": "the customer"})
    row = make_log().write(make_draft(compensation=None, correction=correction), "QUEUED", at(0))
    assert row.correction
    assert row.correction.args == {"about": row.idempotency_key, "to": "the customer"}
    assert row.correction.idempotency_key == correction_key(RUN, 0, "put_box")
    assert row.compensation is None


def test_two_calls_with_the_same_words_are_two_steps_with_two_keys():
    log = make_log()
    rows = [log.write(make_draft(), "INTENDED", at(0)) for _ in range(2)]
    assert len({row.idempotency_key for row in rows}) == 2
    assert len({row.compensation.idempotency_key for row in rows if row.compensation}) == 2


def test_a_step_depends_on_those_whose_references_it_carries_and_on_no_other():
    log = make_log(*(make_row(idx, "CONFIRMED", external_ref=f"box-{idx}") for idx in range(3)))
    row = log.write(make_draft(references=("box-2", "box-0")), "INTENDED", at(1))
    assert row.depends_on == (0, 2)


def test_a_commit_half_stands_on_its_staged_half():
    log = make_log(make_row(0, "CONFIRMED", external_ref="box-0"))
    row = log.write(make_draft("ship_box"), "QUEUED", at(1), depends_on=(0,), staged_by=0)
    assert (row.depends_on, row.staged_by, row.status, row.approved_by) == ((0,), 0, "QUEUED", None)


def test_a_step_without_references_depends_on_nothing():
    log = make_log(make_row(0, "CONFIRMED"))
    assert log.write(make_draft(), "INTENDED", at(1)).depends_on == ()


def test_a_failed_call_tried_anew_is_a_new_step_with_the_same_arguments():
    """T14."""
    log = make_log(make_row(0, "CONFIRMED"), make_row(1, "FAILED", attempts=2, error=Problem(code="no", message="no")))
    fresh = log.retry(log[1], at(9))
    assert (fresh.step_idx, fresh.status, fresh.attempts, fresh.tries, fresh.error) == (2, "QUEUED", 0, 1, None)
    assert (fresh.args, fresh.tool, fresh.target, fresh.audience) == (
        log[1].args,
        log[1].tool,
        log[1].target,
        log[1].audience,
    )
    assert log[1].status == "FAILED"


def test_a_call_tried_anew_has_keys_of_its_own_and_its_counter_action_points_at_them():
    log = make_log(make_row(0, "FAILED"))
    fresh = log.retry(log[0], at(9))
    assert fresh.idempotency_key == step_key(RUN, 1, "put_box")
    assert fresh.compensation
    assert fresh.compensation.args == {"box_key": fresh.idempotency_key}
    assert fresh.compensation.idempotency_key == compensation_key(RUN, 1, "put_box")


def test_a_call_tried_anew_needs_a_name_of_its_own():
    log = make_log(make_row(0, "FAILED", approved_by=make_approval()))
    assert log.retry(log[0], at(9)).approved_by is None


def test_a_call_tried_anew_was_never_doubted():
    log = make_log(make_row(0, "FAILED", doubted=True))
    assert not log.retry(log[0], at(9)).doubted


def test_a_commit_half_tried_anew_still_points_at_its_staged_half():
    log = make_log(make_row(0, "CONFIRMED"))
    half = make_draft("ship_box", args={"box_key": log[0].idempotency_key})
    log.put(log.write(half, "QUEUED", at(1), depends_on=(0,), staged_by=0).model_copy(update={"status": "FAILED"}))
    fresh = log.retry(log[1], at(9))
    assert fresh.args == {"box_key": log[0].idempotency_key}
    assert (fresh.depends_on, fresh.staged_by) == ((0,), 0)


# Old steps


def log_of(status: Status, **changes: object) -> Log:
    """One row of `put_box` in that status; its identity is ["A1"] where a test does not say otherwise."""
    return make_log(make_row(0, status, **changes))  # pyright: ignore[reportArgumentType]


OLD = {"QUEUED", "INTENDED", "UNKNOWN", "CONFIRMED"}


@pytest.mark.parametrize("status", sorted(OLD))
def test_the_same_identity_is_the_same_step_whatever_the_words(status):
    draft = make_draft(args={"shelf": "A1", "words": "quite other words", "cents": 100})
    old = log_of(status).old_step(draft, answered_upto=1)
    assert old
    assert old.step_idx == 0


@pytest.mark.parametrize("status", ["FAILED", "NOT_EXECUTED", "CANCELLED", "COMPENSATED"])
def test_a_step_that_did_not_happen_or_was_undone_is_not_an_old_one(status):
    assert log_of(status).old_step(make_draft(), answered_upto=0) is None


@pytest.mark.parametrize("status", ["COMPENSATION_REQUESTED", "COMPENSATION_FAILED"])
def test_a_step_whose_undo_is_not_through_is_an_old_one_still(status):
    assert log_of(status, undo="FAILED").old_step(make_draft(), answered_upto=0) is not None


def test_every_status_is_spoken_for():
    named = OLD | {"FAILED", "NOT_EXECUTED", "CANCELLED", "COMPENSATED"}
    assert set(get_args(Status)) - named == {"COMPENSATION_REQUESTED", "COMPENSATION_FAILED"}


def test_another_identity_is_another_step():
    draft = make_draft(facts=make_facts(identity='["B2"]'))
    assert log_of("CONFIRMED").old_step(draft, answered_upto=0) is None


def test_another_tool_with_the_same_identity_is_another_step():
    assert log_of("CONFIRMED").old_step(make_draft("paint_box"), answered_upto=0) is None


def test_a_commit_half_is_never_taken_for_a_call_of_the_model():
    assert log_of("QUEUED", staged_by=0).old_step(make_draft(), answered_upto=0) is None


def test_the_latest_of_several_old_steps_is_meant():
    log = make_log(make_row(0, "CONFIRMED"), make_row(1, "CONFIRMED"))
    old = log.old_step(make_draft(), answered_upto=2)
    assert old
    assert old.step_idx == 1


NAMELESS = make_facts(identity=None)


def test_without_an_identity_a_call_is_the_step_that_was_unknown_until_the_model_is_told():
    doubted = make_row(0, "INTENDED", facts=NAMELESS).move("UNKNOWN", at(1))
    draft = make_draft(facts=NAMELESS)
    for row in (doubted, doubted.confirm(make_receipt(), at(2), how="found by lookup")):
        old = make_log(row).old_step(draft, answered_upto=0)
        assert old
        assert old.step_idx == 0


def test_without_an_identity_a_call_after_the_model_was_told_is_another_step():
    doubted = make_row(0, "INTENDED", facts=NAMELESS).move("UNKNOWN", at(1))
    told = make_log(doubted.confirm(make_receipt(), at(2), how="found by lookup"))
    assert told.old_step(make_draft(facts=NAMELESS), answered_upto=1) is None


def test_without_an_identity_a_step_that_nobody_ever_doubted_is_not_meant():
    log = log_of("CONFIRMED", facts=NAMELESS)
    assert log.old_step(make_draft(facts=NAMELESS), answered_upto=0) is None
