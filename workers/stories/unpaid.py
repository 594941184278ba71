"""Run D: the workspace is there, forty people are waiting to be told, and billing answers 402."""

from __future__ import annotations

from workers.holding import Holding
from workers.scene import Scene
from workers.stories.plot import Plot

SEATS = 40


async def _script(scene: Scene) -> None:
    workspace = await scene.effect("workspace.create")
    await scene.say(f"the world has workspace {workspace.ref}, pending: nobody can sign in, and sales does not see it")
    await scene.ended()
    scene.check(scene.rows("purchase_seats")[-1].status == "FAILED", "the purchase was not refused")
    scene.check(scene.rows("invite_members")[-1].status == "CANCELLED", "the invitations were not cancelled")


UNPAID = Plot(
    name="unpaid",
    title="Run D: the workspace is there, forty invitations are queued, and billing answers 402",
    agent="onboarding",
    request={
        "client": "initech",
        "admin": "peter.gibbons@initech.test",
        "members": [f"member{number:02}@initech.test" for number in range(1, SEATS + 1)],
        "seats": SEATS,
    },
    model="scripted:onboarding",
    # What was staged is taken back, dependants first; nobody was told, and nothing was paid.
    must_hold=(
        Holding(kind="workspace.create", state="undone"),
        Holding(kind="workspace.abandon", undoes=True),
        Holding(kind="admin.assign", state="undone"),
        Holding(kind="admin.revoke", undoes=True),
        Holding(kind="seats.reserve", state="undone"),
        Holding(kind="seats.release", undoes=True),
        Holding(kind="project.create", state="undone"),
        Holding(kind="project.delete", undoes=True),
        Holding(kind="repository.attach", state="undone"),
        Holding(kind="repository.detach", undoes=True),
        Holding(kind="team.invite", state="undone"),
        Holding(kind="team.remove", undoes=True),
        Holding(kind="record.create", state="undone"),
        Holding(kind="record.delete", undoes=True),
        Holding(kind="file.upload", state="undone"),
        Holding(kind="file.delete", undoes=True),
    ),
    ends="UNWOUND",
    script=_script,
    # The repository before its project, the record before the file that it points at, the workspace last.
    order=("repository.detach", "project.delete", "workspace.abandon"),
)
