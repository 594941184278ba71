"""Search attributes: a run that sets an unregistered one fails, so they are registered and waited for first."""

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from temporalio.common import SearchAttributePair, TypedSearchAttributes
from temporalio.service import RPCError, RPCStatusCode
from temporalio.testing import WorkflowEnvironment

from workers.attributes import ATTRIBUTES, ensure
from workers.exits import CannotTell
from workflows.attributes import ALL

VALUES: dict[str, Any] = {"SagaUnsettled": 1, "SagaIrreversibleBeforePivot": 0, "SagaNeedsHuman": True}


async def start(client, run_id):
    """A run that nobody works on, with every attribute of ours on it."""
    pairs: list[Any] = [SearchAttributePair(key, VALUES.get(key.name, "x")) for key in ALL]
    attributes = TypedSearchAttributes(pairs)
    await client.start_workflow("Nobody", id=run_id, task_queue="nobody", search_attributes=attributes)


async def test_what_is_missing_is_registered_and_can_be_used_at_once(server_without):
    """T36."""
    client = server_without.client
    with pytest.raises(RPCError, match="Saga"):
        await start(client, "before")
    await ensure(client)
    await start(client, "after")
    await ensure(client)  # and again changes nothing
    await start(client, "again")


@pytest.fixture
async def server_without():
    """The server that users run, which knows none of them."""
    path = str(Path(sys.executable).with_name("temporal"))
    async with await WorkflowEnvironment.start_local(
        dev_server_existing_path=path, dev_server_log_level="error"
    ) as environment:
        yield environment


async def test_where_they_cannot_be_registered_the_command_to_type_is_said():
    """T36."""

    async def known(_):
        return SimpleNamespace(custom_attributes={"SagaPhase": 2})

    async def refused(_):
        raise RPCError("not for you", RPCStatusCode.PERMISSION_DENIED, b"")

    operator = SimpleNamespace(list_search_attributes=known, add_search_attributes=refused)
    client = SimpleNamespace(namespace="default", operator_service=operator)
    with pytest.raises(CannotTell) as said:
        await ensure(client)  # type: ignore[arg-type]
    for name in ATTRIBUTES:
        assert (f"--name {name} " in str(said.value)) == (name != "SagaPhase")
