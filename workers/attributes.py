"""The search attributes of a run: registered where they are missing, and waited for until they show.

A run that sets an unregistered one fails, and a registration takes seconds to be seen everywhere.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping

from temporalio.api.enums.v1 import IndexedValueType
from temporalio.api.operatorservice.v1 import AddSearchAttributesRequest, ListSearchAttributesRequest
from temporalio.client import Client
from temporalio.service import RPCError, RPCStatusCode

from workers.exits import CannotTell
from workflows.attributes import ALL

ATTRIBUTES: Mapping[str, IndexedValueType.ValueType] = {
    key.name: IndexedValueType.ValueType(int(key.indexed_value_type)) for key in ALL
}
"""Those that a run writes, with their kinds as the server names them."""

SHOW_S = 60.0
"""A server on a database of its own refreshes what it knows of a namespace every ten seconds or so."""
LOOK_EVERY_S = 0.1

_SAMPLE = {
    IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD: "'x'",
    IndexedValueType.INDEXED_VALUE_TYPE_INT: "1",
    IndexedValueType.INDEXED_VALUE_TYPE_BOOL: "true",
}
QUERY = " AND ".join(f"{name} = {_SAMPLE[kind]}" for name, kind in ATTRIBUTES.items())
"""Names every attribute: the server refuses it until it knows them all."""


async def ensure(client: Client) -> None:
    """Register what is missing and wait until the server takes a query by it.

    CannotTell where they are missing and may not be registered from here: then the command to type is in the text.
    """
    missing = await _missing(client)
    if missing:
        await _register(client, missing)
    await _until_shown(client)


async def _missing(client: Client) -> dict[str, IndexedValueType.ValueType]:
    try:
        known = await client.operator_service.list_search_attributes(
            ListSearchAttributesRequest(namespace=client.namespace)
        )
    except RPCError as error:
        if error.status in (RPCStatusCode.UNIMPLEMENTED, RPCStatusCode.PERMISSION_DENIED):
            return {}  # a server that keeps this to itself; the query below tells whether they are there
        raise
    return {name: kind for name, kind in ATTRIBUTES.items() if name not in known.custom_attributes}


async def _register(client: Client, missing: Mapping[str, IndexedValueType.ValueType]) -> None:
    try:
        await client.operator_service.add_search_attributes(
            AddSearchAttributesRequest(namespace=client.namespace, search_attributes=missing)
        )
    except RPCError as error:
        if error.status == RPCStatusCode.ALREADY_EXISTS:
            return  # another worker was quicker
        raise CannotTell(f"search attributes cannot be registered ({error.message}). {_by_hand(missing)}") from None


async def _until_shown(client: Client) -> None:
    end = time.monotonic() + SHOW_S
    while True:
        try:
            await client.count_workflows(QUERY)
            return
        except RPCError as error:
            if error.status == RPCStatusCode.UNIMPLEMENTED:
                return  # the time-skipping test server has no visibility
            if error.status != RPCStatusCode.INVALID_ARGUMENT:
                raise
            if time.monotonic() > end:
                raise CannotTell(
                    f"the server does not know the search attributes ({error.message}). {_by_hand(ATTRIBUTES)}"
                ) from None
        await asyncio.sleep(LOOK_EVERY_S)


def _by_hand(names: Mapping[str, IndexedValueType.ValueType]) -> str:
    kinds = {
        IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD: "Keyword",
        IndexedValueType.INDEXED_VALUE_TYPE_INT: "Int",
        IndexedValueType.INDEXED_VALUE_TYPE_BOOL: "Bool",
    }
    typed = " ".join(f"--name {name} --type {kinds[kind]}" for name, kind in names.items())
    return f"Register them: temporal operator search-attribute create {typed}"
