"""The tool `send_draft`: the commit half of `draft_email`, which sends the draft exactly as it was approved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from activities.letters import Subject, correction
from activities.mail_address import MailAddress
from activities.order_id import OrderId
from activities.providers.letter import Mailed
from activities.providers.mail import INDEX_LAG_S, KEY_LIFE_S, PACE, Mail
from saga.errors import NotSent, Refused
from saga.outcome import Receipt, Sighting
from saga.record import Typed
from saga.tool import Answers, Call, Tool

_OLDEST_S = 31 * 86_400
"""A day longer than an approval may be waited for."""


class SendDraftArgs(Typed):
    """Which draft, by the staged key, and what it said when it was written."""

    draft_key: Annotated[str, Field(min_length=1, max_length=64)]
    order_id: OrderId
    to: MailAddress
    subject: Subject
    content: Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]
    """`Letter.digest`: what is sent is what was approved."""


async def _perform(mail: Mail, call: Call[SendDraftArgs]) -> Receipt:
    ref = await _locate(mail, call)
    draft = await mail.draft(ref)
    if draft is None:
        raise NotSent("the draft is gone", code="draft_gone", lasting=True)
    if draft.sent:
        return (await _sent_already(mail, draft, call)).model_copy(update={"found": True})
    if draft.letter.digest != call.args.content:
        raise NotSent("somebody changed the draft after it was approved", code="draft_changed", lasting=True)
    try:
        sent = await mail.send_draft(ref, call.tags)
    except Refused as refusal:
        again = await mail.draft(ref) if refusal.code == "draft_already_sent" else None
        if again is None or not again.sent:
            raise
        return await _sent_already(mail, again, call)
    return Receipt(external_ref=sent, result={"to": call.args.to}, execution=call.tags.execution)


async def _sent_already(mail: Mail, draft: Mailed, call: Call[SendDraftArgs]) -> Receipt:
    """By us, with the answer lost, or by a person in the mailbox."""
    letter = await mail.letter(draft.sent_as or "")
    if not letter.is_of(call.key):
        raise Refused("somebody else sent the draft", code="sent_elsewhere")
    return letter.sighting().receipt()


async def _find(mail: Mail, call: Call[SendDraftArgs]) -> Sequence[Sighting]:
    """Told by the draft itself: it is sent or it is not, and reading it by id has no lag."""
    draft = await mail.draft(await _locate(mail, call))
    if draft is None or not draft.sent:
        return []
    letter = await mail.letter(draft.sent_as or "")
    return [letter.sighting()] if letter.is_of(call.key) else []


async def _locate(mail: Mail, call: Call[SendDraftArgs]) -> str:
    """The draft that was staged: by the staged step's own reference, else among those with its key."""
    key = call.args.draft_key
    ref = call.ref_of(key)
    if ref is not None:
        return ref
    drafts = await mail.carrying("drafts", key, since=call.since - _OLDEST_S)
    if len(drafts) != 1:
        raise NotSent(f"{len(drafts)} drafts carry the staged key", code="no_draft", lasting=True)
    return drafts[0].ref


SEND_DRAFT = Tool(
    name="send_draft",
    about="Send the letter that draft_email wrote.",
    system="mail",
    args=SendDraftArgs,
    example={
        "draft_key": "0" * 32,
        "order_id": "1182",
        "to": "mara.lindqvist@customers.test",
        "subject": "Your order 1182",
        "content": "0" * 16,
    },
    tool_class="irreversible",
    tells=True,
    perform=_perform,
    find=_find,
    grade="key_and_lookup",
    pace=PACE,
    index_lag_s=INDEX_LAG_S,
    key_life_s=KEY_LIFE_S,
    audience=lambda _: ("customer",),
    target=lambda args: f"the letter to {args.to} about order {args.order_id}",
    identity=("draft_key",),
    correct=lambda args: correction(order_id=args.order_id, to=args.to, subject=args.subject),
    answers=Answers(
        pivot="It is the pivot's own, and the last of the commits: a customer sees it.",
        undo="Nothing; send_correction, if a person decides that it is needed.",
        idempotent="A draft is sent once, whatever the key; a correction has a key of its own.",
        unknown="By reading the draft: it is sent or not, and the letter it became carries the key that sent it.",
        paged="The support lead, who knows the customer.",
    ),
)
