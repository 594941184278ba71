"""Mail over SMTP: no key is honoured and nothing can be asked, so that what an answer means hangs on the phase.

Before DATA nothing can have been sent. From DATA on only a 250 is a yes and only a 5xx a no; a lost 250 and a refusal
look alike to the client (measured: both are `SMTPServerDisconnected`), so a lost connection is no answer. What was sent
can be looked up only in the send log of an HTTP mail service, where there is one.
"""

from __future__ import annotations

import asyncio
import smtplib
import ssl
import time
from dataclasses import dataclass
from email.message import EmailMessage
from email.policy import SMTP as WIRE
from email.utils import formatdate
from typing import Literal

from activities.providers.letter import Kind, Letter, Mailed, marks
from activities.providers.mail import Mail
from saga.draft import Grade
from saga.errors import NotSent, ProviderError, Refused, Unanswered
from saga.tool import Tags

Security = Literal["none", "starttls", "tls"]
"""`none` is for loopback only: a login would cross the wire in the clear."""
_SENTENCE = 300
"""Characters of the server's own words that are kept."""


@dataclass(frozen=True, kw_only=True)
class SmtpServer:
    """Where letters are handed in, and as whom."""

    host: str
    port: int
    user: str = ""
    password: str = ""
    security: Security = "starttls"


class SmtpMail:
    """One SMTP server. Keeps no drafts; `log` is the mail service in whose send log its letters show."""

    def __init__(self, *, server: SmtpServer, sender: str, timeout_s: float, log: Mail | None = None) -> None:
        """`timeout_s` bounds the whole conversation. Nothing is sent before the first call."""
        self._server, self._sender, self._timeout_s, self._log = server, sender, timeout_s, log

    @property
    def grade(self) -> Grade:
        """With a send log a letter can be found; it is never sent again blindly in either case."""
        return "lookup" if self._log else "neither"

    async def close(self) -> None:
        """Let go of the log's connections; those to the server end with each letter."""
        if self._log is not None:
            await self._log.close()

    async def send(self, letter: Letter, tags: Tags, **also: str) -> str:
        """Hand the letter in. Its reference is its Message-ID, made of the key."""
        message = self._compose(letter, tags, also)
        await asyncio.to_thread(self._hand_in, letter.to, message.as_bytes(policy=WIRE.clone(cte_type="7bit")))
        return str(message["Message-ID"])

    async def write(self, *_: object) -> str:
        """Refused: there are no drafts over SMTP."""
        raise _no_drafts()

    async def send_draft(self, *_: object) -> str:
        """Refused: there are no drafts over SMTP."""
        raise _no_drafts()

    async def delete_draft(self, *_: object) -> None:
        """Refused: there are no drafts over SMTP."""
        raise _no_drafts()

    async def draft(self, *_: object) -> Mailed | None:
        """Refused: there are no drafts over SMTP."""
        raise _no_drafts()

    async def letter(self, ref: str) -> Mailed:
        """An entry of the send log."""
        return await self._looked_up().letter(ref)

    async def carrying(self, kind: Kind, key: str, *, since: float) -> list[Mailed]:
        """The send log's entries with this key; NotSent where no log is configured: a person must say."""
        return [] if kind == "drafts" else await self._looked_up().carrying(kind, key, since=since)

    def _looked_up(self) -> Mail:
        if self._log is None:
            raise NotSent("SMTP cannot be asked, and no send log is configured", code="no_send_log", lasting=True)
        return self._log

    def _compose(self, letter: Letter, tags: Tags, also: dict[str, str]) -> EmailMessage:
        message = EmailMessage()
        message["From"], message["To"], message["Subject"] = self._sender, letter.to, letter.subject
        message["Date"] = formatdate(usegmt=True)
        # The key again: two copies under one Message-ID are one letter to many a mailbox.
        message["Message-ID"] = f"<{tags.key}@{self._sender.rpartition('@')[2].strip('> ')}>"
        for name, value in {**marks(tags), **also}.items():
            message[name] = value
        message.set_content(letter.text)
        return message

    def _hand_in(self, to: str, message: bytes) -> None:
        """One conversation, in a thread; every wait in it is bounded by what is left of the whole."""
        conversation = _Conversation(self._server, deadline=time.monotonic() + self._timeout_s)
        try:
            conversation.open()
            conversation.address(self._sender, to)
            conversation.deliver(message)
        finally:
            conversation.close()


