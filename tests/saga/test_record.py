"""Two kinds of record: what we wrote decodes whatever a newer version added to it; what people type may add nothing."""

from typing import Any

import pytest
from pydantic import BaseModel, TypeAdapter, ValidationError

from saga.doors import AdmitOrder, FindOrder, ProposeOrder, ReadOrder, ReconcileOrder, SendOrder
from saga.draft import Draft
from saga.outcome import Answer, Finding, Problem, Sighting
from saga.proposal import Proposal, build
from saga.record import Record, Typed
from saga.request import Admitted
from saga.row import Repeat, Row, Waiver
from saga.tool import Upstream
from saga.turn import DraftItem, NoItem, Proposed, ProposedCall, ReadItem, ReviewItem, Told, Turn
from tests.build import START, make_approval, make_draft, make_facts, make_log, make_receipt, make_row, money

PROBLEM = Problem(code="no", message="it said no")
ROW = make_row(
    1,
    "COMPENSATION_FAILED",
    undo="FAILED",
    facts=make_facts(commits=make_draft("ship_box")),
    error=PROBLEM,
    approved_by=make_approval(),
    repeats=(Repeat(turn=1, args={"shelf": "A1"}),),
    waived=Waiver(by="bob", at=START, note="seen"),
    result={"shelf": "A1"},
    depends_on=(0,),
    holds_until=START,
)
CALL = ProposedCall(call_id="c1", tool="put_box", args={"shelf": "A1"})
TOLD = Told(call_id="c1", outcome="refused", step_idx=1, error=PROBLEM)
UPSTREAM = Upstream(tool="put_box", key="k", external_ref="box-1")
LOOK = FindOrder(row=ROW, half="call", upstream=(UPSTREAM,), since=START)
ITEMS = (
    DraftItem(call_id="c1", draft=make_draft()),
    ReadItem(call_id="c2", tool="count_boxes", args={}, quick=True),
    ReviewItem(call_id="c3", reason="unsure"),
    NoItem(call_id="c4", outcome="invalid", error=PROBLEM),
)
ADMITTED = Admitted.model_validate(
    {
        "agent": "shelves",
        "request": {"shelf": "A1"},
        "requested_by": "ann",
        "model": "scripted:refund",
        "approvers": ["bob"],
        "approval_timeout_s": 60,
        "limits": {"max_steps": 50, "max_model_calls": 60, "max_spend": {"amount_minor": 1, "currency": "eur"}},
        "subject": "A1",
        "pivot": "the approval",
        "paged": "the storekeeper",
    }
)
WRITTEN: list[Record] = [
    ROW,
    make_draft(),
    Answer(kind="foreign", attempts=2, receipt=make_receipt(holds_until=START), error=PROBLEM),
    Finding(kind="two", receipt=make_receipt(), refs=("box-1", "box-2")),
    Sighting(external_ref="box-1", state="standing", holds_until=START),
    Turn(turn=1, text="so", calls=(CALL,), told=(TOLD,)),
    Proposed(text="so", calls=(CALL,), items=ITEMS),
    build(make_log(make_row(0, "CONFIRMED"), make_row(1, "QUEUED")), "nonce", START),
    AdmitOrder(payload={"agent": "shelves"}, attempt=1, execution="x"),
    ProposeOrder(agent="shelves", model="m", request={}, turn=3),
    ReadOrder(tool="count_boxes", args={}),
    SendOrder(row=ROW, upstream=(UPSTREAM,), scheduled_in="r", since=START),
    LOOK,
    ReconcileOrder(look=LOOK, since=START),
]


def newer(value: Any, *, inside: Any = None) -> Any:
    """The same JSON as a newer version might write it: one field more in every record, at every depth."""
    if isinstance(inside, BaseModel):
        fields = {name: newer(value[name], inside=getattr(inside, name)) for name in value}
        return {**fields, "added_tomorrow": {"whatever": [1]}}
    if isinstance(value, list) and isinstance(inside, tuple | list):
        return [newer(each, inside=one) for each, one in zip(value, inside, strict=True)]
    return value


@pytest.mark.parametrize("record", WRITTEN, ids=lambda record: type(record).__name__)
def test_what_we_wrote_comes_back_from_history_as_it_was(record):
    """T35."""
    assert type(record).model_validate_json(record.model_dump_json()) == record


@pytest.mark.parametrize("record", WRITTEN, ids=lambda record: type(record).__name__)
def test_what_a_newer_version_wrote_decodes_at_every_depth(record):
    """T33, T35."""
    assert type(record).model_validate(newer(record.model_dump(mode="json"), inside=record)) == record


MONEY_ROW = make_row(0, facts=make_facts(cost=money(4900)))


@pytest.mark.parametrize(
    "record",
    [
        pytest.param(ADMITTED, id="limits"),
        pytest.param(MONEY_ROW, id="money"),
    ],
)
def test_what_people_type_too_decodes_once_we_have_written_it(record):
    assert type(record).model_validate(newer(record.model_dump(mode="json"), inside=record)) == record


@pytest.mark.parametrize("record", [ADMITTED, MONEY_ROW], ids=["limits", "money"])
def test_what_people_type_too_comes_back_from_history_as_it_was(record):
    assert type(record).model_validate_json(record.model_dump_json()) == record


def test_a_proposed_turn_keeps_the_kind_of_each_item():
    again = Proposed.model_validate_json(Proposed(text="", items=ITEMS).model_dump_json())
    assert [type(item) for item in again.items] == [DraftItem, ReadItem, ReviewItem, NoItem]


def test_a_list_of_turns_decodes_as_the_query_answers_it():
    turns = [Turn(turn=0, text="a", calls=(CALL,), told=(TOLD,)), Turn(turn=1, text="", note="sent back")]
    plain = [newer(turn.model_dump(mode="json"), inside=turn) for turn in turns]
    assert TypeAdapter(tuple[Turn, ...]).validate_python(plain) == tuple(turns)


@pytest.mark.parametrize("args", ["{broken", "", None, 7, [1, 2], {"deep": [{"x": None}]}, True, 1.5], ids=repr)
def test_a_proposed_call_carries_whatever_the_model_wrote(args):
    call = ProposedCall(call_id="c", tool="no such tool", args=args)
    assert ProposedCall.model_validate_json(call.model_dump_json()) == call


@pytest.mark.parametrize("model", [Row, Draft, Proposal, Answer, Turn], ids=lambda model: model.__name__)
def test_a_record_that_lacks_what_it_needs_does_not_decode(model):
    with pytest.raises(ValidationError):
        model.model_validate({"added_tomorrow": 1})


class Slip(Typed):
    """Something that a person types."""

    count: int
    words: str = ""


@pytest.mark.parametrize(
    "typed", [{"count": "1"}, {"count": 1.0}, {"count": True}, {"count": None}, {"count": 1, "wrods": ""}, {}], ids=repr
)
def test_what_people_type_is_taken_exactly_or_not_at_all(typed):
    with pytest.raises(ValidationError):
        Slip.model_validate(typed)


@pytest.mark.parametrize("record", [Slip(count=1), PROBLEM], ids=["typed", "written"])
def test_neither_kind_changes_in_place(record):
    field = next(iter(type(record).model_fields))
    with pytest.raises(ValidationError, match="frozen"):
        setattr(record, field, "x")
