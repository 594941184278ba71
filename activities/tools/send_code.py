"""The tool `send_code`: a one-time code by SMS. It cannot wait for the pivot, so a person approves it by itself.

The verification service makes the code and checks it. It is in no argument, no result and no log of ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from activities.phone_number import PhoneNumber
from activities.providers.sms import INDEX_LAG_S, PACE, Sms
from saga.outcome import Receipt, Sighting
from saga.record import Typed
from saga.tool import Answers, Call, Tool


class SendCodeArgs(Typed):
    """Whose telephone, and what for."""

    phone: PhoneNumber
    purpose: Annotated[
        str,
        # The name of one of the service's texts, never a text: nothing that a model writes reaches the telephone.
        Field(pattern=r"^[a-z][a-z_]{1,39}$", description='what the code is for, in one word, such as "sign_in"'),
    ]


async def _perform(sms: Sms, call: Call[SendCodeArgs]) -> Receipt:
    """One request; the same key gets the same verification and no second message."""
    return (await sms.send(call.tags, to=call.args.phone, purpose=call.args.purpose)).receipt()


async def _find(sms: Sms, call: Call[SendCodeArgs]) -> Sequence[Sighting]:
    return [each.sighting() for each in await sms.verifications(call.key)]


SEND_CODE = Tool(
    name="send_code",
    about=(
        "Have a one-time code sent to somebody's telephone. A person approves exactly this message before it goes, "
        "while the run waits. You never see the code; the verification service checks it."
    ),
    system="sms",
    args=SendCodeArgs,
    example={"phone": "+4915112345678", "purpose": "sign_in"},
    tool_class="irreversible",
    at_once=True,
    gate=(
        "A message on somebody's telephone cannot be called back, and a second one that takes it back would alarm more "
        "than it mends: the code runs out by itself within minutes. So a person sees number and purpose before it goes."
    ),
    perform=_perform,
    find=_find,
    grade="key_and_lookup",
    pace=PACE,
    index_lag_s=INDEX_LAG_S,
    audience=lambda _: ("customer",),
    target=lambda args: f"a code to {args.phone} for {args.purpose}",
    # One code to one telephone for one purpose; a second is asked for by name, and a person sees that too.
    identity=("phone", "purpose"),
    answers=Answers(
        pivot="It runs before the pivot, after a person has approved exactly this message.",
        undo="Nothing; the code runs out by itself.",
        idempotent="There is no compensation; the same key is one verification and one message, for ever.",
        unknown="By saga_key: the service lists the one verification that has it.",
        paged="The support lead, who can telephone the customer.",
    ),
)
