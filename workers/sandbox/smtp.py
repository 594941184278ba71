"""Mail over SMTP: login agent / mail-write, no deduplication at all; what went out is in `mail`'s send log.

Faults of (mail, send) strike by phase. At the first RCPT, so before DATA and with nothing done: `refuse`
(5xx and 450 to 452 as they are, others as 550), `429` and `in_use` (451), `outage` and `before:<status>`
(421, then closed), `partial:<n>` (550 for the first n recipients). After the final dot: `before:reset` drops
the connection with nothing done; `after:reset` and `after:<status>` drop it with the message sent and the 250
never said, the other `after` say what is no 250. Which run a message is of stands in its headers, so a fault
armed for one run strikes after the dot only, as a no to DATA where it would have been one to RCPT.
"""

import asyncio
import logging
import socket
import struct
import time
from email import message_from_bytes, policy
from typing import Any, NoReturn, cast

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

from workers.sandbox.faults import Faults, Strike
from workers.sandbox.mail_message import Doc, address_of, deliver
from workers.sandbox.stamp import Stamp
from workers.sandbox.world import World

_log = logging.getLogger(__name__)

_LOGIN = (b"agent", b"mail-write")
_SPOKEN = {"truncate": b"25", "blank200": b"\r\n", "204": b"\r\n", "html200": b"<html>OK</html>\r\n"}
"""What is said in place of `250 OK` before the connection closes."""
_OWN_HEADERS = frozenset({"from", "to", "cc", "bcc", "reply-to", "subject", "date", "mime-version"})
"""Shown in fields of their own, or about the envelope only; the others are the message's `headers`."""


class MailServer:
    """A listening SMTP server; `sockets` as asyncio's servers have them."""

    def __init__(self, server: asyncio.Server, live: "set[_Connection]") -> None:
        self._server = server
        self._live = live

    @property
    def sockets(self) -> tuple[socket.socket, ...]:
        """What it listens on."""
        return tuple(self._server.sockets)

    def close(self) -> None:
        """Stop listening, and drop whoever is still connected."""
        self._server.close()
        for connection in list(self._live):
            if connection.transport is not None:
                cast("asyncio.Transport", connection.transport).abort()


async def start(world: World, faults: Faults, host: str, port: int) -> MailServer:
    """Listen; port 0 takes a free one, a taken one is OSError. `faults` are the application's own."""
    # It warns at every login of an attribute that only it itself uses.
    logging.getLogger("mail.log").setLevel(logging.ERROR)
    loop, live = asyncio.get_running_loop(), set[_Connection]()
    server = await loop.create_server(lambda: _Connection(_Door(world, faults), live, loop), host, port)
    return MailServer(server, live)


class _Connection(SMTP):
    def __init__(self, door: "_Door", live: "set[_Connection]", loop: asyncio.AbstractEventLoop) -> None:
        # Required by the door and not by `auth_required`, which warns that there is no TLS; it is loopback.
        super().__init__(
            door, hostname="mail.sandbox.test", ident="sandbox", enable_SMTPUTF8=True, auth_require_tls=False,
            authenticator=_authenticate, loop=loop,
        )  # fmt: skip
        self._live = live

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._live.add(self)
        super().connection_made(transport)

    def connection_lost(self, error: Exception | None) -> None:
        self._live.discard(self)
        super().connection_lost(error)


def _authenticate(_server: SMTP, _session: Session, _envelope: Envelope, _mechanism: str, said: Any) -> AuthResult:
    right = isinstance(said, LoginPassword) and (said.login, said.password) == _LOGIN
    return AuthResult(success=right, handled=False)


