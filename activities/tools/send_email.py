"""The tool `send_email`: a letter without a draft; it waits whole behind the pivot."""

from __future__ import annotations

from collections.abc import Sequence

from activities.letters import LetterArgs, correction
from activities.providers.mail import INDEX_LAG_S, KEY_LIFE_S, PACE, Mail
from saga.outcome import Receipt, Sighting
from saga.tool import Answers, Call, Tool


async def _perform(mail: Mail, call: Call[LetterArgs]) -> Receipt:
    ref = await mail.send(call.args.letter, call.tags)
    # The service answers no headers; another execution's letter under this key would be other bytes, which it refuses.
    return Receipt(external_ref=ref, result={"to": call.args.to}, execution=call.tags.execution)


async def _find(mail: Mail, call: Call[LetterArgs]) -> Sequence[Sighting]:
    return [each.sighting() for each in await mail.carrying("log", call.key, since=call.since)]


SEND_EMAIL = Tool(
    name="send_email",
    about=(
        "Send the customer a letter. It waits until a person has approved the run. Prefer draft_email, which lets that "
        "person see the draft in the mailbox."
    ),
    system="mail",
    args=LetterArgs,
    example={
        "order_id": "1182",
        "to": "mara.lindqvist@customers.test",
        "subject": "Your order 1182",
        "body": "We are sending you a new lamp.",
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
    target=lambda args: f"a letter to {args.to} about order {args.order_id}",
    # One letter to one mailbox about one order; subject and body are only how it is put this time.
    identity=("order_id", "to"),
    correct=lambda args: correction(order_id=args.order_id, to=args.to, subject=args.subject),
    answers=Answers(
        pivot="It waits behind the pivot, last among the commits: a customer sees it.",
        undo="Nothing; send_correction, if a person decides that it is needed.",
        idempotent="There is no compensation; the letter has its key at the mail service, a correction one of its own.",
        unknown="By the send log, searched for the header X-Saga-Key; without one a person must say.",
        paged="The support lead, who knows the customer.",
    ),
)
