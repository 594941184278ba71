"""The world's memory and clock: what is committed stays, and comes back as it was put."""

import time

import pytest

from workers.sandbox.world import World

KEY = "a" * 32


@pytest.fixture
def world(tmp_path):
    opened = World(tmp_path)
    yield opened
    opened.close()


def _put_effect(world, ref="r1", **fields):
    given = {"system": "mail", "kind": "mail.send", "key": KEY, "run": "run", "execution": None, **fields}
    return world.effect(ref=ref, **given)


def test_a_transaction_is_kept_whole_or_not_at_all(world):
    def half_way():
        with world.transaction():
            _put_effect(world)
            with world.transaction():
                world.put("mail", "draft", "d1", {"to": "x"})
            raise RuntimeError

    with pytest.raises(RuntimeError):
        half_way()
    assert world.effects() == []
    assert world.get("mail", "draft", "d1") is None


def test_another_opening_of_the_file_sees_everything(world, tmp_path):
    _put_effect(world, about={"to": ["x"]}, audience=["customer"], amount_minor=5, currency="eur")
    world.restate("mail", "r1", "mail.send", "undone")
    world.set_clock(1_000_000.0, frozen=True)
    world.remember("mail", "k", {"a": 1})
    again = World(tmp_path)
    [effect] = again.effects(key=KEY)
    assert (effect.state, effect.about, effect.audience) == ("undone", {"to": ["x"]}, ["customer"])
    assert again.now() == 1_000_000.0
    assert again.remembered("mail", "k") == {"a": 1}
    again.close()


def test_only_the_newest_effect_of_a_reference_is_restated(world):
    _put_effect(world)
    _put_effect(world)
    world.restate("mail", "r1", "mail.send", "undone")
    assert [effect.state for effect in world.effects()] == ["standing", "undone"]


def test_effects_refuse_a_filter_that_is_none(world):
    with pytest.raises(ValueError, match="allowed"):
        world.effects(colour="red")


def test_documents_keep_their_order_and_are_copies(world):
    for number in range(5):
        world.put("mail", "draft", f"d{number}", {"n": number, "even": number % 2 == 0, "in": {"n": number}})
    world.put("mail", "draft", "d0", {"n": 10, "even": True, "in": {"n": 10}})
    assert [doc["n"] for doc in world.all("mail", "draft")] == [10, 1, 2, 3, 4]
    assert [doc["n"] for doc in world.all("mail", "draft", even=True)] == [10, 2, 4]
    assert [doc["n"] for doc in world.page("mail", "draft", [("in.n", ">=", 2)], limit=2)] == [4, 3]
    assert [doc["n"] for doc in world.page("mail", "draft", [], limit=2, older_than="d3")] == [2, 1]
    assert [doc["n"] for doc in world.page("mail", "draft", [], limit=2, newer_than="d1")] == [3, 2]
    world.drop("mail", "draft", "d0")
    assert world.get("mail", "draft", "d0") is None


def test_a_key_is_forgotten_after_a_day_of_the_worlds_clock(world):
    world.remember("payments", "k", {"a": 1})
    world.advance(86_399)
    assert world.remembered("payments", "k") == {"a": 1}
    assert world.remembered("mail", "k") is None
    world.advance(2)
    assert world.remembered("payments", "k") is None
    world.set_clock(world.now() - 86_400)
    assert world.remembered("payments", "k") is None, "what is forgotten does not come back"


def test_the_clock_runs_stands_and_rings(world):
    assert abs(world.now() - time.time()) < 1
    world.set_clock(2_000_000_000, frozen=True)
    world.alarm("payments", "pi_1", 2_000_000_010)
    world.alarm("payments", "pi_2", 2_000_000_005)
    world.alarm("payments", "pi_3", 2_000_000_001)
    world.unalarm("payments", "pi_3")
    assert world.take_due() == []
    assert world.advance(10) == 2_000_000_010
    assert world.take_due() == [("payments", "pi_2"), ("payments", "pi_1")]
    assert world.take_due() == []


def test_references_are_never_the_same(world):
    assert len({world.new_ref("pi") for _ in range(1000)}) == 1000
