"""What a model writes to somebody: the arguments that the mail tools share."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from activities.mail_address import MailAddress
from activities.order_id import OrderId
from activities.providers.letter import Letter
from saga.draft import CounterCall
from saga.keys import OPEN_KEY
from saga.record import Typed

Subject = Annotated[
    str, AfterValidator(lambda text: " ".join(text.split())), Field(min_length=1, max_length=250, pattern=r"\S")
]
"""One line: a break in it would begin another header. 250 characters are more than any mailbox shows."""

Text = Annotated[str, Field(min_length=1, max_length=8_000, pattern=r"\S")]
"""Two pages; it is kept in history with the row."""


class LetterArgs(Typed):
    """A letter to one address about one order."""

    order_id: OrderId
    to: MailAddress
    subject: Subject
    body: Text

    @property
    def letter(self) -> Letter:
        """As the mail system takes it."""
        return Letter(to=self.to, subject=self.subject, text=self.body)


def correction(*, order_id: str, to: str, subject: str) -> CounterCall:
    """The letter that would put right one that should not have gone out; a person may rewrite its `text` first."""
    return CounterCall(
        tool="send_correction",
        args={
            "original_key": OPEN_KEY,
            "to": to,
            "subject": f"Correction: {subject}"[:250],
            "text": (
                f'Our message "{subject}" about your order {order_id} was sent to you by mistake. Please disregard it. '
                "We are sorry for the confusion, and will write again should anything change for you."
            ),
        },
    )
