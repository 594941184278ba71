"""What the workspace service keeps: through a kill between its database and the world's, a restart, not a reset."""

import asyncio
import json
import signal
import sys

import httpx
import pytest

from tests.sandbox.office import SAGA
from workers.sandbox import workspaces
from workers.sandbox.app import Sandbox
from workers.sandbox.faults import FaultPlan
from workers.sandbox.route import View
from workers.sandbox.world import World

KEY = "a" * 32


async def test_a_request_that_dies_before_the_worlds_commit_leaves_its_effect_known(office, monkeypatch):
    """What a SIGKILL between the two commits leaves: all of the service's, nothing of the world's."""

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    home = await office.workspace()
    calls = len(office.world.calls())
    wish = {"workspace_id": home, "quantity": 3, "saga_key": KEY, **SAGA}
    [route] = [each for each in workspaces.routes if each.operations == ("reserve", "create")]
    headers = {"Authorization": "Bearer workspaces-write", "Content-Type": "application/json"}
    view = View("POST", route.path, {}, headers, [], json.dumps(wish).encode())
    with monkeypatch.context() as broken:
        broken.setattr(office.sandbox, "_write_line", die)
        with pytest.raises(KeyboardInterrupt):
            office.sandbox._carry_out(route, view)
    assert len(office.world.calls()) == calls
    assert office.world.take_due() == []
    [reserve] = office.world.effects(key=KEY)
    assert (reserve.kind, reserve.run, reserve.state) == ("seats.reserve", "run-7", "standing")
    assert (await office.done("reservations", **wish))["id"] == reserve.ref
    assert len(office.world.effects()) == 2


async def test_what_is_committed_outlives_sigkill_before_the_answer(tmp_path):
    command = [sys.executable, "-m", "workers.sandbox", "--port", "0", "--smtp-port", "0", "--dir", str(tmp_path)]

    async def start() -> tuple[asyncio.subprocess.Process, str]:
        process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
        assert process.stdout is not None
        return process, (await process.stdout.readline()).decode().split()[2].rstrip(",")

    process, url = await start()
    async with httpx.AsyncClient(headers={"Authorization": "Bearer workspaces-write"}, timeout=20) as client:
        fault = {"system": "workspaces", "operation": "create", "fault": "after:slow:60"}
        await client.post(f"{url}/world/faults", json=fault)
        body = {"client": "acme", "saga_key": KEY, **SAGA}
        waiting = asyncio.create_task(client.post(f"{url}/workspaces/v1/workspaces", json=body))
        while not (await client.get(f"{url}/world/effects")).json():
            await asyncio.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        await process.wait()
        with pytest.raises(httpx.TransportError):
            await waiting
        process, url = await start()
        answer = await client.post(f"{url}/workspaces/v1/workspaces", json=body)
        [effect] = (await client.get(f"{url}/world/effects")).json()
        assert (answer.status_code, effect["ref"]) == (200, answer.json()["id"])
    process.send_signal(signal.SIGTERM)
    assert await process.wait() == 0


async def test_an_alarm_that_was_lost_is_set_again_at_the_next_start(office, tmp_path, database_url):
    held = await office.held("tiny", 3)
    office.world.unalarm("workspaces", held["id"])
    office.world.advance(900)
    assert (await office.get(f"reservations/{held['id']}"))["state"] == "held"
    assert (await office.get("accounts/tiny"))["available_seats"] == 3, "the look itself does not need an alarm"
    Sandbox(World(tmp_path / "sandbox", {"workspaces": database_url})).world.close()
    assert (await office.get(f"reservations/{held['id']}"))["state"] == "expired"


async def test_effects_of_all_systems_come_in_the_order_in_which_they_happened(office):
    async def told(number: int) -> None:
        office.world.effect(system="mail", kind="mail.send", ref=f"m{number}", key=None, run=None, execution=None)

    await told(1)
    await office.workspace()
    await told(2)
    await office.workspace()
    await office.workspace()
    await told(3)
    answer = await office.client.get(f"{office.sandbox.url}/world/effects")
    systems = [each["system"] for each in answer.json()]
    assert systems == ["mail", "workspaces", "mail", "workspaces", "workspaces", "mail"]
    assert len(office.world.effects(system="mail")) == len(office.world.effects(system="workspaces")) == 3
    assert office.world.effects(key=None, system="workspaces") == []


async def test_a_reset_leaves_what_is_there_from_the_start(office):
    paid = await office.paid()
    await office.made("refunds", purchase_id=paid["id"], amount_minor=1, reason="r", saga_key=KEY)
    await office.done("documents/doc_acme_draft/archive")
    assert (await office.client.post(f"{office.sandbox.url}/world/reset")).json() == {"ok": True}
    for kind in ("workspaces", "reservations", "purchases", "refunds"):
        assert (await office.get(kind))["data"] == []
    assert office.world.effects() == []
    assert (await office.get("documents/doc_acme_draft"))["state"] == "live"
    assert (await office.get("accounts/acme"))["available_seats"] == 100_000
    assert (await office.made("workspaces", client="acme", saga_key=KEY))["state"] == "provisioning"


async def test_a_failure_of_ours_writes_nothing(office, monkeypatch):
    home = await office.workspace()
    with monkeypatch.context() as broken:
        broken.setattr("workers.sandbox.workspaces_hold.thing.birth", lambda *_: 1 / 0)
        answer = await office.post("reservations", workspace_id=home, quantity=1)
    assert (answer.status_code, answer.json()["error"]["code"]) == (500, "internal_error")
    assert office.effects() == [("workspace.create", "standing")]


async def test_a_thing_delivered_twice_is_there_once(office):
    office.sandbox.faults.arm(FaultPlan(system="workspaces", operation="create", fault="duplicate"))
    await office.post("workspaces", client="acme", saga_key=KEY)
    assert office.effects() == [("workspace.create", "standing")]
    assert len(office.world.calls()) == 2


def test_without_a_url_it_is_a_file_beside_the_worlds(tmp_path):
    sandbox = Sandbox(World(tmp_path))
    sandbox.world.close()
    assert (tmp_path / "workspaces.db").exists()
