"""The correction `send_correction`: a letter that puts right what an earlier one, or a refund, told somebody.

Never sent by the harness on its own: a person decides on each, and may rewrite `text` first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from activities.letters import Subject, Text
from activities.mail_address import MailAddress
from activities.providers.letter import Letter
from activities.providers.mail import INDEX_LAG_S, KEY_LIFE_S, PACE, Mail
from saga.outcome import Receipt, Sighting
from saga.record import Typed
from saga.tool import Call, CounterTool


class CorrectionArgs(Typed):
    """What it corrects, by that step's key, and what it says to whom."""

    original_key: Annotated[str, Field(min_length=1, max_length=64)]
    to: MailAddress
    subject: Subject
    text: Text


async def _perform(mail: Mail, call: Call[CorrectionArgs]) -> Receipt:
    args = call.args
    letter = Letter(to=args.to, subject=args.subject, text=args.text)
    ref = await mail.send(letter, call.tags, **{"X-Saga-Corrects": args.original_key})
    return Receipt(external_ref=ref, result={"to": args.to}, execution=call.tags.execution)


async def _find(mail: Mail, call: Call[CorrectionArgs]) -> Sequence[Sighting]:
    return [each.sighting() for each in await mail.carrying("log", call.key, since=call.since)]


SEND_CORRECTION = CounterTool(
    name="send_correction",
    system="mail",
    args=CorrectionArgs,
    perform=_perform,
    find=_find,
    grade="key_and_lookup",
    index_lag_s=INDEX_LAG_S,
    key_life_s=KEY_LIFE_S,
    pace=PACE,
)
