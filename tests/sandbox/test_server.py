"""The sandbox as a process: what SIGKILL leaves, and a port that is taken."""

import asyncio
import os
import signal
import socket
import sys
from pathlib import Path

import httpx
import pytest

KEY = "a" * 32
FORM = {"amount": "4900", "currency": "eur", "payment_method": "pm_card_visa", "confirm": "true"}


async def _start(directory: Path, port: int = 0) -> tuple[asyncio.subprocess.Process, str]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "workers.sandbox", "--port", str(port), "--smtp-port", "0", "--dir", str(directory),
        stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    line = (await process.stdout.readline()).decode()
    return process, line.split()[2].rstrip(",")


async def test_what_was_committed_outlives_sigkill_even_before_the_answer(tmp_path):
    process, url = await _start(tmp_path)
    auth = {"Authorization": "Bearer sk_test_sandbox", "Idempotency-Key": KEY}
    async with httpx.AsyncClient(headers=auth, timeout=10) as client:
        fault = {"system": "payments", "operation": "capture", "fault": "after:slow:60"}
        await client.post(f"{url}/world/faults", json=fault)
        waiting = asyncio.create_task(client.post(f"{url}/v1/payment_intents", data=FORM))
        while not (await client.get(f"{url}/world/effects")).json():
            await asyncio.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        await process.wait()
        with pytest.raises(httpx.TransportError):
            await waiting
        process, url = await _start(tmp_path)
        answer = await client.post(f"{url}/v1/payment_intents", data=FORM)
        assert answer.headers["Idempotent-Replayed"] == "true"
        [effect] = (await client.get(f"{url}/world/effects")).json()
        assert effect["ref"] == answer.json()["id"]
        assert [call["status"] for call in (await client.get(f"{url}/world/calls")).json()] == [200, 200]
    process.send_signal(signal.SIGTERM)
    assert await process.wait() == 0


@pytest.mark.parametrize("taken", ["http", "smtp"])
async def test_a_taken_port_is_said_in_one_line(tmp_path, taken):
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        port = str(holder.getsockname()[1])
        ports = (port, "0") if taken == "http" else ("0", port)
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "workers.sandbox", "--port", ports[0], "--smtp-port", ports[1],
            "--dir", str(tmp_path), stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        _, said = await process.communicate()
    assert process.returncode == 1
    assert len(said.decode().strip().splitlines()) == 1
    assert port in said.decode()


async def test_a_database_that_does_not_answer_is_said_in_one_line_without_its_password(tmp_path):
    url = f"postgresql://saga:hidden@/none?unix_sock={tmp_path}/nobody"
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "workers.sandbox", "--port", "0", "--smtp-port", "0", "--dir", str(tmp_path),
        env={**os.environ, "SAGA_WORKSPACES_DATABASE": url}, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    _, said = await process.communicate()
    assert process.returncode == 1
    assert len(said.decode().strip().splitlines()) == 1
    assert "SAGA_WORKSPACES_DATABASE" in said.decode()
    assert "hidden" not in said.decode()