class _Conversation:
    """The phases of handing in one letter, in order."""

    def __init__(self, server: SmtpServer, *, deadline: float) -> None:
        self._server, self._deadline = server, deadline
        self._smtp: smtplib.SMTP | None = None

    def open(self) -> None:
        """Connect, greet, log in. Whatever goes wrong, no letter was named yet."""
        server = self._server
        try:
            context = ssl.create_default_context()
            if server.security == "tls":
                self._smtp = smtplib.SMTP_SSL(server.host, server.port, timeout=self._left_s(), context=context)
            else:
                self._smtp = smtplib.SMTP(server.host, server.port, timeout=self._left_s())
            if server.security == "starttls":
                self._at_once().starttls(context=context)
            if server.user:
                self._at_once().login(server.user, server.password)
            else:
                self._at_once().ehlo_or_helo_if_needed()
        except smtplib.SMTPAuthenticationError as error:
            raise NotSent(
                "the mail server does not accept this login", code=str(error.smtp_code), lasting=True
            ) from None
        except (smtplib.SMTPException, OSError) as error:
            raise NotSent(f"the mail server cannot be reached ({type(error).__name__})", code="unreachable") from None

    def address(self, sender: str, to: str) -> None:
        """MAIL and RCPT. A 5xx is a no; a 4xx and a lost connection are `not now`: DATA was never said."""
        try:
            _expect(self._at_once().mail(sender.rpartition("<")[2].strip("> ")), (250,), before_data=True)
            _expect(self._at_once().rcpt(to), (250, 251), before_data=True)
        except (smtplib.SMTPException, OSError) as error:
            raise NotSent(f"the mail server hung up before DATA ({type(error).__name__})", code="unreachable") from None

    def deliver(self, message: bytes) -> None:
        """DATA, the letter, the final dot. Without a whole answer nobody knows."""
        try:
            answer = self._at_once().data(message)
        except smtplib.SMTPDataError as error:
            # Raised only for an answer to the word DATA, before a byte of the letter.
            _expect((error.smtp_code, error.smtp_error), (), before_data=True)
        except (smtplib.SMTPException, OSError) as error:
            raise Unanswered(f"the mail server's answer was lost ({type(error).__name__})", code="no_answer") from None
        else:
            _expect(answer, (250,), before_data=False)

    def close(self) -> None:
        """Hang up. A goodbye that fails takes nothing back."""
        if self._smtp is not None:
            self._smtp.close()

    def _at_once(self) -> smtplib.SMTP:
        if self._smtp is None or self._smtp.sock is None:
            raise smtplib.SMTPServerDisconnected("not connected")
        self._smtp.sock.settimeout(self._left_s())
        return self._smtp

    def _left_s(self) -> float:
        left_s = self._deadline - time.monotonic()
        if left_s <= 0:
            raise TimeoutError("the time for this letter is up")
        return left_s


def _expect(answer: tuple[int, bytes | str], yes: tuple[int, ...], *, before_data: bool) -> None:
    """Nothing for a yes; what a no means in this phase. A code of fewer than three digits is half an answer."""
    code, words = answer
    if code in yes:
        return
    text = (words.decode("utf-8", "replace") if isinstance(words, bytes) else words)[:_SENTENCE]
    raise _no(code, text or "no words", before_data=before_data)


def _no(code: int, words: str, *, before_data: bool) -> ProviderError:
    if 500 <= code < 600:
        return Refused(f"{code} {words}", code=str(code), status=code)
    if before_data and 400 <= code < 500:
        return NotSent(f"{code} {words}", code=str(code), status=code)
    if before_data:
        return NotSent("the mail server does not speak SMTP", code="no_smtp")
    # A 4xx after the dot should mean that the letter is ours still; servers have been seen to send it all the same.
    return Unanswered(f"no answer that counts after the letter ({code})", code="no_answer", status=code)


def _no_drafts() -> Refused:
    return Refused("there are no drafts over SMTP; send_email waits for approval as well", code="no_drafts")
