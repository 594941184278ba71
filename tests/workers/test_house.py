"""The house with its real processes: a run by the command line, with and without workers; and nothing left running."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from typer.testing import CliRunner

from workers.cli import app
from workers.connect import connect_to
from workers.exits import CannotTell
from workers.house import LOOKUPS, RUNS, SANDBOX, SERVER, STOPPED, TOOLS, House, live, watched
from workers.settings import Settings

# Five processes start, some twice, and each imports its SDKs: seconds where nobody else works, a minute where many do.
pytestmark = pytest.mark.timeout(240)

START = ("start", "refund", "--requested-by", "maria", "--request", '{"order_id": "1182", "customer_id": "cus_1182"}')
PATIENCE_S = 90


@dataclass(frozen=True)
class Said:
    code: int
    out: str
    err: str


def config(directory) -> Settings:
    return Settings(state_dir=directory, temporal_port=0, ui_port=0, sandbox_port=0)


@pytest.fixture(scope="module")
def house(tmp_path_factory) -> Iterator[House]:
    """One for all tests of this file; its own test is that nothing of it is left."""
    built = House(config(tmp_path_factory.mktemp("house")), sandbox_only=True)
    try:
        asyncio.run(built.start_all())
        yield built
    finally:
        pids = [process.pid for process in built.parts.values()]
        built.stop_all()
    assert not [pid for pid in pids if alive(pid)]


@pytest.fixture
def impatient(monkeypatch):
    """Does not wait ten seconds for a worker that is not there."""
    monkeypatch.setattr("workers.seen.QUERY_S", 2.0)
    monkeypatch.setattr("workers.decisions.ANSWER_S", 2.0)


async def saga(house: House, *arguments: str) -> Said:
    """The command, in this process; one at a time."""
    result = await asyncio.to_thread(CliRunner(env=house.environment).invoke, app, list(arguments))
    return Said(result.exit_code, result.stdout, result.stderr)


async def shown(house: House, run_id: str) -> dict[str, Any]:
    said = await saga(house, "show", run_id, "--json")
    assert said.code == 0, said.err
    return json.loads(said.out)


async def until_phase(house: House, run_id: str, phase: str) -> dict[str, Any]:
    async with asyncio.timeout(PATIENCE_S):
        while (seen := await shown(house, run_id))["status"].get("phase") != phase:
            await asyncio.sleep(0.2)
    return seen


async def test_a_run_is_started_shown_approved_and_told(house):
    assert (await saga(house, *START, "--id", "a")).code == 0
    again = await saga(house, *START, "--id", "a")
    assert (again.code, "has run before" in again.err) == (2, True)
    seen = await until_phase(house, "a", "AWAITING_APPROVAL")
    digest = seen["proposal"]["digest"]
    assert f"saga approve a --by YOU --digest {digest}" in (await saga(house, "show", "a")).out
    waiting = await saga(house, "list", "--waiting", "--json")
    assert [run["id"] for run in json.loads(waiting.out)] == ["a"]

    alone = await saga(house, "approve", "a", "--by", "maria", "--digest", digest)
    assert (alone.code, "may not approve it alone" in alone.err) == (1, True)
    stale = await saga(house, "approve", "a", "--by", "ben", "--digest", "0" * 16)
    assert (stale.code, "not the digest of what stands now" in stale.err) == (1, True)

    assert (await saga(house, "approve", "a", "--by", "ben", "--digest", digest)).code == 0
    seen = await until_phase(house, "a", "COMMITTED")
    assert {row["approved_by"]["by"] for row in seen["rows"] if row["approved_by"]} == {"ben"}
    keys = {row["idempotency_key"] for row in seen["rows"]}
    assert {effect["key"] for effect in seen["world"]["effects"]} == keys
    assert (await saga(house, "approve", "a", "--by", "ben", "--digest", digest)).code == 0  # finds the first
    late = await saga(house, "reject", "a", "--by", "eva", "--digest", digest)
    assert (late.code, "has ended" in late.err) == (1, True)


async def test_without_a_worker_the_history_is_read_and_a_decision_cannot_be_told(house, impatient):
    """T42."""
    assert (await saga(house, *START, "--id", "h", "--model", "scripted:review")).code == 0
    seen = await until_phase(house, "h", "NEEDS_HUMAN")
    house[RUNS].kill()
    try:
        blind = await shown(house, "h")
        page = (await saga(house, "show", "h")).out
        decision = ("reject", "h", "--by", "ben", "--digest", seen["proposal"]["digest"])
        unheard = await saga(house, *decision)
    finally:
        await house.start(RUNS)
    assert blind["source"] == "history"
    assert {**blind, "source": "worker"} == seen
    assert "No worker answered: read from the history" in page
    assert (unheard.code, "may still count" in unheard.err) == (3, True)
    async with asyncio.timeout(PATIENCE_S):
        while (await saga(house, *decision)).code != 0:
            await asyncio.sleep(0.2)
    await until_phase(house, "h", "UNWOUND")


async def test_a_run_is_given_no_time_limit_and_no_second_life_by_temporal(house):
    """T5, T41: a time-out runs no code, and a retry would run under the same keys; the deadline is a timer inside."""
    assert (await saga(house, *START, "--id", "t", "--model", "scripted:review")).code == 0
    run = (await connect_to(house.server.address)).get_workflow_handle("t")
    started = (await run.fetch_history()).events[0].workflow_execution_started_event_attributes
    assert started.workflow_execution_timeout.ToNanoseconds() == 0
    assert started.workflow_run_timeout.ToNanoseconds() == 0
    assert not started.HasField("retry_policy")
    await until_phase(house, "t", "NEEDS_HUMAN")
    assert (await saga(house, "reject", "t", "--by", "ben", "--yes")).code == 0


async def test_what_a_terminated_run_leaves_is_shown_with_or_without_a_worker(house, impatient):
    """T5."""
    assert (await saga(house, *START, "--id", "x")).code == 0
    seen = await until_phase(house, "x", "AWAITING_APPROVAL")
    await (await connect_to(house.server.address)).get_workflow_handle("x").terminate("a test")
    answered = await shown(house, "x")
    house[RUNS].kill()
    try:
        blind = await shown(house, "x")
        page = (await saga(house, "show", "x")).out
    finally:
        await house.start(RUNS)
    assert (answered["ended"], blind["ended"], blind["source"]) == ("TERMINATED", "TERMINATED", "history")
    assert answered["rows"] == blind["rows"] == seen["rows"]
    left = {effect["kind"] for effect in blind["world"]["effects"] if effect["state"] == "standing"}
    assert left == {"mail.draft", "ticket.create", "charge.authorise", "goods.reserve"}
    assert "TERMINATED" in page.upper()


async def test_wait_tells_the_story_as_a_program_of_its_own_and_a_no_is_exit_1(house):
    waiting = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "workers.cli", *START, "--id", "w", "--wait"),
        env=house.environment,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    heard = asyncio.create_task(waiting.communicate())
    async with asyncio.timeout(PATIENCE_S):
        while (await saga(house, "reject", "w", "--by", "ben", "--yes", "--note", "not now")).code != 0:
            await asyncio.sleep(0.2)
        out, err = (said.decode() for said in await heard)
    assert waiting.returncode == 1, err
    assert "UNWOUND: taken back" in out
    assert "rejected by ben: not now" in out


async def test_a_cancel_says_who_and_why_and_ends_as_one(house):
    assert (await saga(house, *START, "--id", "c", "--model", "scripted:review")).code == 0
    await until_phase(house, "c", "NEEDS_HUMAN")
    assert (await saga(house, "cancel", "c", "--by", "eva", "--note", "wrong order")).code == 0
    async with asyncio.timeout(PATIENCE_S):
        while (ended := (await shown(house, "c"))["ended"]) is None:
            await asyncio.sleep(0.2)
    assert ended == "CANCELED"
    assert (await saga(house, "cancel", "c")).code == 1


async def test_what_is_killed_is_started_again_and_has_forgotten_nothing(house):
    said: list[str] = []
    effects = await effects_of(house)
    runs = json.loads((await saga(house, "list", "--json")).out)
    before = {name: process.pid for name, process in house.parts.items()}
    watching = asyncio.create_task(watched(house, said.append, every_s=0.1))
    for name in (SERVER, SANDBOX, TOOLS, LOOKUPS):
        os.kill(before[name], signal.SIGKILL)
    async with asyncio.timeout(PATIENCE_S):
        while len(said) < 4:
            await asyncio.sleep(0.1)
    watching.cancel()
    after = {name: process.pid for name, process in house.parts.items()}
    assert {name for name in before if before[name] != after[name]} == {SERVER, SANDBOX, TOOLS, LOOKUPS}
    assert await effects_of(house) == effects
    assert json.loads((await saga(house, "list", "--json")).out) == runs


async def test_a_part_that_cannot_start_takes_the_others_down_with_it(tmp_path):
    house = House(config(tmp_path), sandbox_only=True, extra={"SAGA_TRIES": "none"})
    with pytest.raises(CannotTell, match="SAGA_TRIES"):
        async with house:
            pass
    assert not any(process.running for process in house.parts.values())


def test_a_signal_ends_the_story_through_its_blocks():
    left: list[str] = []

    async def story() -> int:
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            os.kill(os.getpid(), signal.SIGINT)
            await asyncio.sleep(30)
        finally:
            left.append("tidied")
        return 0

    assert live(story) == STOPPED
    assert left == ["tidied"]


async def effects_of(house: House) -> list[dict[str, Any]]:
    async with httpx.AsyncClient() as http:
        return (await http.get(f"{house.sandbox_url}/world/effects")).json()


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
