"""Run B: everything staged, shown, approved, and then carried out in the one order that is safe."""

from __future__ import annotations

from workers.holding import Holding
from workers.scene import Scene
from workers.stories.plot import Plot

FEE_MINOR = 500
"""What the fixture asks for sending order 1184 again: 5.00 EUR."""
CUSTOMER = "ana.ribeiro@customers.test"


async def _script(scene: Scene) -> None:
    proposal = await scene.proposal()
    scene.check(len(proposal.commit) == 4, f"{len(proposal.commit)} calls wait for the approval")
    await scene.decide("approve", proposal, by="lead", note="the chair is on us")


APPROVED = Plot(
    name="approved",
    title="Run B: staged, shown, approved, and carried out",
    request={"order_id": "1184", "customer_id": "cus_1184", "receipt": False},
    model="scripted:refund",
    must_hold=(
        Holding(kind="ticket.create"),
        Holding(kind="ticket.transition"),
        Holding(kind="charge.authorise", amount_minor=FEE_MINOR, currency="eur"),
        Holding(kind="charge.capture", amount_minor=FEE_MINOR, currency="eur"),
        Holding(kind="goods.reserve", about={"order_id": "1184"}),
        Holding(kind="parcel.send", about={"order_id": "1184"}),
        Holding(kind="mail.draft"),
        Holding(kind="mail.send", about={"to": [CUSTOMER]}),
    ),
    ends="COMMITTED",
    script=_script,
    # What a provider can still refuse, then what colleagues see, last what a customer reads.
    order=("charge.capture", "ticket.transition", "parcel.send", "mail.send"),
)
