"""The plan of a run: fixed by seed and number, and never one that could not come to an end."""

from collections import Counter
from typing import get_args

from workers.chaos.piece import PIECES, Kind
from workers.chaos.plan import ORDERS, Plan, plan
from workers.chaos.trouble import KEYED, REFUSALS
from workers.sandbox.faults import FaultPlan
from workers.sandbox.fixtures import ORDERS as KNOWN

MANY = [plan(7, number) for number in range(2_000)]


def test_it_depends_on_seed_and_number_alone():
    again = plan(7, 1_234)
    assert again == MANY[1_234]
    assert plan(8, 1_234) != again
    assert plan(7, 1_235) != again


def test_every_kind_and_order_and_sort_of_trouble_is_drawn():
    assert {each.kind for each in MANY} == set(get_args(Kind))
    assert {each.order_id for each in MANY} == set(ORDERS)
    assert set(ORDERS) == set(KNOWN)
    assert {each.decision for each in MANY} == {"approve", "reject", "send_back", "quarrel", "silence"}
    assert {each.stop for each in MANY} == {None, "cancel", "keep", "terminate"}
    assert {each.reset.moment for each in MANY if each.reset} == {"early", "asked", "late"}
    systems = Counter(aim.system for each in MANY for aim in each.aims)
    assert min(systems[name] for name in REFUSALS) > 50


def test_every_fault_it_aims_is_one_that_the_sandbox_takes():
    for each in MANY:
        for aim in each.aims:
            FaultPlan(**vars(aim), run="a-run")


def test_what_is_reset_is_never_refused_for_good_before_it_nor_acted_on_nor_stopped():
    for each in (each for each in MANY if each.reset and not each.slow):
        assert not any(aim.fault in REFUSALS.values() for aim in each.aims)
        assert (each.act, each.stop) == (None, None)
        assert each.decision in ("approve", "reject")


def test_nothing_is_delivered_twice_where_nobody_honours_a_key():
    assert {aim.system for each in MANY for aim in each.aims if aim.fault == "duplicate"} <= set(KEYED)


def test_only_a_slow_run_has_its_undo_refused():
    for each in (each for each in MANY if not each.slow):
        undoing = {(piece.system, piece.undo_operation) for piece in PIECES[each.kind]}
        making = {(piece.system, piece.operation) for piece in PIECES[each.kind]}
        refused = {(aim.system, aim.operation) for aim in each.aims if aim.fault in REFUSALS.values()}
        assert not refused & (undoing - making)


def test_an_approval_expires_soon_only_where_nobody_gives_one():
    assert all((each.approval_timeout_s < 60) == (each.decision == "silence") for each in MANY)


def test_a_declined_card_is_known_as_one():
    declined = [each for each in MANY if each.declined]
    assert declined
    assert all(isinstance(each, Plan) and any(aim.fault == "refuse:402" for aim in each.aims) for each in declined)
