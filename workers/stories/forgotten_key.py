"""Run A again, worse: Stripe forgets the key, and no tools worker is up until the attempt is over."""

from __future__ import annotations

from workers.holding import Holding
from workers.house import TOOLS
from workers.scene import Scene
from workers.stories.lost_answer import FAULTS, charge_is_seen, ticket_is_closed, ticket_is_found
from workers.stories.plot import Plot

FEE_MINOR = 500
"""What the fixture asks for sending order 1183 again: 5.00 EUR."""

_AFTER = ("CONFIRMED", "COMPENSATION_REQUESTED", "COMPENSATED")
"""What a charge that was found is, then or a moment later."""


async def _script(scene: Scene) -> None:
    ticket = await ticket_is_found(scene)
    await charge_is_seen(scene)
    await scene.kill(TOOLS)
    await scene.arm("payments", "*", "forget_keys:0")
    await scene.say("Stripe forgets the key: the same call sent again would now be a second charge")
    await scene.say("no tools worker is up until the attempt is over, which is given 45 s here")
    await scene.state("charge_card", "UNKNOWN", *_AFTER)
    await scene.say("the child workflow Reconcile lists the customer's payments, and compares keys")
    # The attempt is over: whatever the new worker does, it is not asked to send this again.
    await scene.start(TOOLS)
    row = await scene.state("charge_card", *_AFTER)
    requests = await scene.writes_under(row.idempotency_key)
    await scene.say(f"the charge was found by list; the sandbox counts {requests} request under its key")
    scene.check(row.doubted and row.how == "found by lookup", f"charge_card: {row.how}")
    scene.check(requests == 1, f"{requests} requests under the charge's key")
    await scene.ended()
    await ticket_is_closed(scene, ticket)


FORGOTTEN_KEY = Plot(
    name="forgotten-key",
    title="Run A again: the key is forgotten, and the tools are down until the attempt is over",
    request={"order_id": "1183", "customer_id": "cus_1183", "receipt": False},
    model="scripted:incident",
    # The same end: one ticket, closed; one charge, refunded once; nothing else.
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
