"""What happens to money without us: people in the dashboard, banks, and time."""

from typing import Any

from workers.sandbox.payments_error import Refusal
from workers.sandbox.payments_intents import release
from workers.sandbox.payments_record import SYSTEM, charge, intent, refund, refunds_of, save
from workers.sandbox.payments_refunds import fail, refund_charge, settle
from workers.sandbox.route import BadAct
from workers.sandbox.stamp import Stamp
from workers.sandbox.world import Doc, World

_ACTS = ("refund", "dispute", "fail_refund", "expire")


def act(world: World, ref: str, act: str) -> dict[str, Any]:
    """`refund` or `dispute` a charge, by its id or its intent's; `fail_refund`; `expire` a hold."""
    if act not in _ACTS:
        raise BadAct(f"act: payments have no {act!r}; allowed: {', '.join(_ACTS)}")
    if act == "expire":
        return _expire(world, ref)
    if act == "fail_refund":
        return _fail_refund(world, ref)
    of = _charge(world, ref)
    if act == "dispute":
        of["wire"].update(disputed=True, dispute=world.new_ref("du"))
        save(world, of)
        return of["wire"]
    try:
        return refund_charge(world, of, None, Stamp(), metadata={}, reason="requested_by_customer")["wire"]
    except Refusal as no:
        raise BadAct(f"ref: {no}") from None


def expire(world: World, ref: str) -> None:
    """An alarm came due: a hold is over, or a refund is decided."""
    if ref.startswith("pi_"):
        doc = intent(world, ref)
        if doc and doc["wire"]["status"] == "requires_capture":
            release(world, doc, "expired")
            world.restate(SYSTEM, ref, "charge.authorise", "expired")
    else:
        made = refund(world, ref)
        if made:
            settle(world, made)


def _expire(world: World, ref: str) -> dict[str, Any]:
    doc = intent(world, ref)
    if doc is None or doc["wire"]["status"] != "requires_capture":
        raise BadAct(f"ref: {ref!r} holds nothing; expire takes a payment intent that requires_capture")
    expire(world, ref)
    return {**(intent(world, ref) or doc)["wire"]}


def _fail_refund(world: World, ref: str) -> dict[str, Any]:
    made = refund(world, ref)
    if made is None:
        live = [doc for doc in refunds_of(world, _charge(world, ref)["wire"]["id"]) if _is_live(doc)]
        made = live[-1] if live else None
    if made is None or not _is_live(made):
        raise BadAct(f"ref: {ref!r} has no refund that succeeded or is pending")
    fail(world, made)
    return made["wire"]


def _is_live(made: Doc) -> bool:
    return made["wire"]["status"] in {"succeeded", "pending"}


def _charge(world: World, ref: str) -> Doc:
    doc = intent(world, ref)
    of = charge(world, (doc["wire"]["latest_charge"] or "") if doc else ref)
    if of is None:
        raise BadAct(f"ref: no charge, and no payment intent with one, is called {ref!r}")
    return of
