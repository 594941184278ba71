"""A server that answers every request alike, or badly on purpose: what no outside system in its right mind says."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def talking(talk: Talk) -> AsyncGenerator[int]:
    """The port of a server that leads each conversation so; whatever it was doing ends with the test."""
    running: set[asyncio.Task[None]] = set()

    async def lead(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            running.add(task)
        try:
            await talk(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(lead, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


@asynccontextmanager
async def answering(
    status: int, body: str, content_type: str = "application/json", more: str = ""
) -> AsyncGenerator[str]:
    """The address of an HTTP server that says this to everybody. `more`: further header lines, each with its end."""
    said = body.encode()
    head = f"HTTP/1.1 {status} X\r\nContent-Type: {content_type}\r\nContent-Length: {len(said)}\r\n{more}"

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(f"{head}Connection: close\r\n\r\n".encode() + said)
        await writer.drain()

    async with talking(talk) as port:
        yield f"http://127.0.0.1:{port}"


@asynccontextmanager
async def dripping() -> AsyncGenerator[str]:
    """The address of an HTTP server that never stops and never ends: a byte, a pause, a byte."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n")
        while True:
            writer.write(b" ")
            await writer.drain()
            await asyncio.sleep(0.05)

    async with talking(talk) as port:
        yield f"http://127.0.0.1:{port}"


async def closed_port() -> int:
    """A port on which nobody listens."""
    server = await asyncio.start_server(lambda *_: None, "127.0.0.1", 0)
    port: int = server.sockets[0].getsockname()[1]
    server.close()
    await server.wait_closed()
    return port
