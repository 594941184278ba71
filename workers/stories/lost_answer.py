"""Run A: every answer that can be lost is lost, the worker dies after the charge, and then the warehouse refuses."""

from __future__ import annotations

from workers.holding import Holding
from workers.house import TOOLS
from workers.sandbox.world import Effect
from workers.scene import Scene
from workers.stories.plot import Plot
from workers.wording import plain

FEE_MINOR = 500
"""What the fixture asks for sending order 1182 again: 5.00 EUR."""

HELD_S = 30
"""How long Stripe's answer is held back: longer than it takes to see the charge and to kill a process."""

FAULTS = (
    ("tickets", "create", "after:504"),
    ("payments", "capture", f"after:slow:{HELD_S}"),
    ("warehouse", "reserve", "refuse:409"),
)


async def ticket_is_found(scene: Scene) -> Effect:
    """The ticket: asked for three times, made once, its answer lost, found."""
    ticket = await scene.effect("ticket.create")
    await scene.say(f"the world has ticket {ticket.ref}, and Jira's gateway answered 504")
    return ticket


async def charge_is_seen(scene: Scene) -> None:
    """The moment in which the money is taken and nobody has been told."""
    charge = await scene.effect("charge.capture")
    await scene.say(f"/world/effects shows charge {charge.ref}; Stripe's answer is still held back")


async def ticket_is_closed(scene: Scene, ticket: Effect) -> None:
    """One ticket in one step with two repeats, closed with a reason that whoever opens it can read."""
    said = await scene.comments(ticket.ref)
    await scene.say(f"ticket {ticket.ref} says: {plain(said[0]) if said else 'nothing'}")
    scene.check(len(said) == 1, f"the closed ticket has {len(said)} comments")
    steps = scene.rows("create_ticket")
    scene.check([len(row.repeats) for row in steps] == [2], "the ticket is not one step with two repeats")
    scene.check(all(row.doubted for row in steps), "the ticket's answer was not lost")


async def _script(scene: Scene) -> None:
    ticket = await ticket_is_found(scene)
    await charge_is_seen(scene)
    await scene.kill(TOOLS)
    await scene.say("within 5 s Temporal notices the silence, and repeats the call under the same key")
    await scene.start(TOOLS)
    row = await scene.state("charge_card", "CONFIRMED", "COMPENSATION_REQUESTED", "COMPENSATED")
    requests = await scene.writes_under(row.idempotency_key)
    await scene.say(f"the sandbox counts {requests} requests under that key and one charge (Idempotent-Replayed)")
    scene.check(row.attempts == 2 and row.how == "replayed", f"charge_card: {row.attempts} attempts, {row.how}")
    scene.check(requests == 2, f"{requests} requests under the charge's key")
    await scene.ended()
    await ticket_is_closed(scene, ticket)


LOST_ANSWER = Plot(
    name="lost-answer",
    title="Run A: the ticket's answer is lost, the worker dies after the charge, and the warehouse refuses",
    request={"order_id": "1182", "customer_id": "cus_1182", "receipt": False},
    model="scripted:incident",
    # One ticket, closed; one charge, refunded once; no mail, no parcel, nothing else.
    must_hold=(
        Holding(kind="ticket.create", state="undone"),
        Holding(kind="ticket.transition", undoes=True),
        Holding(kind="charge.capture", state="undone", amount_minor=FEE_MINOR, currency="eur"),
        Holding(kind="charge.refund", undoes=True, amount_minor=FEE_MINOR, currency="eur"),
    ),
    ends="UNWOUND",
    script=_script,
    faults=FAULTS,
)
