"""How an answer looks on the wire: as it should, or lost in one of the ways of `before` and `after`."""

import asyncio
import json
import socket
import struct
from http import HTTPStatus

from aiohttp import web

from workers.sandbox.route import Reply

_PAGE = (
    "<html>\r\n<head><title>{status} {reason}</title></head>\r\n<body>\r\n"
    "<center><h1>{status} {reason}</h1></center>\r\n<hr><center>gateway</center>\r\n</body>\r\n</html>\r\n"
)
_REASONS = {
    500: "Internal Server Error",
    502: "Bad Gateway",
    503: "Service Unavailable",
    504: "Gateway Time-out",
}
_OUTCOMES: dict[str, int | None] = {
    "reset": None,
    "truncate": 200,
    "blank200": 200,
    "204": 204,
    "html200": 200,
}


def spoilt_status(how: str, status: int) -> int | None:
    """The status that goes out; None where nothing does."""
    if how.startswith("slow:"):
        return status
    if how == "truncate":
        return _with_a_body(status)
    return _OUTCOMES[how] if how in _OUTCOMES else int(how)


async def send_spoilt(request: web.Request, how: str, reply: Reply) -> web.StreamResponse:
    """Answer `request` in the way of `before:<how>` or `after:<how>`; everything is committed already."""
    if how.startswith("slow:"):
        # Real seconds: what is tested is a client that gives up, or dies, while it waits.
        await asyncio.sleep(float(how.removeprefix("slow:")))
        return sent(reply)
    if how == "reset":
        return _reset(request)
    if how == "truncate":
        return await _truncated(request, reply)
    if how == "blank200":
        return web.Response(status=200, body=b"", content_type="application/json")
    if how == "204":
        return web.Response(status=204)
    status = 200 if how == "html200" else int(how)
    page = _PAGE.format(status=status, reason=_REASONS.get(status, "OK" if status == 200 else "Error"))
    return web.Response(status=status, text=page, content_type="text/html")


def sent(reply: Reply) -> web.Response:
    """The answer as it should be."""
    if isinstance(reply.body, str):
        content_type = reply.content_type or "text/plain"
        return web.Response(status=reply.status, text=reply.body, content_type=content_type, headers=reply.headers)
    body = b"" if reply.body is None else json.dumps(reply.body).encode()
    content_type = None if reply.body is None else (reply.content_type or "application/json")
    return web.Response(status=reply.status, body=body, content_type=content_type, headers=reply.headers)


def _reset(request: web.Request) -> web.Response:
    transport = request.transport
    if transport is not None:
        raw: socket.socket | None = transport.get_extra_info("socket")
        if raw is not None:
            # SO_LINGER 0: close() sends RST. Without it the client sees a clean end of the stream.
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        transport.abort()
    return web.Response(status=500)


async def _truncated(request: web.Request, reply: Reply) -> web.StreamResponse:
    whole = json.dumps(reply.body).encode() if isinstance(reply.body, dict | list) else b"x" * 64
    response = web.StreamResponse(status=_with_a_body(reply.status), headers=reply.headers)
    response.content_type = "application/json"
    response.content_length = len(whole)
    response.force_close()
    await response.prepare(request)
    await response.write(whole[: len(whole) // 2])
    if request.transport is not None:
        request.transport.close()
    return response


def _with_a_body(status: int) -> int:
    # A 204 has no body that could break off.
    return 200 if status == HTTPStatus.NO_CONTENT else status
