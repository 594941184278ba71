"""The workspace service as a test speaks to it: each change under a key of its own unless one is named."""

import itertools
from typing import Any

import httpx

from workers.sandbox.app import Sandbox

SAGA = {"saga_run": "run-7", "saga_execution": "0a1b2c3d4e5f"}
NOW = 1_800_000_000


class Office:
    """The service over HTTP, with its world beside it. The world's clock stands at NOW."""

    def __init__(self, sandbox: Sandbox, client: httpx.AsyncClient) -> None:
        self.sandbox, self.world, self.client = sandbox, sandbox.world, client
        self._keys = (f"{number:032x}" for number in itertools.count(1))

    async def post(self, path: str, /, **body: Any) -> httpx.Response:
        """POST with the tags of a run."""
        return await self.client.post(f"/v1/{path}", json={"saga_key": next(self._keys), **SAGA, **body})

    async def made(self, kind: str, /, **body: Any) -> dict[str, Any]:
        """A new thing."""
        response = await self.post(kind, **body)
        assert response.status_code == 201, response.text
        return response.json()

    async def done(self, path: str, /, **body: Any) -> dict[str, Any]:
        """The thing after something was done to it."""
        response = await self.post(path, **body)
        assert response.status_code == 200, response.text
        return response.json()

    async def get(self, path: str, /, **query: Any) -> Any:
        """What a GET answers."""
        response = await self.client.get(f"/v1/{path}", params=query)
        assert response.status_code == 200, response.text
        return response.json()

    async def no(self, path: str, /, **body: Any) -> tuple[int, str]:
        """Status and code of a refusal."""
        response = await self.post(path, **body)
        return response.status_code, response.json()["error"]["code"]

    async def workspace(self, client: str = "acme") -> str:
        """A pending workspace."""
        return (await self.made("workspaces", client=client))["id"]

    async def held(self, client: str = "acme", quantity: int = 40) -> dict[str, Any]:
        """A reservation of a new workspace."""
        return await self.made("reservations", workspace_id=await self.workspace(client), quantity=quantity)

    async def paid(self, client: str = "acme", quantity: int = 40, price: int = 1250) -> dict[str, Any]:
        """A purchase of a new reservation."""
        own = {"quantity": quantity, "amount_minor": quantity * price, "currency": "usd"}
        return await self.made("purchases", reservation_id=(await self.held(client, quantity))["id"], **own)

    async def act(self, ref: str, act: str, **more: Any) -> httpx.Response:
        """What people and banks do."""
        plan = {"system": "workspaces", "ref": ref, "act": act, **more}
        return await self.client.post(f"{self.sandbox.url}/world/acts", json=plan)

    def effects(self, *kinds: str) -> list[tuple[str, str]]:
        """(kind, state) of what the world has, of these kinds or all."""
        found = self.world.effects(system="workspaces")
        return [(each.kind, each.state) for each in found if not kinds or each.kind in kinds]