class _Door:
    """One connection. Which fault strikes a message is decided at its first RCPT."""

    def __init__(self, world: World, faults: Faults) -> None:
        self._world = world
        self._faults = faults
        self._struck: Envelope | None = None
        self._strike = Strike()
        self._asked = 0

    async def handle_MAIL(  # noqa: N802 - aiosmtpd's name
        self, _server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if not session.authenticated:
            return "530 5.7.0 Authentication required"
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return "250 2.1.0 OK"

    async def handle_RCPT(  # noqa: N802 - as above
        self, server: SMTP, _session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if envelope is not self._struck:
            with self._world.transaction():
                self._struck, self._asked = envelope, 0
                self._strike = self._faults.strike("mail", ("send",), Stamp())
                no = _no(self._strike)
                if no:
                    self._write_line(Stamp(), self._strike, int(no[:3]))
        self._asked += 1
        no = _no(self._strike)
        if no and no.startswith("421"):
            await _close(server, f"{no}\r\n".encode())
        if no:
            return no
        if self._asked <= self._strike.partial:
            return "550 5.1.1 No such mailbox"
        if address_of(address) is None:
            return "553 5.1.3 Malformed address"
        envelope.rcpt_tos.append(address)
        envelope.rcpt_options.extend(options)
        return "250 2.1.5 OK"

    async def handle_DATA(self, server: SMTP, _session: Session, envelope: Envelope) -> str:  # noqa: N802
        message, stamp = _read(envelope)
        with self._world.transaction():
            strike = self._strike if self._strike.name else self._strike_of_run(stamp)
            no, lost = _no(strike), strike.name == "before"
            sent: list[Doc] = []
            if not no and not lost:
                copies = 2 if strike.name == "duplicate" else 1
                sent = [deliver(self._world, message, stamp, via="smtp") for _ in range(copies)]
            said = strike.name != "after" or strike.arg.startswith("slow:")
            self._write_line(stamp, strike, int(no[:3]) if no else 250 if said and not lost else None)
        if no and no.startswith("421"):
            await _close(server, f"{no}\r\n".encode())
        if no:
            return no
        if not said or lost:
            await _lose(server, strike.arg)
        if strike.name == "after":
            await asyncio.sleep(float(strike.arg.removeprefix("slow:")))
        return f"250 2.0.0 OK: queued as {sent[0]['id']}"

    async def handle_exception(self, error: Exception) -> str:
        """Our own bug: nothing of the message stays."""
        _log.error("SMTP failed", exc_info=error)
        return "451 4.3.0 Local error in processing"

    def _strike_of_run(self, stamp: Stamp) -> Strike:
        # Only where a fault waits for this very run: the others had their turn at RCPT.
        waits = any(
            fault["system"] == "mail" and fault["run"] is not None and stamp.is_run(fault["run"])
            for fault in self._faults.armed()
        )
        return self._faults.strike("mail", ("send",), stamp) if waits else self._strike

    def _write_line(self, stamp: Stamp, strike: Strike, status: int | None) -> None:
        line = {
            "at": self._world.now(), "wall_at": time.time(), "system": "mail", "operation": "send",
            "method": "SMTP", "path": "smtp", "key": stamp.key, "run": stamp.run,
            "execution": stamp.execution, "fault": strike.said, "status": status,
        }  # fmt: skip
        for _ in range(2 if strike.name == "duplicate" else 1):
            self._world.call(line)


def _no(strike: Strike) -> str | None:
    """The reply of a fault that refuses; 421 also closes."""
    if strike.name == "refuse":
        status = int(strike.arg)
        said = status if status >= 500 or status in {450, 451, 452} else 550
        return f"{said} {said // 100}.7.1 Message refused"
    if strike.name == "429":
        return f"451 4.7.1 Too many messages, try again later ({strike.arg})"
    if strike.name == "in_use":
        return "451 4.3.0 Mailbox busy, try again later"
    if strike.name == "outage" or (strike.name == "before" and strike.arg != "reset"):
        return "421 4.3.2 Service not available, closing transmission channel"
    return None


async def _close(server: SMTP, last_words: bytes) -> NoReturn:
    transport = cast("asyncio.Transport", server.transport)
    transport.write(last_words)
    transport.close()
    # Ends the connection's task; a returned text would be sent after the last words.
    raise asyncio.CancelledError


async def _lose(server: SMTP, how: str) -> NoReturn:
    transport = cast("asyncio.Transport", server.transport)
    if how != "reset":
        # A plain status has no form in SMTP that would not be a true no: the answer does not come.
        await _close(server, _SPOKEN.get(how, b""))
    raw: socket.socket = transport.get_extra_info("socket")
    # SO_LINGER 0: closing sends RST. Without it the client sees a clean end of the stream.
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    transport.abort()
    raise asyncio.CancelledError


def _read(envelope: Envelope) -> tuple[Doc, Stamp]:
    """The message as the send log keeps it, sent to whom the envelope says, and whose it is."""
    mail = message_from_bytes(cast("bytes", envelope.content), policy=policy.default)
    headers = {
        name: str(value).strip()
        for name, value in mail.items()
        if name.lower() not in _OWN_HEADERS and not name.lower().startswith("content-")
    }
    message: Doc = {
        "from": str(mail["From"] or envelope.mail_from), "to": list(envelope.rcpt_tos),
        "subject": str(mail["Subject"] or ""), "headers": headers,
    }  # fmt: skip
    for name, subtype in (("text", "plain"), ("html", "html")):
        part = mail.get_body((subtype,))
        if part is not None:
            message[name] = str(part.get_content()).replace("\r\n", "\n")
    lowered = {name.lower(): value for name, value in headers.items()}
    said = {name: lowered.get(f"x-saga-{name}") or None for name in ("key", "run", "execution")}
    return message, Stamp(**said)
