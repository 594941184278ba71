"""The embedded server: killed and started again it goes on; a taken port and a missing program are said plainly."""

import importlib.metadata
import os
import socket
from typing import Any

import pytest
from temporalio.common import SearchAttributeKey, SearchAttributePair, TypedSearchAttributes

from workers.embedded import EmbeddedServer, program
from workers.exits import CannotTell
from workers.settings import environment

ENVIRONMENT = environment({}, sandbox_only=True)
PHASE = SearchAttributeKey.for_keyword("SagaPhase")


def server(tmp_path, **changes) -> EmbeddedServer:
    known: dict[str, Any] = {"port": 0, "ui_port": 0, "state_dir": tmp_path, "environment": ENVIRONMENT}
    return EmbeddedServer(**{**known, **changes})


async def test_killed_and_started_again_it_has_lost_nothing(tmp_path):
    embedded_server = server(tmp_path)
    try:
        client = await embedded_server.start()
        told = TypedSearchAttributes([SearchAttributePair(PHASE, "STAGING")])
        await client.start_workflow("AgentRun", id="r", task_queue="q", search_attributes=told)
        first = embedded_server.process.pid
        embedded_server.kill()
        assert not embedded_server.process.running
        client = await embedded_server.start()
        assert embedded_server.process.pid != first
        assert [run.id async for run in client.list_workflows("SagaPhase = 'STAGING'")] == ["r"]
        with pytest.raises(Exception, match="already started"):
            await client.start_workflow("AgentRun", id="r", task_queue="q")
    finally:
        embedded_server.stop()
    assert not embedded_server.process.running


async def test_the_pid_is_the_servers_own(tmp_path):
    embedded_server = server(tmp_path)
    try:
        await embedded_server.start()
        pid = embedded_server.process.pid
        os.kill(pid, 9)
        embedded_server.process.kill()
        with socket.socket() as probe:
            assert probe.connect_ex(("127.0.0.1", embedded_server.port)) != 0
    finally:
        embedded_server.stop()


def test_a_taken_port_is_said_with_what_to_do(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(CannotTell, match=rf"port {port} .* is taken.*SAGA_TEMPORAL_PORT="):
            server(tmp_path, port=port)
        with pytest.raises(CannotTell, match=rf"port {port} .*SAGA_UI_PORT="):
            server(tmp_path, ui_port=port)


async def test_two_servers_never_share_a_file(tmp_path):
    first = server(tmp_path)
    try:
        await first.start()
        second = server(tmp_path)
        with pytest.raises(CannotTell, match=rf"still runs \(pid {first.process.pid}\)"):
            await second.start()
        assert first.process.running
    finally:
        first.stop()


async def test_a_server_that_cannot_start_says_its_last_words(tmp_path):
    (tmp_path / "temporal.db").write_text("no database")
    with pytest.raises(CannotTell, match="temporal ended"):
        await server(tmp_path).start()


def test_a_missing_package_is_said_with_what_to_install(monkeypatch):
    def missing(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "files", missing)
    with pytest.raises(CannotTell, match=r"agent-sagas\[embedded\]"):
        program()
