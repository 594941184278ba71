"""Run E: the same for a client that can pay: reserved, bought, shown, approved, and only then opened and told."""

from __future__ import annotations

from workers.holding import Holding
from workers.scene import Scene
from workers.stories.plot import Plot

SEATS = 40
PRICE_MINOR = 1250
"""What a seat costs the client acme in the fixtures: 12.50 USD."""


async def _script(scene: Scene) -> None:
    proposal = await scene.proposal()
    scene.check(len(proposal.commit) == 4, f"{len(proposal.commit)} calls wait for the approval")
    await scene.decide("approve", proposal, by="lead", note="the contract is signed")


ONBOARDED = Plot(
    name="onboarded",
    title="Run E: seats reserved and bought, shown, approved, and only then opened and told",
    agent="onboarding",
    request={
        "client": "acme",
        "admin": "rosa.diaz@acme.test",
        "members": [f"member{number:02}@acme.test" for number in range(1, SEATS + 1)],
        "seats": SEATS,
    },
    model="scripted:onboarding",
    must_hold=(
        Holding(kind="workspace.create"),
        Holding(kind="workspace.activate"),
        Holding(kind="admin.assign"),
        Holding(kind="seats.reserve"),
        Holding(kind="seats.confirm"),
        Holding(kind="seats.purchase", amount_minor=SEATS * PRICE_MINOR, currency="usd"),
        Holding(kind="project.create"),
        Holding(kind="repository.attach"),
        Holding(kind="team.invite"),
        Holding(kind="record.create"),
        Holding(kind="file.upload"),
        Holding(kind="invitation.send"),
        Holding(kind="webhook.send"),
    ),
    ends="COMMITTED",
    script=_script,
    # What the service can still refuse, then the workspace itself, last what people and the client's systems are told.
    order=("seats.confirm", "workspace.activate", "invitation.send", "webhook.send"),
)
