"""Run C: staged and shown like run B, and rejected: as if nothing had been, and nothing on the statement."""

from __future__ import annotations

from workers.holding import Holding
from workers.scene import Scene
from workers.stories.plot import Plot

FEE_MINOR = 500
"""What the fixture asks for sending order 1185 again: 5.00 EUR."""


async def _script(scene: Scene) -> None:
    proposal = await scene.proposal()
    await scene.decide("reject", proposal, by="lead", note="the guarantee is over")


REJECTED = Plot(
    name="rejected",
    title="Run C: staged, shown, rejected, and taken back",
    request={"order_id": "1185", "customer_id": "cus_1185", "receipt": False},
    model="scripted:refund",
    must_hold=(
        Holding(kind="ticket.create", state="undone"),
        Holding(kind="ticket.delete", undoes=True),
        Holding(kind="charge.authorise", state="undone", amount_minor=FEE_MINOR, currency="eur"),
        Holding(kind="charge.cancel", undoes=True),
        Holding(kind="goods.reserve", state="undone", about={"order_id": "1185"}),
        Holding(kind="goods.release", undoes=True),
        Holding(kind="mail.draft", state="undone"),
        Holding(kind="mail.delete", undoes=True),
    ),
    ends="UNWOUND",
    script=_script,
)
