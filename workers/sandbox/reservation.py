"""A reservation: goods set aside for a time, for one `saga_key`, which names it for ever.

held → confirmed (the parcel has left) | released | expired (by the world's clock); the last two give the
goods back. Every change is a function here, which keeps stock, effects and the alarm for its end in step.
"""

from typing import Any

from workers.sandbox.listing import serial
from workers.sandbox.stamp import Stamp
from workers.sandbox.world import World

Doc = dict[str, Any]

SYSTEM = "warehouse"


def find(world: World, ref: str) -> Doc | None:
    """The reservation as it stands now."""
    found = world.get(SYSTEM, "reservation", ref)
    if found and found["state"] == "held" and world.now() >= found["expires_at"]:
        expire(world, ref)
        return world.get(SYSTEM, "reservation", ref)
    return found


def find_by_key(world: World, key: str) -> Doc | None:
    """The one reservation of this `saga_key`."""
    named = world.get(SYSTEM, "reservation_key", key)
    return find(world, named["id"]) if named else None


def available(world: World, sku: str) -> int:
    """How many of these goods are neither gone nor set aside."""
    stock = world.get(SYSTEM, "stock", sku)
    return stock["on_hand"] - stock["held"] if stock else 0


def hold(world: World, wish: Doc, stamp: Stamp) -> Doc:
    """Set goods aside; `wish` is {order_id, sku, address, ttl_s}."""
    ref, now = world.new_ref("rsv"), world.now()
    made: Doc = {
        "id": ref, "object": "reservation", "order_id": wish["order_id"], "sku": wish["sku"],
        "address": wish["address"], "state": "held", "created_at": now, "expires_at": now + wish["ttl_s"],
        "parcel": None, **_signed(stamp), "serial": serial(),
    }  # fmt: skip
    world.put(SYSTEM, "reservation", ref, made)
    if stamp.key:
        world.put(SYSTEM, "reservation_key", stamp.key, {"id": ref})
    world.alarm(SYSTEM, ref, made["expires_at"])
    _count(world, made["sku"], held=1)
    about = {"order_id": made["order_id"], "sku": made["sku"]}
    _record(world, "goods.reserve", ref, stamp, ["agent"], about)
    return made


def release(world: World, held: Doc, stamp: Stamp, by: str = "us") -> Doc:
    """Give held goods back."""
    about = {"undoes": held["id"], "order_id": held["order_id"], "by": by}
    world.restate(SYSTEM, held["id"], "goods.reserve", "undone")
    _record(world, "goods.release", held["id"], stamp, ["agent"], about)
    return _end(world, held, "released")


def expire(world: World, ref: str) -> None:
    """Its time is over; nothing happens to one that is no longer held."""
    held = world.get(SYSTEM, "reservation", ref)
    if held and held["state"] == "held":
        world.restate(SYSTEM, ref, "goods.reserve", "expired")
        _end(world, held, "expired")


def confirm(world: World, held: Doc, stamp: Stamp) -> Doc:
    """Ship the held goods; answers the parcel, which nobody can call back."""
    ref = world.new_ref("prc")
    parcel: Doc = {
        "id": ref, "object": "parcel", "reservation_id": held["id"], "order_id": held["order_id"],
        "sku": held["sku"], "address": held["address"], "tracking": f"SBX{ref[-10:].upper()}",
        "created_at": world.now(), **_signed(stamp), "serial": serial(),
    }  # fmt: skip
    world.put(SYSTEM, "parcel", ref, parcel)
    about = {"order_id": held["order_id"], "reservation": held["id"], "sku": held["sku"]}
    _record(world, "parcel.send", ref, stamp, ["customer", "partner"], about)
    _count(world, held["sku"], on_hand=-1)
    _end(world, {**held, "parcel": ref}, "confirmed")
    return parcel


def shown(doc: Doc) -> Doc:
    """A reservation or a parcel as the warehouse shows it."""
    return {name: value for name, value in doc.items() if name != "serial"}


def _end(world: World, held: Doc, state: str) -> Doc:
    ended = {**held, "state": state}
    world.put(SYSTEM, "reservation", held["id"], ended)
    world.unalarm(SYSTEM, held["id"])
    _count(world, held["sku"], held=-1)
    return ended


def _count(world: World, sku: str, *, held: int = 0, on_hand: int = 0) -> None:
    stock = world.get(SYSTEM, "stock", sku)
    if stock:
        counted = {**stock, "held": stock["held"] + held, "on_hand": stock["on_hand"] + on_hand}
        world.put(SYSTEM, "stock", sku, counted)


def _signed(stamp: Stamp) -> Doc:
    return {"saga_key": stamp.key, "saga_run": stamp.run, "saga_execution": stamp.execution}


def _record(world: World, kind: str, ref: str, stamp: Stamp, audience: list[str], about: Doc) -> None:
    world.effect(
        system=SYSTEM, kind=kind, ref=ref, key=stamp.key, run=stamp.run, execution=stamp.execution,
        audience=audience, about=about,
    )  # fmt: skip
