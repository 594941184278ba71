"""A message: what it must be, and how it goes out, by HTTP or SMTP alike, into one send log.

What went out is never deduplicated here; that is the business of the door it came in by.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from workers.sandbox.listing import serial
from workers.sandbox.mail_error import invalid, missing
from workers.sandbox.route import Reply
from workers.sandbox.stamp import Stamp
from workers.sandbox.world import World

Doc = dict[str, Any]

FIELDS = ("from", "to", "cc", "bcc", "reply_to", "subject", "html", "text", "headers")
"""What is kept of a message; other fields of Resend (`tags`, `attachments`, `scheduled_at`) are ignored."""

HOUSE = "sandbox.test"
"""Our own domain: whoever is written to there is a colleague, everyone else a customer."""

_ADDRESS = re.compile(r"[^@\s<>,]+@[^@\s<>,]+\.[^@\s<>,.]+")
_NAMED = re.compile(r"[^<>\r\n]*<([^<>]*)>\s*")
_LISTS = ("to", "cc", "bcc", "reply_to")
_MAX_TO = 50


def parsed(body: Any, *, whole: bool) -> Doc | Reply:
    """The message in `body`, address lists as lists, or the refusal; a draft need not be `whole`."""
    if not isinstance(body, dict):
        return invalid("The request body must be a JSON object.")
    message: Doc = {name: body[name] for name in FIELDS if body.get(name) is not None}
    for name in _LISTS:
        if isinstance(message.get(name), str):
            message[name] = [message[name]]
    return _wrong(message) or (_lacking(message) if whole else None) or message


def _wrong(message: Doc) -> Reply | None:
    for name in ("from", *_LISTS):
        addresses = [message[name]] if name == "from" and name in message else message.get(name, [])
        listed = isinstance(addresses, list)
        if not listed or not all(isinstance(text, str) and address_of(text) for text in addresses):
            form = "`email@example.com` or `Name <email@example.com>`"
            return invalid(f"Invalid `{name}` field. The email address needs to follow the {form} format.")
    if len(message.get("to", [])) > _MAX_TO:
        return invalid(f"Invalid `to` field. At most {_MAX_TO} addresses.")
    for name in ("subject", "html", "text"):
        if not isinstance(message.get(name, ""), str):
            return invalid(f"Invalid `{name}` field. It must be a string.")
    return _wrong_headers(message.get("headers", {}))


def _wrong_headers(headers: Any) -> Reply | None:
    fit = isinstance(headers, dict) and all(
        isinstance(value, str) and not re.search(r"[\r\n]", name + value) for name, value in headers.items()
    )
    return None if fit else invalid("Invalid `headers` field. It must be an object of one-line strings.")


def _lacking(message: Doc) -> Reply | None:
    for name in ("from", "to", "subject"):
        if not message.get(name):
            return missing(name)
    return None if message.get("html") or message.get("text") else missing("html` or `text")


def address_of(text: str) -> str | None:
    """The bare address of `a@b.c` or `Name <a@b.c>`; None where it is neither."""
    named = _NAMED.fullmatch(text)
    bare = (named.group(1) if named else text).strip()
    return bare if _ADDRESS.fullmatch(bare) else None


def deliver(
    world: World, message: Doc, stamp: Stamp, *, via: str, rejected: int = 0, draft_id: str | None = None
) -> Doc:
    """Send: the send log's entry and the effect `mail.send`. The last `rejected` of `to` do not get it."""
    ref = world.new_ref("msg")
    to: list[str] = message["to"]
    reached = to[: max(0, len(to) - rejected)]
    entry: Doc = {
        "id": ref, "object": "email", **message, "via": via, "draft_id": draft_id,
        "last_event": "delivered" if reached else "bounced", "rejected": to[len(reached) :],
        "created_at": world.now(), "serial": serial(),
    }  # fmt: skip
    world.put("mail", "message", ref, entry)
    about = {"to": reached, "rejected": entry["rejected"], "subject": message.get("subject"), "via": via}
    if reached:
        world.effect(
            system="mail", kind="mail.send", ref=ref, key=stamp.key, run=stamp.run, execution=stamp.execution,
            audience=audience_of([*reached, *message.get("cc", []), *message.get("bcc", [])]),
            about={**about, "draft": draft_id},
        )  # fmt: skip
    return entry


def audience_of(addresses: list[str]) -> list[str]:
    """Who sees a message that goes to these addresses."""
    ours = [(address_of(a) or a).rpartition("@")[2].lower() == HOUSE for a in addresses]
    return [who for who, there in (("support_team", any(ours)), ("customer", not all(ours))) if there]


def shown(doc: Doc) -> Doc:
    """A message or a draft as the service shows it: times as text, nothing of our own book-keeping."""
    seen = {name: value for name, value in doc.items() if name not in {"serial", "sent_key", "run"}}
    return {**seen, "created_at": datetime.fromtimestamp(doc["created_at"], UTC).isoformat()}


def has_header(headers: Mapping[str, str] | None, name: str, value: str | None) -> bool:
    """Whether a header of that name (in any case) is there, with exactly that value if one is given."""
    found = [text for key, text in (headers or {}).items() if key.lower() == name.lower()]
    return bool(found) if value is None else value in found
