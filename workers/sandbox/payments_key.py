"""`Idempotency-Key`: the same request gets the same answer, another one under the same key is refused.

Kept for a day on the world's clock (Stripe: "at least 24 hours"); shorter while `forget_keys` is armed.
An answer is finished, and repeated, once its effect is committed, even while the first client still
waits for it.
"""

import hashlib
import json
import secrets
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from workers.sandbox.payments_error import Refusal, with_log_address
from workers.sandbox.route import Ctx, Handler, Reply, View

SYSTEM = "payments"
API_VERSION = "2026-10-28.endive"
"""Of an account that names none: the version of the `stripe` package this was written with."""
REMEMBERED_REFUSALS = frozenset({402, 500})
"""What `refuse:<status>` leaves under the key: a decline and the service's own error. A 400, 401, 403, 404,
409 or 429 was refused before the endpoint began, and 502 to 504 come from in front of it."""
_KEY_LENGTH = 255
_REPLAYED = "Idempotent-Replayed"


def reading(handler: Callable[[Ctx], Reply]) -> Handler:
    """A GET: refusals become replies."""

    async def handle(ctx: Ctx) -> Reply:
        try:
            return handler(ctx)
        except Refusal as no:
            return no.reply

    return handle


def keyed(handler: Callable[[Ctx], Reply]) -> Handler:
    """A POST: carried out once per key."""

    async def handle(ctx: Ctx) -> Reply:
        key = ctx.headers.get("Idempotency-Key")
        if not key:
            return _attempt(ctx, handler)[0]
        if len(key) > _KEY_LENGTH:
            return Refusal(f"Idempotency keys may not exceed {_KEY_LENGTH} characters.").reply
        before = ctx.world.remembered(SYSTEM, key, ctx.key_life_s)
        if before is not None:
            return _again(key, before, ctx)
        reply, remembered = _attempt(ctx, handler)
        if remembered:
            _remember(ctx, key, reply)
        return reply

    return handle


def remember_refusal(ctx: Ctx, reply: Reply, instead_of: Reply | None) -> None:
    """Keep the answer of a fault under the key, where Stripe would and the key was not taken before.

    `instead_of` is what the handler answered, where it ran: the effect is there, the error is remembered.
    """
    key = ctx.headers.get("Idempotency-Key")
    if not key or ctx.method == "GET" or reply.status not in REMEMBERED_REFUSALS:
        return
    taken = ctx.world.remembered(SYSTEM, key, ctx.key_life_s) is not None
    if taken and (instead_of is None or _REPLAYED in instead_of.headers):
        return
    _remember(ctx, key, reply)


def dress(view: View, reply: Reply) -> Reply:
    """The headers that every answer carries: the request's id and the version that was asked for."""
    request_id = reply.headers.get("Request-Id") or f"req_{secrets.token_hex(7)}"
    version = view.headers.get("Stripe-Version") or API_VERSION
    headers = {**reply.headers, "Request-Id": request_id, "Stripe-Version": version}
    return with_log_address(replace(reply, headers=headers), request_id)


def _attempt(ctx: Ctx, handler: Callable[[Ctx], Reply]) -> tuple[Reply, bool]:
    try:
        return dress(ctx, handler(ctx)), True
    except Refusal as no:
        return dress(ctx, no.reply), no.remembered


def _again(key: str, before: dict[str, Any], ctx: Ctx) -> Reply:
    if before["request"] != _fingerprint(ctx):
        return Refusal(
            "Keys for idempotent requests can only be used with the same parameters they were first used"
            f" with. Try using a key other than '{key}' if you meant to execute a different request.",
            type_="idempotency_error",
        ).reply
    headers = {_REPLAYED: "true", "Original-Request": before["request_id"]}
    return Reply(before["status"], before["body"], headers)


def _remember(ctx: Ctx, key: str, reply: Reply) -> None:
    kept = {
        "request": _fingerprint(ctx),
        "request_id": reply.headers["Request-Id"],
        "status": reply.status,
        "body": reply.body,
    }
    ctx.world.remember(SYSTEM, key, kept)


def _fingerprint(ctx: Ctx) -> str:
    said = json.dumps([ctx.method, ctx.path, ctx.form()], sort_keys=True)
    return hashlib.sha256(said.encode()).hexdigest()
