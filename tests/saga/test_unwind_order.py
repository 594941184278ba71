"""The order of undoing, over random runs: references of any direction, circles, audiences and outcomes."""

from dataclasses import dataclass, field

from hypothesis import example, given, settings
from hypothesis import strategies as st

from saga.draft import AUDIENCES, reach
from saga.row import Row
from saga.unwind import NEUTRAL, ready, to_undo
from tests.build import make_receipt, make_row

BEGIN = ("CONFIRMED", "CONFIRMED", "CONFIRMED", "UNKNOWN", "FAILED", "CANCELLED", "COMPENSATED")
Edges = dict[int, set[int]]


@dataclass
class World:
    """Rows under way, and the order in which they were brought back."""

    rows: list[Row]
    order: list[int] = field(default_factory=list[int])

    def bring_back(self, idx: int, *, happened: bool) -> None:
        """Find out about a step, or undo it."""
        row, now = self.rows[idx], self.rows[idx].updated_at
        if row.status == "UNKNOWN":
            found = row.confirm(make_receipt(), now, how="found by lookup")
            self.rows[idx] = found if happened else row.move("NOT_EXECUTED", now)
        else:
            self.rows[idx] = row.move_undo("INTENDED", now).move_undo("CONFIRMED", now)
            self.order.append(idx)


def reachable(edges: Edges, start: int) -> set[int]:
    """Where references lead from one step, in any number of hops."""
    seen: set[int] = set()
    todo = list(edges[start])
    while todo:
        if (each := todo.pop()) not in seen:
            seen.add(each)
            todo.extend(edges[each])
    return seen


def binding(edges: Edges) -> set[tuple[int, int]]:
    """(a, b): a refers to b and goes first. Of a circle only what points back at earlier steps binds."""
    return {
        (a, b) for a, targets in edges.items() for b in targets if a != b and not (a < b and a in reachable(edges, b))
    }


def edges_of(rows: list[Row]) -> Edges:
    return {row.step_idx: set(row.depends_on) for row in rows}


@st.composite
def runs(draw: st.DrawFn, *, circles: bool) -> list[Row]:
    """Up to seven steps. Without circles references still point in both directions."""
    count = draw(st.integers(1, 7))
    rank = draw(st.permutations(range(count)))
    rows: list[Row] = []
    for idx in range(count):
        others = [each for each in range(count) if each != idx and (circles or rank[each] < rank[idx])]
        refers = draw(st.sets(st.sampled_from(others))) if others else set[int]()
        status = draw(st.sampled_from(BEGIN))
        rows.append(
            make_row(
                idx,
                status,
                undo="CONFIRMED" if status == "COMPENSATED" else None,
                depends_on=tuple(sorted(refers)),
                audience=(draw(st.sampled_from(AUDIENCES)),),
            )
        )
    return rows


def unwind(rows: list[Row], data: st.DataObject) -> World:
    """Bring everything back, one at a time, in any order that `ready` allows."""
    world = World(list(rows))
    while free := ready(world.rows, running=()):
        world.bring_back(data.draw(st.sampled_from(free)), happened=data.draw(st.booleans()))
    return world


def out_of_order(rows: list[Row], order: list[int]) -> set[tuple[int, int]]:
    place = {idx: at for at, idx in enumerate(order)}
    return {(a, b) for a, b in binding(edges_of(rows)) if a in place and b in place and place[a] > place[b]}


@settings(deadline=None)
@given(runs(circles=True), st.data())
def test_everything_is_brought_back_whatever_refers_to_what(rows, data):
    world = unwind(rows, data)
    assert {row.status for row in world.rows} <= set(NEUTRAL)
    assert len(world.order) == len(set(world.order))


@settings(deadline=None)
@given(runs(circles=False), st.data())
def test_no_step_is_undone_while_another_that_stands_refers_to_it(rows, data):
    assert out_of_order(rows, unwind(rows, data).order) == set()


def circle_with_a_way_out() -> list[Row]:
    """0 and 1 refer to each other, and 0 to 2, which more people can see."""
    refers = [(1, 2), (0,), ()]
    return [
        make_row(idx, "CONFIRMED", depends_on=each, audience=("agent" if idx == 2 else "public",))
        for idx, each in enumerate(refers)
    ]


@settings(deadline=None)
@given(runs(circles=True), st.data())
@example(circle_with_a_way_out(), None)
def test_a_circle_loosens_only_its_own_references(rows, data):
    world = World(list(rows))
    while free := ready(world.rows, running=()):
        world.bring_back(data.draw(st.sampled_from(free)) if data else free[0], happened=True)
    assert out_of_order(rows, world.order) == set()


@settings(deadline=None)
@given(runs(circles=False), st.data())
def test_among_what_is_free_only_the_smallest_circle_is_undone(rows, data):
    world = World(list(rows))
    while free := ready(world.rows, running=()):
        undoing = {idx for idx in free if world.rows[idx].status == "CONFIRMED"}
        held = {b for a, b in binding(edges_of(rows)) if world.rows[a].status not in NEUTRAL}
        could = {row.step_idx for row in world.rows if row.status == "CONFIRMED"} - held
        smallest = min((reach(world.rows[idx].audience) for idx in could), default=0)
        assert undoing == {idx for idx in could if reach(world.rows[idx].audience) == smallest}
        world.bring_back(data.draw(st.sampled_from(free)), happened=data.draw(st.booleans()))


@settings(deadline=None)
@given(runs(circles=True), st.data())
def test_unwinding_twice_is_unwinding_once(rows, data):
    world = unwind(rows, data)
    again = World(list(world.rows))
    assert to_undo(again.rows) == []
    assert ready(again.rows, running=()) == []


@settings(deadline=None)
@given(runs(circles=True), st.data())
def test_a_crash_in_the_middle_changes_nothing_of_what_is_brought_back(rows, data):
    world = World(list(rows))
    for _ in range(data.draw(st.integers(0, 4))):
        if free := ready(world.rows, running=()):
            world.bring_back(data.draw(st.sampled_from(free)), happened=True)
    rest = unwind(world.rows, data)
    assert {row.status for row in rest.rows} <= set(NEUTRAL)
    assert not set(rest.order) & set(world.order)


@settings(deadline=None)
@given(runs(circles=True), st.data())
def test_what_people_have_given_up_on_holds_up_only_those_who_say_they_must_wait(rows, data):
    stuck = data.draw(st.sampled_from([row.step_idx for row in rows]))
    world = World(list(rows))
    while free := ready(world.rows, running=(), given_up=(stuck,)):
        assert stuck not in free
        world.bring_back(data.draw(st.sampled_from(free)), happened=True)
    assert {row.status for row in world.rows if row.step_idx != stuck} <= set(NEUTRAL)
