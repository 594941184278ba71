"""The command line where there is nobody to ask: bad input is refused here, and the rest cannot be told."""

import asyncio
import json
import os
import socket
import sys

import httpx
import pytest
from typer.testing import CliRunner

from workers.cli import app
from workers.ports import free
from workers.settings_providers import PREFIXES

REQUEST = '{"order_id": "#1182", "customer_id": "cus_1182"}'
START = ["start", "refund", "--id", "r", "--requested-by", "maria", "--request", REQUEST]


@pytest.fixture
def saga(monkeypatch):
    for name in list(os.environ):
        if name.startswith(("SAGA_", "TEMPORAL_", *PREFIXES)):
            monkeypatch.delenv(name)
    monkeypatch.setenv("TEMPORAL_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("TEMPORAL_ADDRESS", f"127.0.0.1:{free()}")

    def run(*arguments: str):
        return CliRunner().invoke(app, list(arguments))

    return run


@pytest.mark.parametrize(
    "arguments",
    [
        START,
        ["show", "r"],
        ["list"],
        ["approve", "r", "--by", "ben", "--yes"],
        ["reject", "r", "--by", "ben", "--digest", "0123456789abcdef"],
        ["send-back", "r", "--by", "ben", "--note", "no", "--strike", "1,2", "--yes"],
        ["resolve", "r", "0", "--by", "ben", "--happened", "--ref", "x"],
        ["retry", "r", "0", "--by", "ben", "--half", "compensation"],
        ["waive", "r", "0", "--by", "ben"],
        ["cancel", "r"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_without_a_server_nobody_can_tell_and_what_to_do_is_said(saga, arguments):
    result = saga(*arguments)
    assert result.exit_code == 3
    assert "no Temporal server answers at 127.0.0.1:" in result.stderr
    assert "make up" in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"refund": "nobody"}, "agent: no such agent; there are onboarding, refund"),
        ({REQUEST: "{}"}, "request.order_id: Field required"),
        ({REQUEST: '{"order_id": "1182", "customer_id": "cus_1182", "more": 1}'}, "request.more"),
        ({REQUEST: "[]"}, "--request: expected one JSON object"),
        ({REQUEST: "not json"}, "--request: expected one JSON object"),
        ({"r": "a b"}, "id: 1 to 200 characters"),
        ({"r": "x" * 201}, "id: 1 to 200 characters"),
        ({"maria": " "}, "requested_by"),
    ],
)
def test_what_does_not_fit_is_refused_before_anybody_is_asked(saga, change, says):
    result = saga(*(change.get(each, each) for each in START))
    assert result.exit_code == 2
    assert says in result.stderr


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (["--model", "scripted:nobody"], "model: no script of that name"),
        (["--model", "oracle"], "model: no such model here; there are scripted:"),
        (["--limits", '{"max_steps": "many"}'], "limits.max_steps"),
        (["--limits", "7"], "--limits: expected one JSON object"),
        (["--approval-timeout-s", "-1"], "approval_timeout_s"),
        (["--faults", '[{"verb": "call", "tool": "charge_card", "fault": "after"}]'], "faults: fault injection is off"),
    ],
)
def test_so_is_what_is_asked_for_beside_it(saga, more, says):
    result = saga(*START, *more)
    assert result.exit_code == 2
    assert says in result.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["approve", "r", "--by", "ben"], "--digest: is needed"),
        (["approve", "r", "--by", "ben", "--yes", "--digest", "0123456789abcdef"], "or --yes, not both"),
        (["approve", "r"], "--by"),
        (["send-back", "r", "--by", "ben", "--note", "n", "--yes", "--strike", "two"], "--strike: step numbers"),
        (["resolve", "r", "0", "--by", "ben"], "--happened"),
        (["resolve", "r", "0", "--by", "ben", "--happened", "--half", "both"], "half: Input should be"),
        (["retry", "r", "-1", "--by", "ben"], "-1"),
        (["retry", "r", "one", "--by", "ben"], "STEP"),
        (["list", "--agent", "it's"], "SagaAgent: no quotes"),
        (["list", "--limit", "0"], "--limit"),
        (["tools", "--agent", "nobody"], "--agent: no such agent"),
        (["worker", "everything"], "everything"),
        (["forget"], "forget"),
    ],
)
def test_bad_words_are_bad_input(saga, monkeypatch, arguments, says):
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr("workers.commands.decide.connect", no_server)
    monkeypatch.setattr("workers.commands.look.connect", no_server)
    monkeypatch.setattr("workers.commands.decide.see", no_run)
    result = saga(*arguments)
    assert result.exit_code == 2
    assert says in result.stderr


async def no_server(_config):
    return None


async def no_run(_client, run_id):
    from workers.seen import Seen

    return Seen(run_id=run_id)


def test_a_wrong_setting_is_bad_input(saga, monkeypatch):
    monkeypatch.setenv("SAGA_UI_PORT", "many")
    result = saga("list")
    assert result.exit_code == 2
    assert "SAGA_UI_PORT" in result.stderr


def test_our_own_mistake_is_not_an_answer(saga, monkeypatch):
    def broken():
        raise KeyError("oops")

    monkeypatch.setattr("workers.settings.read", broken)
    result = saga("list")
    assert result.exit_code == 3
    assert "unexpected KeyError" in result.stderr


def test_the_book_of_tools_needs_nobody(saga):
    result = saga("tools", "--json")
    assert result.exit_code == 0
    book = {line["name"]: line for line in json.loads(result.stdout)}
    assert book["authorise_payment"]["undone_by"] == "void_authorisation"
    assert book["capture_payment"]["commit_half_of"] == ["authorise_payment"]
    assert book["capture_payment"]["agents"] == []
    assert book["search_orders"]["class"] == "pure"
    table = saga("tools", "--agent", "refund").stdout
    assert "charge_card" in table
    assert "capture_payment" not in [line.split()[0] for line in table.splitlines()]


def test_help_is_no_error(saga):
    assert saga("--help").exit_code == 0
    assert saga("start", "--help").exit_code == 0


def test_a_taken_port_of_the_sandbox_is_said_with_what_to_do(saga, tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        result = saga("sandbox", "--port", port, "--smtp-port", "0", "--dir", str(tmp_path))
    assert result.exit_code == 3
    assert port in result.stderr
    assert "SAGA_SANDBOX_PORT" in result.stderr


async def test_the_sandbox_serves_until_it_is_told_to_stop(tmp_path):
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "workers.cli", "sandbox", "--port", "0", "--smtp-port", "0", "--dir", str(tmp_path)),
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    async with asyncio.timeout(50):
        url = (await process.stdout.readline()).decode().split()[2].rstrip(",")
        async with httpx.AsyncClient() as http:
            assert (await http.get(f"{url}/world/health")).json()["ok"] is True
        process.terminate()
        await process.communicate()
    assert process.returncode == 0
