"""The tool `draft_email`: a letter kept as a draft; sent after the pivot, thrown away before it."""

from __future__ import annotations

from collections.abc import Sequence

from activities.letters import LetterArgs
from activities.providers.mail import INDEX_LAG_S, KEY_LIFE_S, PACE, Mail
from saga.draft import CounterCall
from saga.outcome import Receipt, Sighting
from saga.tool import Answers, Call, Tool


async def _perform(mail: Mail, call: Call[LetterArgs]) -> Receipt:
    ref = await mail.write(call.args.letter, call.tags)
    # The service answers no headers; another execution's draft under this key would be other bytes, which it refuses.
    return Receipt(external_ref=ref, result={"to": call.args.to}, execution=call.tags.execution)


async def _find(mail: Mail, call: Call[LetterArgs]) -> Sequence[Sighting]:
    return [each.sighting() for each in await mail.carrying("drafts", call.key, since=call.since)]


DRAFT_EMAIL = Tool(
    name="draft_email",
    about=(
        "Write a letter to the customer as a draft. It is not sent before a person has approved the run; then it is "
        "sent by itself."
    ),
    system="mail",
    args=LetterArgs,
    example={
        "order_id": "1182",
        "to": "mara.lindqvist@customers.test",
        "subject": "Your order 1182",
        "body": "We are sending you a new lamp.",
    },
    tool_class="reversible",
    perform=_perform,
    find=_find,
    grade="key_and_lookup",
    pace=PACE,
    index_lag_s=INDEX_LAG_S,
    key_life_s=KEY_LIFE_S,
    audience=lambda _: ("agent",),
    target=lambda args: f"a draft to {args.to} about order {args.order_id}",
    # One letter to one mailbox about one order; subject and body are only how it is put this time.
    identity=("order_id", "to"),
    compensate=lambda _, key: CounterCall(tool="delete_draft", args={"draft_key": key}),
    commits="send_draft",
    commit_args=lambda args, key: {
        "draft_key": key,
        "order_id": args.order_id,
        "to": args.to,
        "subject": args.subject,
        "content": args.letter.digest,
    },
    answers=Answers(
        pivot="It runs before the pivot; send_draft, its other half, after it.",
        undo="delete_draft: the draft is thrown away; nobody has seen it.",
        idempotent="A draft that is gone already is deleted.",
        unknown="By listing the drafts whose header X-Saga-Key is our key.",
        paged="The support lead, who can delete the draft by hand; left alone, it is never sent.",
    ),
)
