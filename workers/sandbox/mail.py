"""Mail over HTTP, after Resend: sending under an `Idempotency-Key`; beyond Resend drafts and a send log.

Drafts and the log, searchable by header, are what a mailbox service (such as a help desk's outbox) offers and
Resend itself does not: it has no lookup by key, and its list no filters. Nor does it answer `rejected`, which
names the recipients whom the fault `partial` struck. What was sent by SMTP (`smtp`) shows in the same log.
Written after the documentation; nothing was compared with the live service.
"""

from typing import Any

from workers.sandbox import mail_drafts
from workers.sandbox.access import Tokens
from workers.sandbox.listing import BadQuery, page
from workers.sandbox.mail_error import error, in_use, invalid, refusal
from workers.sandbox.mail_key import once
from workers.sandbox.mail_message import deliver, has_header, parsed, shown
from workers.sandbox.route import BadAct, Ctx, Reply, Route, View
from workers.sandbox.world import World

__all__ = ["act", "guard", "in_use", "refusal", "routes", "run_of"]

_TOKENS = Tokens(reads="mail-read", writes="mail-write")


def guard(ctx: Ctx) -> Reply | None:
    """Bearer `mail-write` does everything, `mail-read` only reads."""
    status = _TOKENS.refused(ctx)
    return refusal(status) if status else None


def run_of(world: World, view: View) -> str | None:
    """A request about a draft that does not say so itself is of the draft's run."""
    draft = world.get("mail", "draft", view.match["id"]) if view.match.get("id") else None
    return draft["run"] if draft else None


def act(world: World, ref: str, act: str) -> dict[str, Any]:
    """A person in the mailbox can throw a draft away."""
    if act != "delete":
        raise BadAct(f"act: {act!r} is nothing that is done to mail; allowed: delete (of a draft)")
    draft = world.get("mail", "draft", ref)
    if draft is None or draft["state"] == "sent":
        raise BadAct(f"ref: no unsent draft {ref!r}")
    mail_drafts.discard(world, ref)
    about = {"undoes": ref, "by": "a person"}
    world.effect(system="mail", kind="mail.delete", ref=ref, key=None, run=None, execution=None, about=about)
    return {"ref": ref, "state": "deleted"}


async def _send(ctx: Ctx) -> Reply:
    def work() -> Reply:
        message = parsed(ctx.json(), whole=True)
        if isinstance(message, Reply):
            return message
        entry = deliver(ctx.world, message, ctx.stamp, via="http", rejected=ctx.partial)
        rejected = {"rejected": entry["rejected"]} if entry["rejected"] else {}
        return Reply(200, {"id": entry["id"], **rejected})

    return once(ctx, work)


async def _read(ctx: Ctx) -> Reply:
    entry = ctx.world.get("mail", "message", ctx.match["id"])
    return Reply(200, shown(entry)) if entry else error(404, "not_found", "Email not found")


async def _domains(ctx: Ctx) -> Reply:
    """The one domain that it sends from, as Resend lists them: something that a good credential always sees."""
    domains = [] if ctx.blind else [{"id": "dom_sandbox", "name": "sandbox.test", "status": "verified"}]
    return Reply(200, {"object": "list", "data": domains, "has_more": False})


async def _log(ctx: Ctx) -> Reply:
    return _list(ctx, "message")


async def _list_drafts(ctx: Ctx) -> Reply:
    return _list(ctx, "draft")


def _list(ctx: Ctx, kind: str) -> Reply:
    header, value = ctx.query.get("header"), ctx.query.get("value")
    if value is not None and not header:
        return invalid("`value` without `header`: say which header is meant.")
    docs = ctx.world.all("mail", kind)
    if header:
        docs = [doc for doc in docs if has_header(doc.get("headers"), header, value)]
    try:
        found = page(ctx, docs)
    except BadQuery as wrong:
        return invalid(str(wrong))
    return Reply(200, {
        "object": "list", "data": [shown(doc) for doc in found.entries],
        "has_more": found.next_cursor is not None, "next_cursor": found.next_cursor,
    })  # fmt: skip


routes = [
    Route("POST", "/mail/emails", "mail", ("send", "create"), _send),
    Route("GET", "/mail/emails/{id}", "mail", ("read",), _read),
    Route("GET", "/mail/log", "mail", ("search", "list"), _log),
    Route("GET", "/mail/domains", "mail", ("list", "search"), _domains),
    Route("POST", "/mail/drafts", "mail", ("draft", "create"), mail_drafts.create),
    Route("GET", "/mail/drafts", "mail", ("list", "search"), _list_drafts),
    Route("GET", "/mail/drafts/{id}", "mail", ("read",), mail_drafts.read),
    Route("PATCH", "/mail/drafts/{id}", "mail", ("update",), mail_drafts.update),
    Route("DELETE", "/mail/drafts/{id}", "mail", ("delete",), mail_drafts.delete),
    Route("POST", "/mail/drafts/{id}/send", "mail", ("send",), mail_drafts.send),
]
