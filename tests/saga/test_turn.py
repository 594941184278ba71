"""What a model is told of a step, and how a long conversation is shortened."""

from typing import get_args

import pytest

from saga.outcome import Problem
from saga.row import Status, Waiver
from saga.turn import TRANSCRIPT_LIMIT, ProposedCall, Told, Turn, shortened, told_of
from tests.build import START, make_row

CONTRACT_LIMIT = 256_000
"""Bytes of a transcript, at most."""
OUTCOMES = {"CONFIRMED": "confirmed", "QUEUED": "queued", "UNKNOWN": "unknown", "INTENDED": "unknown"}


@pytest.mark.parametrize("status", get_args(Status))
def test_what_nobody_knows_is_told_as_unknown_and_never_as_a_failure(status):
    assert told_of("c1", make_row(3, status)).outcome == OUTCOMES.get(status, "refused")


def test_a_model_is_told_step_reference_result_and_error():
    row = make_row(3, "CONFIRMED", external_ref="box-1", result={"shelf": "A3"}, error=Problem(code="x", message="y"))
    told = told_of("c1", row)
    assert (told.call_id, told.step_idx, told.external_ref) == ("c1", 3, "box-1")
    assert (told.result, told.error) == ({"shelf": "A3"}, Problem(code="x", message="y"))


@pytest.mark.parametrize("status", ["UNKNOWN", "FAILED", "CONFIRMED"])
def test_what_a_person_waived_is_told_as_unknown(status):
    waived = make_row(0, status, waived=Waiver(by="bob", at=START, note=""))
    assert told_of("c1", waived).outcome == "unknown"


def turn(idx: int, result: int = 0, args: int = 0, text: int = 0) -> Turn:
    """A turn of one call, with so many bytes of each."""
    call = ProposedCall(call_id="c", tool="put_box", args={"words": "a" * args})
    told = Told(call_id="c", outcome="confirmed", step_idx=idx, external_ref="box-1", result={"text": "r" * result})
    return Turn(turn=idx, text="t" * text, calls=(call,), told=(told,))


def size(turns: tuple[Turn, ...]) -> int:
    return sum(len(each.model_dump_json()) for each in turns)


def test_a_short_conversation_is_told_whole():
    turns = tuple(turn(idx, result=1000) for idx in range(50))
    assert shortened(turns) == turns
    assert shortened(()) == ()


def test_of_a_long_one_the_oldest_results_go_first_and_no_more_than_needed():
    turns = tuple(turn(idx, result=30_000) for idx in range(20))
    kept = shortened(turns)
    lost = [each.told[0].result is None for each in kept]
    assert lost == sorted(lost, reverse=True)
    assert size(kept) <= TRANSCRIPT_LIMIT
    assert size(kept) + 30_000 > TRANSCRIPT_LIMIT


def test_outcome_step_and_reference_stay_when_a_result_goes():
    kept = shortened(turn(idx, result=30_000) for idx in range(20))
    assert [(each.told[0].outcome, each.told[0].step_idx, each.told[0].external_ref) for each in kept] == [
        ("confirmed", idx, "box-1") for idx in range(20)
    ]


@pytest.mark.parametrize(
    "turns",
    [
        [turn(idx, args=15_000) for idx in range(60)],
        [turn(idx, text=15_000) for idx in range(60)],
        [turn(0, text=400_000)],
    ],
    ids=["arguments", "words", "one turn"],
)
def test_a_conversation_is_never_larger_than_the_contract_says(turns):
    """T32."""
    assert size(shortened(turns)) <= CONTRACT_LIMIT
