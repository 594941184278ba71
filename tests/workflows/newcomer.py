"""A client that is taken on: what sales asks for, the run, and the views that others have of the workspace."""

from __future__ import annotations

from typing import Any

import httpx

from tests.lab import Handle, Lab

SEATS = 40
PRICE_MINOR = 1250
"""What a seat costs the fixtures acme and initech: 12.50 USD."""


def request(client: str = "acme", **more: Any) -> dict[str, Any]:
    """Forty people and as many seats."""
    members = [f"member{number:02}@{client}.test" for number in range(1, SEATS + 1)]
    return {"client": client, "admin": f"admin@{client}.test", "members": members, "seats": SEATS, **more}


async def begun(lab: Lab, client: str = "acme", model: str = "scripted:onboarding", **more: Any) -> Handle:
    """A run of the agent for that client, asked for by ann."""
    return await lab.begin(f"onboard-{client}", agent="onboarding", request=request(client), model=model, **more)


def make_workspace(client: str = "acme") -> tuple[str, dict[str, Any]]:
    """The call that everything else stands on."""
    return "create_workspace", {"client": client}


async def ref(lab: Lab, kind: str) -> str:
    """The reference of the one effect of that kind."""
    (effect,) = await lab.effects(kind=kind)
    return effect["ref"]


async def may_sign_in(lab: Lab, email: str) -> bool:
    """Whether the service lets that person into the one workspace."""
    body = {"workspace_id": await ref(lab, "workspace.create"), "email": email}
    return (await _as_writer(lab).post("/workspaces/v1/sign-in", json=body)).status_code == 200


async def sold(lab: Lab) -> list[str]:
    """The clients that sales sees as provisioned."""
    answer = await _as_writer(lab).get("/workspaces/v1/sales")
    return [each["client"] for each in answer.json()["data"]]


def _as_writer(lab: Lab) -> httpx.AsyncClient:
    lab.world.headers["Authorization"] = "Bearer workspaces-write"
    return lab.world
