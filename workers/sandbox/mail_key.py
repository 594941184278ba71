"""`Idempotency-Key` as Resend documents it: kept for a day, bound to its request; errors are not kept."""

import hashlib
import json
from collections.abc import Callable

from workers.sandbox.mail_error import error
from workers.sandbox.route import Ctx, Reply

_MAX_LENGTH = 256


def once(ctx: Ctx, work: Callable[[], Reply]) -> Reply:
    """Do `work`, or give the answer that the same request got under the same key."""
    key = ctx.headers.get("Idempotency-Key")
    if key is None:
        return work()
    if not 1 <= len(key) <= _MAX_LENGTH:
        text = f"Idempotency keys, if present, must have between 1 and {_MAX_LENGTH} characters."
        return error(400, "invalid_idempotency_key", text)
    known, asked = ctx.world.remembered("mail", key, ctx.key_life_s), _fingerprint(ctx)
    if known is not None and known["asked"] != asked:
        text = "Same idempotency key used with a different request payload."
        return error(409, "invalid_idempotent_request", text)
    if known is not None:
        return Reply(200, known["answer"])
    reply = work()
    if reply.status < 300:
        ctx.world.remember("mail", key, {"asked": asked, "answer": reply.body})
    return reply


def _fingerprint(ctx: Ctx) -> str:
    said = [ctx.method, ctx.path, ctx.json()]
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()
