"""A verification service: makes a code, sends it to a telephone, and keeps it to itself. Nothing calls a message back.

Its key is a natural one: a verification is found, and never doubled, by its `saga_key`, for ever. Not modelled on any
one product; there is no call that checks a code, so that no code is ever made here.
"""

import re
from dataclasses import replace
from typing import Any

from workers.sandbox.access import Tokens
from workers.sandbox.listing import BadQuery, page, serial
from workers.sandbox.route import BadAct, Ctx, Reply, Route, View
from workers.sandbox.world import Doc, World

_SYSTEM = "sms"
_TOKENS = Tokens(reads="sms-read", writes="sms-write")
_NUMBER = re.compile(r"\+[1-9][0-9]{6,14}")
"""E.164: at most 15 digits; fewer than seven are no subscriber's anywhere."""
_PURPOSE = re.compile(r"[a-z][a-z_]{1,39}")
_FILTERS = ("saga_key", "saga_run")
_NOS = {
    400: ("invalid_request", "The request cannot be read."),
    401: ("unauthorized", "The token is missing or unknown."),
    403: ("forbidden", "The token only reads."),
    404: ("not_found", "There is no such thing here."),
    409: ("conflict", "Another request stands in the way."),
    422: ("invalid_request", "A field of the request is not what it must be."),
    429: ("rate_limited", "Too many requests."),
    500: ("internal_error", "Something broke on our side."),
    503: ("unavailable", "The service cannot be reached."),
}


def refusal(status: int) -> Reply:
    """A no of which only the status is known."""
    return _error(status, *_NOS.get(status, _NOS[500] if status >= 500 else ("refused", "Refused.")))


def in_use() -> Reply:
    """The first request with this key has not ended yet."""
    return _error(409, "in_use", "Another request with this key is still being carried out.")


def guard(ctx: Ctx) -> Reply | None:
    """Bearer `sms-write` does everything, `sms-read` only reads.

    Blind, as with an expired token: lists are empty, and a single thing says 401.
    """
    status = 401 if ctx.blind and ctx.match.get("id") else _TOKENS.refused(ctx)
    return refusal(status) if status else None


def run_of(world: World, view: View) -> str | None:
    """A request about a verification is of its run."""
    found = world.get(_SYSTEM, "verification", view.match["id"]) if view.match.get("id") else None
    return found["saga_run"] if found else None


def act(_world: World, ref: str, act: str) -> dict[str, Any]:
    """What has been sent to somebody's telephone stays there."""
    raise BadAct(f"act: no {act!r} of {ref!r}; nothing can be done to a message that was sent")


async def _send(ctx: Ctx) -> Reply:
    body = ctx.json()
    if not isinstance(body, dict):
        return _error(422, "invalid_request", "The body must be a JSON object.")
    wrong = _wrong(body)
    if wrong:
        return _error(422, "invalid_request", wrong)
    key, to, purpose = body["saga_key"], body["to"], body["purpose"]
    known = ctx.world.get(_SYSTEM, "verification_key", key)
    if known is None:
        return Reply(201, _shown(_sent(ctx, key, to, purpose)))
    found = ctx.world.get(_SYSTEM, "verification", known["id"]) or {}
    if (found.get("to"), found.get("purpose")) != (to, purpose):
        return _error(409, "saga_key_in_use", f"saga_key: {key!r} names {known['id']}, which is another.")
    return Reply(200, _shown(found))


def _wrong(body: Doc) -> str | None:
    key, to, purpose = body.get("saga_key"), body.get("to"), body.get("purpose")
    if not isinstance(key, str) or not key:
        return "saga_key: a text that names this verification is needed."
    if not isinstance(to, str) or not _NUMBER.fullmatch(to):
        return f"to: a number in E.164, such as +4915112345678, not {to!r}."
    if not isinstance(purpose, str) or not _PURPOSE.fullmatch(purpose):
        return f"purpose: a word in small letters, such as sign_in, not {purpose!r}."
    return None


def _sent(ctx: Ctx, key: str, to: str, purpose: str) -> Doc:
    stamp, ref = replace(ctx.stamp, key=key), ctx.world.new_ref("ver")
    made: Doc = {
        "id": ref, "object": "verification", "to": to, "purpose": purpose, "state": "sent",
        "created_at": ctx.world.now(), "saga_key": key, "saga_run": stamp.run, "saga_execution": stamp.execution,
        "serial": serial(),
    }  # fmt: skip
    ctx.world.put(_SYSTEM, "verification", ref, made)
    ctx.world.put(_SYSTEM, "verification_key", key, {"id": ref})
    ctx.world.effect(
        system=_SYSTEM, kind="sms.send", ref=ref, key=key, run=stamp.run, execution=stamp.execution,
        audience=["customer"], about={"to": to, "purpose": purpose},
    )  # fmt: skip
    return made


async def _read(ctx: Ctx) -> Reply:
    found = ctx.world.get(_SYSTEM, "verification", ctx.match["id"])
    return Reply(200, _shown(found)) if found else _error(404, "not_found", "There is no such verification.")


async def _list(ctx: Ctx) -> Reply:
    wanted = {name: ctx.query[name] for name in _FILTERS if name in ctx.query}
    try:
        found = page(ctx, ctx.world.all(_SYSTEM, "verification", **wanted))
    except BadQuery as wrong:
        return _error(422, "invalid_request", str(wrong))
    return Reply(200, {"data": [_shown(doc) for doc in found.entries], "next_cursor": found.next_cursor})


def _shown(doc: Doc) -> Doc:
    return {name: value for name, value in doc.items() if name != "serial"}


def _error(status: int, code: str, message: str) -> Reply:
    return Reply(status, {"error": {"code": code, "message": message}})


_ALL = "/sms/v1/verifications"
routes = [
    Route("POST", _ALL, _SYSTEM, ("send", "create"), _send),
    Route("GET", _ALL, _SYSTEM, ("list", "search"), _list),
    Route("GET", _ALL + "/{id}", _SYSTEM, ("read",), _read),
]
