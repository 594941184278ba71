"""The customers' own endpoints, after Standard Webhooks: every client has one, at `/webhooks/<client>`.

An endpoint drops what it has seen by `webhook-id`, for as long as it remembers, and takes nothing that is not signed
with SECRET. It differs from a real one in two ways: the age of `webhook-timestamp` is not looked at, since tests run
on skipped time; and GET shows what it was sent, for whoever tests. Acts: a customer closes theirs, which is 410 then.
"""

import hmac
from datetime import UTC, datetime
from typing import Any

from standardwebhooks.webhooks import Webhook

from workers.sandbox.route import BadAct, Ctx, Reply, Route
from workers.sandbox.world import Doc, World

SECRET = "whsec_c2FuZGJveC1vbmx5LW5vYm9keXMtc2VjcmV0LWF0LWFsbA=="  # noqa: S105 - nobody's secret, as it says itself
"""What the sandbox's endpoints are signed for. Real ones have one each."""

_SYSTEM = "webhooks"
_NOS = {401: "no signature fits", 409: "conflict", 410: "gone", 429: "too many requests", 503: "unavailable"}
_SHORTEST, _LONGEST = 1, 256
"""Characters of a webhook-id that are taken."""


def refusal(status: int, message: str | None = None) -> Reply:
    """Standard Webhooks lays down no body for a no; this is one that a small program might give."""
    return Reply(status, {"error": message or _NOS.get(status, "refused")})


def in_use() -> Reply:
    """The same webhook-id is being dealt with at this moment."""
    return refusal(409)


def act(world: World, ref: str, act: str) -> dict[str, Any]:
    """A customer closes their endpoint: `ref` is the client."""
    if act != "close":
        raise BadAct(f"act: {act!r} is nothing that is done to endpoints; allowed: close")
    world.put(_SYSTEM, "endpoint", ref, {"client": ref, "state": "closed"})
    return {"ref": ref, "state": "closed"}


async def _receive(ctx: Ctx) -> Reply:
    client, name = ctx.match["client"], ctx.headers.get("webhook-id", "")
    if ctx.world.get(_SYSTEM, "endpoint", client) is not None:
        return refusal(410)
    if not _SHORTEST <= len(name) <= _LONGEST:
        return refusal(400, "webhook-id: is needed")
    if not _is_signed(ctx, name):
        return refusal(401)
    event = ctx.json()
    if not isinstance(event, dict) or not isinstance(event.get("type"), str):
        return refusal(400, "type: is needed")
    memory = f"{client}/{name}"
    seen = ctx.world.remembered(_SYSTEM, memory, ctx.key_life_s) is not None
    _keep(ctx, client, name, seen=seen)
    if not seen:
        ctx.world.remember(_SYSTEM, memory, {})
        stamp = ctx.stamp
        ctx.world.effect(
            system=_SYSTEM, kind="webhook.send", ref=name, key=name, run=stamp.run, execution=stamp.execution,
            audience=["customer"], about={"client": client, "event": event["type"], "data": event.get("data")},
        )  # fmt: skip
    return Reply(200, {"received": name})


def _is_signed(ctx: Ctx, name: str) -> bool:
    try:
        at = datetime.fromtimestamp(int(ctx.headers.get("webhook-timestamp", "")), UTC)
    except (ValueError, OverflowError, OSError):
        return False
    wanted = Webhook(SECRET).sign(name, at, ctx.body.decode("utf-8", "replace"))
    given = ctx.headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(wanted.encode(), each.encode()) for each in given)


def _keep(ctx: Ctx, client: str, name: str, *, seen: bool) -> None:
    got: Doc = {
        "client": client, "webhook_id": name, "at": ctx.world.now(), "dropped": seen,
        "timestamp": ctx.headers.get("webhook-timestamp"), "body": ctx.body.decode("utf-8", "replace"),
    }  # fmt: skip
    ctx.world.put(_SYSTEM, "delivery", ctx.world.new_ref("whd"), got)


async def _show(ctx: Ctx) -> Reply:
    return Reply(200, {"data": ctx.world.all(_SYSTEM, "delivery", client=ctx.match["client"])})


_ONE = "/webhooks/{client}"
routes = [
    Route("POST", _ONE, _SYSTEM, ("send", "create"), _receive),
    Route("GET", _ONE, _SYSTEM, ("list", "read"), _show),
]
