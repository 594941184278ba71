"""Drafts: written, changed, thrown away or sent, once.

What a mailbox service or a help desk's outbox offers; Resend itself has none. A sent draft stays, as sent.
"""

from typing import Any

from workers.sandbox.listing import serial
from workers.sandbox.mail_error import error, invalid
from workers.sandbox.mail_key import once
from workers.sandbox.mail_message import FIELDS, deliver, parsed, shown
from workers.sandbox.route import Ctx, Reply
from workers.sandbox.world import World

Doc = dict[str, Any]


async def create(ctx: Ctx) -> Reply:
    """POST /mail/drafts: a message, whole or not yet."""

    def work() -> Reply:
        message = parsed(ctx.json(), whole=False)
        if isinstance(message, Reply):
            return message
        ref = ctx.world.new_ref("draft")
        draft: Doc = {
            "id": ref, "object": "draft", **message, "state": "draft", "message_id": None,
            "created_at": ctx.world.now(), "serial": serial(), "run": ctx.stamp.run,
        }  # fmt: skip
        ctx.world.put("mail", "draft", ref, draft)
        _record(ctx, "mail.draft", ref, about={"to": message.get("to", [])})
        return Reply(200, shown(draft))

    return once(ctx, work)


async def read(ctx: Ctx) -> Reply:
    """GET /mail/drafts/{id}."""
    draft = _find(ctx)
    return Reply(200, shown(draft)) if draft else _gone(ctx)


async def update(ctx: Ctx) -> Reply:
    """PATCH /mail/drafts/{id}: the fields that are given replace the old ones; null takes one away."""

    def work() -> Reply:
        draft, body = _find(ctx), ctx.json()
        if draft is None:
            return _gone(ctx)
        if draft["state"] == "sent":
            return _sent_already(draft)
        if not isinstance(body, dict):
            return invalid("The request body must be a JSON object.")
        message = parsed({**draft, **body}, whole=False)
        if isinstance(message, Reply):
            return message
        kept = {name: value for name, value in draft.items() if not (name in FIELDS and name in body)}
        changed = {**kept, **message}
        ctx.world.put("mail", "draft", draft["id"], changed)
        about = {"draft": draft["id"], "changes": sorted(body)}
        _record(ctx, "mail.update", ctx.world.new_ref("upd"), about)
        return Reply(200, shown(changed))

    return once(ctx, work)


async def delete(ctx: Ctx) -> Reply:
    """DELETE /mail/drafts/{id}: gone, and 404 ever after. What was sent cannot be taken back so."""
    draft = _find(ctx)
    if draft is None:
        return _gone(ctx)
    if draft["state"] == "sent":
        return _sent_already(draft)
    discard(ctx.world, draft["id"])
    _record(ctx, "mail.delete", draft["id"], about={"undoes": draft["id"]})
    return Reply(200, {"object": "draft", "id": draft["id"], "deleted": True})


def discard(world: World, ref: str) -> None:
    """Throw a draft away, whoever does it."""
    world.drop("mail", "draft", ref)
    world.restate("mail", ref, "mail.draft", "undone")


async def send(ctx: Ctx) -> Reply:
    """POST /mail/drafts/{id}/send: once. `headers` in the body replace the draft's of the same name.

    The key of the sending is `Idempotency-Key`, or else X-Saga-Key. Asked again under it, the first answer is
    given, however old; under another, 409 `draft_already_sent`.
    """

    def work() -> Reply:
        draft, key = _find(ctx), ctx.headers.get("Idempotency-Key") or ctx.stamp.key
        if draft is None:
            return _gone(ctx)
        if draft["state"] == "sent":
            same = key is not None and key == draft["sent_key"]
            return _answer(draft) if same else _sent_already(draft)
        message = parsed({**draft, "headers": _overlaid(draft, ctx.json())}, whole=True)
        if isinstance(message, Reply):
            return message
        entry = deliver(ctx.world, message, ctx.stamp, via="http", rejected=ctx.partial, draft_id=draft["id"])
        outcome = {"message_id": entry["id"], "rejected": entry["rejected"]}
        sent = {**draft, "state": "sent", "sent_key": key, **outcome}
        ctx.world.put("mail", "draft", draft["id"], sent)
        return _answer(sent)

    return once(ctx, work)


def _overlaid(draft: Doc, body: Any) -> Any:
    own = draft.get("headers", {})
    given = body.get("headers", {}) if isinstance(body, dict) else {}
    if not isinstance(given, dict):
        return given
    lowered = {str(name).lower() for name in given}
    return {**{name: value for name, value in own.items() if name.lower() not in lowered}, **given}


def _answer(draft: Doc) -> Reply:
    rejected = {"rejected": draft["rejected"]} if draft["rejected"] else {}
    return Reply(200, {"id": draft["message_id"], "draft_id": draft["id"], **rejected})


def _find(ctx: Ctx) -> Doc | None:
    return ctx.world.get("mail", "draft", ctx.match["id"])


def _gone(ctx: Ctx) -> Reply:
    return error(404, "not_found", f"There is no draft {ctx.match['id']!r}.")


def _sent_already(draft: Doc) -> Reply:
    return error(409, "draft_already_sent", f"The draft was sent already, as {draft['message_id']}.")


def _record(ctx: Ctx, kind: str, ref: str, about: Doc) -> None:
    stamp = ctx.stamp
    ctx.world.effect(
        system="mail", kind=kind, ref=ref, key=stamp.key, run=stamp.run, execution=stamp.execution,
        audience=["agent"], about=about,
    )  # fmt: skip
